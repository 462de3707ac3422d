// One answer of a model within a conversation, through the AI SDK's own layer for providers: no loop, no tool is run, nothing
// is fetched, nothing is tried again there. Plain text is read before it.
import type { Transport } from '../../../kernel/http/transport.ts';
import type { PreparedModel } from '../types.ts';
import { chatEvents } from './chat-events.ts';
import { callOptions } from './chat-prompt.ts';
import { type ChatEvent, type ChatRequest, type Feature, NotCapable } from './chat-types.ts';
import { loadSdk } from './generate.ts';
import { PlainAnswer, type PlainText } from './plain-answer.ts';

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
