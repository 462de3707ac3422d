// The events of one run, to its end: over breaks of the line and restarts of the server. Guards: a question is sent once only.
import { ApiError, isOutage, openStream } from '../../../api/client.ts';
import { readFrames } from '../../../api/frames.ts';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import type { ChatEvent } from './chat-state.ts';

export type Question = OperationTypes['startChatRun']['body'];

const AGAIN_MS = 1500;
const MOST_TRIES = 40;

interface RunText {
  event: ChatEvent;
  sequence: number;
}

function openFrom(from: Question | string, after: number, signal: AbortSignal) {
  return typeof from === 'string'
    ? openStream('followChatRun', { params: { id: from }, query: { after } }, signal)
    : openStream('startChatRun', { body: from }, signal);
}

/** Of a question, or of the run with that id from its beginning. Ends without a word once the signal is aborted. */
export async function* runEvents(first: Question | string, signal: AbortSignal): AsyncGenerator<RunText> {
  let from = first;
  let after = 0;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    if (signal.aborted) return;
    let isDone = false;
    try {
      for await (const { id, data } of readFrames(await openFrom(from, after, signal))) {
        const event: ChatEvent = JSON.parse(data);
        const sequence = Number(id.slice(id.lastIndexOf(':') + 1)) || 0;
        after = Math.max(after, sequence);
        if (event.type === 'run') from = event.run_id;
        isDone ||= event.type === 'done';
        yield { event, sequence };
      }
    } catch (cause) {
      if (signal.aborted) return;
      // A question that never began is not asked twice; people do that.
      if (typeof from !== 'string' || (cause instanceof ApiError && !isOutage(cause))) throw cause;
    }
    if (isDone) return;
    if (typeof from !== 'string') break;
  }
  throw new ApiError('The answer broke off. Ask again to go on.', { status: 0 });
}
