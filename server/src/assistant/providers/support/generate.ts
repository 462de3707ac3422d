// A text after a schema, by the AI SDK. It is asked for as JSON but promised as text only: weak models wrap or break it, and the caller
// reads it with that in mind. Guards: nothing is tried again there.
import { OutboundError } from '../../../kernel/http/outbound-error.ts';
import type { Transport } from '../../../kernel/http/transport.ts';
import type { Generated, GenerateInput } from '../../../kernel/text-model.ts';
import type { PreparedModel } from '../types.ts';
import { loadSdk } from './sdk.ts';

/** A model that says nothing at all (a refusal, a filter, or no model) has failed. */
function checked(
  text: string,
  usage: { inputTokens?: number | undefined; outputTokens?: number | undefined } | undefined,
): Generated {
  if (text.trim() === '') throw new OutboundError('failed', { code: 'EMPTY_ANSWER' });
  return { text, input_tokens: usage?.inputTokens, output_tokens: usage?.outputTokens };
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
