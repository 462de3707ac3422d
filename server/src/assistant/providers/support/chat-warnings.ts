// What a provider's SDK leaves out of a request or changes in it, as sentences for the caller. Guards: nothing of a request is dropped
// without a word; the names are those of our request.
import { cutText } from '../../../kernel/inert-text.ts';
import type { SdkPart } from './sdk.ts';

type Warning = Extract<SdkPart, { type: 'stream-start' }>['warnings'][number];

/** As the SDK calls it, and as the request does. */
const NAMES: Readonly<Record<string, string>> = {
  maxOutputTokens: 'max_tokens',
  stopSequences: 'stop_sequences',
  responseFormat: 'response_format',
  toolChoice: 'tool_choice',
  'cacheControl breakpoint limit': 'cache_control',
};
const MOST = 200;

function sentenceOf(warning: Warning): string | undefined {
  if (warning.type === 'deprecated') return undefined;
  if (warning.type === 'other') return `Changed for this model: ${cutText(warning.message, MOST)}.`;
  const { feature, details = '' } = warning;
  const name = Object.hasOwn(NAMES, feature) ? NAMES[feature] : feature;
  const limit = /(?:clamped|limited) to ([\d.]+\d|\d+)/.exec(details)?.[1];
  if (limit !== undefined) return `${name} was set to ${Number(limit)}, the limit of this model.`;
  if (warning.type === 'unsupported') return `${name} was left out: this model does not take it.`;
  return `${name} was changed for this model${details === '' ? '' : `: ${cutText(details, MOST)}`}`;
}

export const warningsOf = (warnings: readonly Warning[]): string[] => [
  ...new Set(warnings.flatMap((warning) => sentenceOf(warning)?.replace(/\.\.$/, '.') ?? [])),
];
