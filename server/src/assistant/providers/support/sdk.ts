// The AI SDK, which is loaded at the first call: an answer within a conversation, as our events. Plain text of it is read before the SDK.
// Guards: no loop, no tool is run, nothing is fetched and nothing is tried again there; the pieces of two tool calls are never mixed; an
// answer that ends without having said why, or holds what is no JSON, has failed and is not passed on as a whole one; nothing of a request
// is dropped without a word.
import type { LanguageModel } from 'ai';
import { OutboundError } from '../../../kernel/http/outbound-error.ts';
import type { Transport } from '../../../kernel/http/transport.ts';
import { cutText } from '../../../kernel/inert-text.ts';
import { isRecord, member } from '../../../kernel/read-json.ts';
import type { PreparedModel } from '../types.ts';
import { callOptions } from './chat-prompt.ts';
import {
  type ChatEvent,
  type ChatRequest,
  type ChatUsage,
  type Feature,
  NotCapable,
  type StopReason,
} from './chat-types.ts';
import { PlainAnswer, type PlainText } from './plain-answer.ts';

/** A model as the SDK's packages make it. */
export type SdkModel = Extract<LanguageModel, { specificationVersion: 'v4' }>;

type Streamed = Awaited<ReturnType<SdkModel['doStream']>>['stream'];
/** One part of what a model says. */
type SdkPart = Streamed extends ReadableStream<infer Part> ? Part : never;

export async function loadSdk() {
  const sdk = await import('ai');
  // Its warnings would go to the console, past our log.
  Reflect.set(globalThis, 'AI_SDK_LOG_WARNINGS', false);
  return sdk;
}

/** More than any model takes or gives in one call. */
const MOST_TOKENS = 1_000_000_000;

/** Only a count that can be one: what a provider says is not taken on trust. */
export const tokensTold = (tokens: number | undefined): number | undefined =>
  tokens !== undefined && Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS
    ? tokens
    : undefined;

type Finish = Extract<SdkPart, { type: 'finish' }>;
type Called = Extract<SdkPart, { type: 'tool-call' }>;

interface Call {
  id: string;
  name: string;
  /** Pieces that were not sent yet. */
  pieces: string[];
  is_started: boolean;
  /** Once it is complete. */
  whole?: ChatEvent;
}

function inputOf(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    const input: unknown = JSON.parse(text);
    if (isRecord(input)) return input;
  } catch {
    // Said below.
  }
  throw new OutboundError('failed', { code: 'TOOL_INPUT_NOT_JSON' });
}

/** Gemini signs its calls and wants to have the signature back. */
function signatureOf({ providerMetadata }: Called): string | undefined {
  const signature = member(providerMetadata?.google, 'thoughtSignature');
  return typeof signature === 'string' ? signature : undefined;
}

const stopReasons: Partial<Record<Finish['finishReason']['unified'], StopReason>> = {
  length: 'max_tokens',
  'content-filter': 'content_filter',
  error: 'error',
  'tool-calls': 'tool_use',
};

function stopReason({ finishReason: { unified, raw } }: Finish, hasCalls: boolean): StopReason {
  // Nobody said why it ended: the connection was closed before the end.
  if (unified === 'interrupted' || (unified === 'other' && raw === undefined))
    throw new OutboundError('failed', { code: 'CUT_ANSWER', dropped: true });
  if (unified === 'stop' && raw === 'stop_sequence') return 'stop_sequence';
  return stopReasons[unified] ?? (hasCalls ? 'tool_use' : 'end_turn');
}

function usageOf({ usage: { inputTokens, outputTokens } }: Finish): ChatUsage {
  return {
    input: tokensTold(inputTokens.total),
    output: tokensTold(outputTokens.total),
    cache_read: tokensTold(inputTokens.cacheRead),
    cache_write: tokensTold(inputTokens.cacheWrite),
  };
}

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

/** What the SDK left out of a request or changed in it, as sentences for the caller. */
const warningsOf = (warnings: readonly Warning[]): string[] => [
  ...new Set(warnings.flatMap((warning) => sentenceOf(warning)?.replace(/\.\.$/, '.') ?? [])),
];

/** Of one answer. */
const MOST_CALLS = 1000;

/** The calls of one answer in the order in which they began; only the first unfinished one speaks. */
class Calls {
  readonly #calls: Call[] = [];
  readonly #byId = new Map<string, Call>();
  #at = 0;

  get any(): boolean {
    return this.#calls.length > 0;
  }

  #of(id: string, name: string): Call {
    const found = this.#byId.get(id);
    if (found) return found;
    if (this.#calls.length === MOST_CALLS) throw new OutboundError('failed', { code: 'ANSWER_TOO_LONG' });
    const call: Call = { id, name, pieces: [], is_started: false };
    this.#calls.push(call);
    this.#byId.set(id, call);
    return call;
  }

  begin(id: string, name: string): void {
    this.#of(id, name);
  }

  add(id: string, piece: string): void {
    this.#byId.get(id)?.pieces.push(piece);
  }

  end(part: Called): void {
    const { toolCallId: id, toolName: name, input } = part;
    const isNew = !this.#byId.has(id);
    const call = this.#of(id, name);
    if (isNew) call.pieces.push(input);
    const signature = signatureOf(part);
    call.whole = { type: 'tool_use', id, name, input: inputOf(input), ...(signature && { signature }) };
  }

  *events(): Generator<ChatEvent> {
    for (;;) {
      const call = this.#calls[this.#at];
      if (!call) return;
      if (!call.is_started) yield { type: 'tool_use_start', id: call.id, name: call.name };
      call.is_started = true;
      for (const partial of call.pieces.splice(0))
        if (partial !== '') yield { type: 'tool_use_delta', partial };
      if (!call.whole) return;
      yield call.whole;
      this.#at += 1;
    }
  }

  /** At the end of the answer: a call that was cut off holds up nobody any more. */
  *rest(): Generator<ChatEvent> {
    for (; this.#at < this.#calls.length; this.#at += 1) yield* this.events();
  }
}

/** Reads the parts of one answer. */
async function* chatEvents(parts: AsyncIterable<SdkPart>): AsyncGenerator<ChatEvent, void> {
  const calls = new Calls();
  let warnings: readonly string[] = [];
  for await (const part of parts) {
    if (part.type === 'stream-start') warnings = warningsOf(part.warnings);
    if (part.type === 'error') throw new OutboundError('failed', { code: 'BROKEN_ANSWER' });
    if (part.type === 'text-delta' && part.delta !== '') yield { type: 'text', text: part.delta };
    if (part.type === 'tool-input-start') calls.begin(part.id, part.toolName);
    if (part.type === 'tool-input-delta') calls.add(part.id, part.delta);
    if (part.type === 'tool-call') calls.end(part);
    yield* calls.events();
    if (part.type === 'finish') {
      const stop_reason = stopReason(part, calls.any);
      yield* calls.rest();
      yield { type: 'done', stop_reason, usage: usageOf(part), warnings };
      return;
    }
  }
  throw new OutboundError('failed', { code: 'CUT_ANSWER', dropped: true });
}

export interface Chatting {
  transport: Transport;
  prepare(transport: Transport): Promise<PreparedModel>;
  /** How pieces of plain text look. */
  plain: PlainText | undefined;
  lacks: readonly Feature[];
}

export async function* chat(
  { transport, prepare, plain, lacks }: Chatting,
  request: ChatRequest,
): AsyncGenerator<ChatEvent, void> {
  const { UnsupportedFunctionalityError } = await loadSdk();
  // Where a format is asked for, SDKs may have a tool write the answer, and turn it into text.
  const answer = new PlainAnswer(request.response_format.type === 'text' ? plain : undefined);
  const { model, options = {} } = await prepare({ ...transport, fetch: answer.fetch(transport) });
  try {
    const asked = Promise.resolve(
      model.doStream({ ...callOptions(request, lacks), providerOptions: options }),
    );
    asked.catch(() => undefined);
    for (let texts = await answer.next(asked); texts; texts = await answer.next(asked))
      for (const text of texts) yield { type: 'text', text };
    const { stream } = await asked;
    yield* chatEvents(stream);
  } catch (error) {
    // Said while the request is written, so nothing was sent.
    if (UnsupportedFunctionalityError.isInstance(error)) throw new NotCapable('documents');
    throw error;
  } finally {
    answer.leave();
  }
}
