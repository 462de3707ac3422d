// A run whose process is gone: whoever notices first says so, and what it had said goes into the conversation.
import { type Ctx, inTransaction } from '../../identity/identity.ts';
import { type EventData, endRun, eventsAfter, insertEvents } from './chat-runs.queries.ts';
import { endTalk } from './run-conversation.ts';

export const INTERRUPTED = 'The server was stopped before the answer was whole. Ask again to go on.';
/** More than any run tells. */
export const MOST_STORED = 20_000;
/** Clients may have heard of events that were not stored any more when their process ended. */
const GAP = 10_000;

export const textIn = (events: readonly EventData[]): string =>
  events.map((one) => (one.type === 'text' ? one.delta : '')).join('');

/** All of it at once: whoever sees that it has ended also sees what it was ended with. */
export const endLost = (ctx: Ctx, id: string): Promise<void> => inTransaction(ctx, (own) => end(own, id));

async function end(ctx: Ctx, id: string): Promise<void> {
  const { db, clock } = ctx;
  const now = new Date(clock.now()).toISOString();
  const ended = await endRun(db, { id, state: 'interrupted', now, ifLost: true });
  if (!ended) return;
  const events = await eventsAfter(db, { id, after: 0, limit: MOST_STORED });
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const rest: EventData[] = [
    { type: 'error', error: INTERRUPTED, code: 'interrupted' },
    { type: 'done', stop_reason: 'interrupted', usage, took_ms: 0 },
  ];
  const next = (events.at(-1)?.sequence ?? 0) + GAP;
  await insertEvents(
    db,
    id,
    rest.map((data, index) => ({ sequence: next + index, data })),
  );
  const told = events.map(({ data }) => data);
  const said = { text: textIn(told), events: told, run_id: id, model: null, error: INTERRUPTED };
  await endTalk(ctx, ended.conversation_id, said);
}
