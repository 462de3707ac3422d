// Events of the log of a server by the user and by the application that they name. Guards: the answer says of which time it is, which is none before
// they were counted.
import { windowOf } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { iso } from '../../kernel/times.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { firstNamed, type NameSum, topNames } from './log-names.queries.ts';
import type * as contract from './server-logs.contract.ts';
import { getConnectionLogCounts } from './server-logs.service.ts';

type Counts = Output<typeof contract.getConnectionLogCounts>;
type Query = Input<typeof contract.getConnectionLogCounts>['query'];

const SLOT_MS = 10 * MINUTE_MS;

/** Of whole slots. */
async function namesOf(ctx: Ctx, connection_id: number, query: Query): Promise<Counts['names']> {
  const first = await firstNamed(ctx.db, connection_id);
  if (first === null) return null;
  const now = ctx.clock.now();
  const { from, to } = windowOf(query, { now, fallback: '24h' });
  const start = Math.max(Math.floor(from / SLOT_MS) * SLOT_MS, Date.parse(first));
  if (start >= to) return null;
  const end = Math.ceil(to / SLOT_MS) * SLOT_MS;
  const sums = await topNames(ctx.db, connection_id, { from: start, to: end });
  const of = (kind: NameSum['kind']) => sums.flatMap(({ kind: own, ...sum }) => (own === kind ? [sum] : []));
  return {
    start_time: iso(start),
    end_time: iso(Math.min(end, Math.max(to, now))),
    users: of('user'),
    applications: of('application'),
  };
}

/** The caller has checked access to the connection. */
export async function getNamedLogCounts(ctx: Ctx, connection_id: number, query: Query): Promise<Counts> {
  const [counts, names] = await Promise.all([
    getConnectionLogCounts(ctx, connection_id, query),
    query.database_name === undefined ? namesOf(ctx, connection_id, query) : null,
  ]);
  return { ...counts, names };
}
