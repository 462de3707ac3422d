// Pieces of plain text as OpenAI streams them by both of its APIs, and as servers that speak its older one do.

import { isRecord } from '../../../kernel/read-json.ts';
import { HELD, type PlainText } from './plain-answer.ts';

const isAbsent = (value: unknown) => value === undefined || value === null;
const isThought = (value: unknown) => isAbsent(value) || typeof value === 'string';

/** Of the Chat Completions API. */
export const completionsText: PlainText = (message) => {
  if (!isRecord(message) || !Array.isArray(message.choices) || message.choices.length !== 1) return undefined;
  const [choice]: unknown[] = message.choices;
  if (!isRecord(choice) || !isRecord(choice.delta)) return undefined;
  if (!isAbsent(message.usage) || !isAbsent(message.error) || !isAbsent(choice.finish_reason))
    return undefined;
  const { role = null, content = null, tool_calls, refusal, reasoning, reasoning_content } = choice.delta;
  const isPlain =
    (role === null || role === 'assistant' || role === '') &&
    (content === null || typeof content === 'string') &&
    isThought(reasoning) &&
    isThought(reasoning_content) &&
    isAbsent(tool_calls) &&
    isAbsent(refusal);
  return isPlain ? (content ?? '') : undefined;
};

/** Said around the text of an answer. */
const AROUND = new Set([
  'response.created',
  'response.in_progress',
  'response.content_part.added',
  'response.content_part.done',
  'response.output_text.done',
]);

/** Of the Responses API. */
export const responsesText: PlainText = (message) => {
  if (!isRecord(message) || typeof message.type !== 'string') return undefined;
  const { type, delta, item } = message;
  if (type === 'response.output_text.delta') return typeof delta === 'string' ? delta : undefined;
  if (AROUND.has(type)) return HELD;
  const isItem = type === 'response.output_item.added' || type === 'response.output_item.done';
  return isItem && isRecord(item) && (item.type === 'message' || item.type === 'reasoning')
    ? HELD
    : undefined;
};
