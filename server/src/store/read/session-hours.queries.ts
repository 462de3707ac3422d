// How many sessions were active on many servers, by the hour and in the newest minutes, from rollups, as parts of a statement that
// reads samples as well (beside.ts). Guards: each part names its connections.
import { identifier, type Sql, sql } from '../../kernel/sql.ts';
import { probe as sessions } from '../../probes/pg-active-sessions.ts';
import { layoutOf } from '../layout/table-layout.ts';
import { rollupName, TIERS, type Tier } from '../layout/tiers.ts';
import type { More } from './stored.queries.ts';

const time = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;
const millis = (moment: Sql) => sql`(date_part('epoch', ${moment}) * 1000)::bigint::text`;
const among = (ids: readonly number[]) => sql`t.connection_id = any (${ids}::integer[])`;

function tableOf(name: Tier['name']): string {
  const layout = layoutOf(sessions);
  const tier = TIERS.find((one) => one.name === name);
  if (!layout || !tier) throw new Error('active sessions are rolled up');
  return rollupName(layout, tier);
}
/** Both are made together. */
export const HOURS = tableOf('h1');
const MINUTES = tableOf('m1');

/** Sessions × seconds of a span of a rollup by class. */
const SPENT = sql`cross join lateral (select coalesce(sum(u), 0) as spent from unnest(t.session_seconds) u) s`;

export interface SpansAsked {
  connection_ids: readonly number[];
  /** Milliseconds since the epoch, inclusive. */
  from: number;
}

/** 'hours', begins, covered seconds, sessions × seconds: three arrays. */
export const hoursOfSessions = ({ connection_ids, from }: SpansAsked): More => ({
  texts: [
    sql`'hours'`,
    sql`array_agg((date_part('epoch', t.collected_at) * 1000)::bigint)::text`,
    sql`array_agg(t.covered_seconds)::text`,
    sql`array_agg(s.spent)::text`,
  ],
  rest: sql`
    from metrics.${identifier(HOURS)} t
    ${SPENT}
    where ${among(connection_ids)} and t.collected_at >= ${time(from)}
    group by t.connection_id`,
});

/** 'load', begin of the newest span, and of the five newest minutes covered seconds and sessions × seconds. */
export const newestSessions = ({ connection_ids, from }: SpansAsked): More => ({
  texts: [
    sql`'load'`,
    millis(sql`max(t.collected_at)`),
    sql`sum(t.covered_seconds)::text`,
    sql`sum(s.spent)::text`,
  ],
  rest: sql`
    from (
      select n.*, max(n.collected_at) over (partition by n.connection_id) as newest
      from metrics.${identifier(MINUTES)} n
      where n.connection_id = any (${connection_ids}::integer[]) and n.collected_at >= ${time(from)}
    ) t
    ${SPENT}
    where t.collected_at > t.newest - interval '5 minutes'
    group by t.connection_id`,
});
