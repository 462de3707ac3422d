// One conversation: asks, follows the stream of the answer, takes a broken stream up again, stops.
import { useRef, useState } from 'react';
import { ApiError, call, isOutage, openStream } from '../../api/client.ts';
import { readFrames } from '../../api/frames.ts';
import type { OperationTypes } from '../../api/operations.gen.ts';
import { afterEvent, type ChatEvent, newTurn, type Turn } from './chat-state.ts';

type Question = OperationTypes['startChatRun']['body'];

const AGAIN_MS = 1500;
const MOST_TRIES = 40;

export interface Chat {
  turns: readonly Turn[];
  isRunning: boolean;
  ask: (question: Question) => void;
  stop: () => void;
  restart: () => void;
}

type Change = (change: (turn: Turn) => Turn) => void;

async function follow(body: ReadableStream<Uint8Array>, take: (event: ChatEvent, sequence: number) => void) {
  for await (const { id, data } of readFrames(body))
    take(JSON.parse(data), Number(id.slice(id.lastIndexOf(':') + 1)) || 0);
}

/** Follows the run to its end, over breaks of the line and restarts of the server. */
async function run(question: Question, change: Change, began: (event: ChatEvent) => void): Promise<void> {
  let runId: string | undefined;
  let after = 0;
  let isDone = false;
  const take = (event: ChatEvent, sequence: number) => {
    if (event.type === 'run') runId = event.run_id;
    if (event.type === 'done') isDone = true;
    after = Math.max(after, sequence);
    began(event);
    change((turn) => ({ ...afterEvent(turn, event), sequence }));
  };
  for (let tries = 0; !isDone && tries < MOST_TRIES; tries++) {
    try {
      const stream =
        runId === undefined
          ? openStream('startChatRun', { body: question })
          : openStream('followChatRun', { params: { id: runId }, query: { after } });
      await follow(await stream, take);
    } catch (cause) {
      // A question that never began is not asked twice; people do that.
      if (runId === undefined || (cause instanceof ApiError && !isOutage(cause))) throw cause;
    }
    if (runId === undefined) break;
    if (!isDone) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  if (!isDone) throw new ApiError('The answer broke off. Ask again to go on.', { status: 0 });
}

export function useChat(): Chat {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const conversation = useRef<string>(undefined);
  const current = useRef<string>(undefined);
  /** Grows with each new conversation: what is still told of an earlier one is not shown. */
  const talk = useRef(0);
  const isRunning = turns.at(-1)?.isRunning ?? false;
  const ask = (question: Question) => {
    const asked = talk.current;
    const change: Change = (next) => {
      if (asked !== talk.current) return;
      setTurns((all) => all.map((turn, index) => (index === all.length - 1 ? next(turn) : turn)));
    };
    setTurns((all) => [...all, newTurn(question.message)]);
    const began = (event: ChatEvent) => {
      if (event.type !== 'run' || asked !== talk.current) return;
      conversation.current = event.conversation_id;
      current.current = event.run_id;
    };
    const known = conversation.current ? { conversation_id: conversation.current } : {};
    run({ ...question, ...known }, change, began).catch((cause: unknown) => {
      const error = cause instanceof Error ? cause.message : 'The answer broke off.';
      change((turn) => ({ ...turn, isRunning: false, error }));
    });
  };
  const stop = () => {
    const id = current.current;
    if (id) call('cancelChatRun', { params: { id } }).catch(() => {});
  };
  const restart = () => {
    talk.current++;
    conversation.current = undefined;
    setTurns([]);
  };
  return { turns, isRunning, ask, stop, restart };
}
