// The AI SDK, which is loaded at the first call: a text after a schema, and an answer within a conversation. Guards: no loop, no tool is run,
// nothing is fetched and nothing is tried again there. A text is asked for as JSON but promised as text only: weak models wrap or break it,
// and the caller reads it with that in mind. Plain text of a conversation is read before the SDK.
import type { LanguageModel } from 'ai';
import { OutboundError } from '../../../kernel/http/outbound-error.ts';
import type { Transport } from '../../../kernel/http/transport.ts';
import type { Generated, GenerateInput } from '../../../kernel/text-model.ts';
import type { PreparedModel } from '../types.ts';
import { chatEvents } from './chat-events.ts';
import { callOptions } from './chat-prompt.ts';
import { type ChatEvent, type ChatRequest, type Feature, NotCapable } from './chat-types.ts';
import { PlainAnswer, type PlainText } from './plain-answer.ts';

/** A model as the SDK's packages make it. */
export type SdkModel = Extract<LanguageModel, { specificationVersion: 'v4' }>;

type Streamed = Awaited<ReturnType<SdkModel['doStream']>>['stream'];
/** One part of what a model says. */
export type SdkPart = Streamed extends ReadableStream<infer Part> ? Part : never;

/** A model that says nothing at all (a refusal, a filter, or no model) has failed. */
function checked(
  text: string,
  usage: { inputTokens?: number | undefined; outputTokens?: number | undefined } | undefined,
): Generated {
  if (text.trim() === '') throw new OutboundError('failed', { code: 'EMPTY_ANSWER' });
  return { text, input_tokens: usage?.inputTokens, output_tokens: usage?.outputTokens };
}

async function loadSdk() {
  const sdk = await import('ai');
  // Its warnings would go to the console, past our log.
  Reflect.set(globalThis, 'AI_SDK_LOG_WARNINGS', false);
  return sdk;
}

async function ask(
  { model, thinking_tokens, options = {} }: PreparedModel,
  input: GenerateInput,
): Promise<Generated> {
  const { generateText, jsonSchema, NoObjectGeneratedError, Output } = await loadSdk();
  try {
    const { text, usage } = await generateText({
      model,
      instructions: input.instructions,
      prompt: input.prompt,
      output: Output.object({ schema: jsonSchema(input.schema) }),
      maxOutputTokens: input.answer_tokens + thinking_tokens,
      maxRetries: 0,
      providerOptions: options,
    });
    return checked(text, usage);
  } catch (error) {
    if (!NoObjectGeneratedError.isInstance(error)) throw error;
    return checked(error.text ?? '', error.usage);
  }
}

async function askPlainly({ model, options = {} }: PreparedModel, input: GenerateInput): Promise<Generated> {
  const { generateText } = await loadSdk();
  const { instructions, prompt } = input;
  const { text, usage } = await generateText({
    model,
    instructions,
    prompt,
    maxRetries: 0,
    providerOptions: options,
  });
  return checked(text, usage);
}

const doesNotUnderstand = (failure: OutboundError | undefined) =>
  failure?.details.status === 400 || failure?.details.status === 422;

/**
 * One model call. A server that answers 400 may know neither schemas nor token limits, so it is asked once more
 * without them; that costs nothing, because the refused request generated nothing.
 */
export async function generate(
  prepare: () => Promise<PreparedModel>,
  transport: Transport,
  input: GenerateInput,
): Promise<Generated> {
  const prepared = await prepare();
  try {
    return await ask(prepared, input);
  } catch (error) {
    if (!doesNotUnderstand(transport.failure())) throw error;
  }
  return askPlainly(prepared, input);
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
