// Follows the logs of all servers for a client. Guards: which servers the caller sees is asked anew for each frame that has
// events; each event comes once, also where collectors that store at the same time commit in another order than their ids have.
import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import type { Events } from '../../kernel/sse.ts';
import type * as contract from './estate-log-tail.contract.ts';
import { seenSources } from './estate-logs.queries.ts';
import { frameId, placeOf } from './log-tail.service.ts';
import { lastStoredOfAll, type Stored } from './new-events.queries.ts';
import { eventsBetween, laterOf } from './new-events.service.ts';

type Tail = Output<typeof contract.tailEstateLogEvents>;
type TailQuery = Input<typeof contract.tailEstateLogEvents>['query'];

const LOOK_MS = 1000;
/** What was stored is sent so many looks later. */
const LOOKS_BEHIND = 3;

interface Look {
  readonly query: TailQuery;
  readonly since: Stored;
  readonly until: Stored;
}

async function seenBetween(ctx: Ctx, look: Look): Promise<Tail> {
  const isNews = frameId(look.since) !== frameId(look.until);
  if (!isNews) return { events: [], left_out: 0 };
  const seen = await seenSources(ctx.db, ctx.principal);
  const names = new Map(seen.map((row) => [row.connection_id, row.connection_name]));
  const { found, left_out } = await eventsBetween(ctx, [...names.keys()], look);
  const events = found.map(({ connection_id, event }) => ({
    connection_id,
    connection_name: names.get(connection_id) ?? '',
    event,
  }));
  return { events, left_out };
}

/** The route has checked the permission. */
export async function* tailEstateLogEvents(
  ctx: Ctx,
  { query, last }: { query: TailQuery; last: string | undefined },
): Events<Tail> {
  const { clock, db, signal } = ctx;
  let since = placeOf(last) ?? placeOf(query.after) ?? laterOf(undefined, await lastStoredOfAll(db));
  const looked: Stored[] = [];
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    looked.push(laterOf(since, await lastStoredOfAll(db)));
    const until = looked.length > LOOKS_BEHIND ? (looked.shift() ?? since) : since;
    const data = await seenBetween(ctx, { query, since, until });
    since = laterOf(since, until);
    if (isFirst || data.events.length > 0 || data.left_out !== 0)
      yield { id: frameId(since), event: 'log', data };
    await clock.sleep(LOOK_MS, signal);
  }
}
