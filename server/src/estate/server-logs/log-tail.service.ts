// Follows the log of a server for a client. Guards: a client that comes again with the id of its last frame misses nothing and gets nothing
// twice; a frame is made when the one before was taken, so that a slow client slows what is read for it.
import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { lasting } from '../../kernel/leaving.ts';
import type { Events } from '../../kernel/sse.ts';
import type * as contract from './log-tail.contract.ts';
import { watchLogs } from './log-tail.queries.ts';
import type { Stored } from './new-events.queries.ts';
import { listNewLogEvents } from './new-events.service.ts';
import { logReading } from './server-logs.service.ts';

type Tail = Output<typeof contract.tailConnectionLogEvents>;
type TailQuery = Input<typeof contract.tailConnectionLogEvents>['query'];

const LOOK_MS = 1000;
/** The collectors go on looking often for three times as long. */
const WATCH_MS = 12_000;
const PLACE = /^(\d{1,15})-(\d{1,15})$/;

export function placeOf(id: string | undefined): Stored | undefined {
  const [, event_id, block_id] = PLACE.exec(id ?? '') ?? [];
  return event_id === undefined ? undefined : { event_id: Number(event_id), block_id: Number(block_id) };
}

export const frameId = ({ event_id, block_id }: Stored) => `${event_id}-${block_id}`;

interface Following {
  readonly connection_id: number;
  readonly query: TailQuery;
  readonly start: Stored;
}

async function* frames(ctx: Ctx, { connection_id, query, start }: Following): Events<Tail> {
  const { clock, db, signal } = ctx;
  let since = start;
  let sent = '';
  let watchedAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    if (clock.monotonic() - watchedAt >= WATCH_MS) {
      watchedAt = clock.monotonic();
      await watchLogs(lasting(db), connection_id);
    }
    const [{ events, left_out, stored }, reading] = await Promise.all([
      listNewLogEvents(ctx, connection_id, { query, since }),
      logReading(ctx, connection_id),
    ]);
    since = stored;
    const state = JSON.stringify(reading);
    const id = frameId(stored);
    if (events.length > 0 || left_out !== 0 || state !== sent)
      yield { id, event: 'log', data: { events: [...events], left_out, reading } };
    sent = state;
    await clock.sleep(LOOK_MS, signal);
  }
}

/** The caller has checked access to the connection, and the permission. */
export async function tailConnectionLogEvents(
  ctx: Ctx,
  connection_id: number,
  { query, last }: { query: TailQuery; last: string | undefined },
): Promise<Events<Tail>> {
  // What a browser sends when it comes again goes before what stood in the address at first.
  const known = placeOf(last) ?? placeOf(query.after);
  const start = known ?? (await listNewLogEvents(ctx, connection_id, { query, since: undefined })).stored;
  return frames(ctx, { connection_id, query, start });
}
