// One answer of a model within a conversation, through the AI SDK's own layer for providers: no loop, no tool is run, nothing
// is fetched, nothing is tried again there.
import type { PreparedModel } from '../types.ts';
import { chatEvents } from './chat-events.ts';
import { callOptions } from './chat-prompt.ts';
import { type ChatEvent, type ChatRequest, type Feature, NotCapable } from './chat-types.ts';
import { loadSdk } from './generate.ts';

export async function* chat(
  prepare: () => Promise<PreparedModel>,
  request: ChatRequest,
  lacks: readonly Feature[],
): AsyncGenerator<ChatEvent, void> {
  const { UnsupportedFunctionalityError } = await loadSdk();
  const { model, options = {} } = await prepare();
  try {
    const { stream } = await model.doStream({ ...callOptions(request, lacks), providerOptions: options });
    yield* chatEvents(stream);
  } catch (error) {
    // Said while the request is written, so nothing was sent.
    if (UnsupportedFunctionalityError.isInstance(error)) throw new NotCapable('documents');
    throw error;
  }
}
