// Samples of one inquiry together with parts of other tables, in two statements: what there is, then all of it. For whoever shows
// much of many servers at once; of active sessions their hours and newest minutes, from rollups, are such parts. Guards: the parts see the same snapshot of the datastore as the samples.
import type { Db } from '../../kernel/db.ts';
import { identifier, type Sql, sql } from '../../kernel/sql.ts';
import { probe as sessions } from '../../probes/pg-active-sessions.ts';
import type { Probe } from '../../probes/types.ts';
import type { Intervals } from '../layout/intervals.ts';
import { layoutOf } from '../layout/table-layout.ts';
import { rollupName, TIERS, type Tier } from '../layout/tiers.ts';
import { type Inquiry, plansFor, prepare, type Reading } from './measure-reads.ts';
import { type PlanRow, readPlans } from './plan.queries.ts';
import { intervalsOf } from './plan.ts';
import { type More, type StoredRow, storedRows } from './stored.queries.ts';
import { takenApart } from './stored.ts';

/** What was found before the samples are read. */
export interface FoundBefore {
  intervalsOf(probe: Probe): Intervals;
  /** Until when a tier is filled, in milliseconds since the epoch; null: not at all. */
  filledUntil(probe: Probe, tier: string): number | null;
  /** The table that was asked about. */
  isThere: boolean;
}

export interface BesideQuery {
  inquiry: Inquiry;
  connection_ids: readonly number[];
  /** Whose tiers and intervals are wanted; and a table that some part reads. */
  probes: readonly Probe[];
  table: string;
  more(found: FoundBefore): readonly More[];
}

export interface Beside extends FoundBefore {
  reading: Reading[];
  /** The rows of the parts, in no order. */
  rows: StoredRow[];
}

export async function readBeside(db: Db, query: BesideQuery): Promise<Beside> {
  const { inquiry, connection_ids, probes, table } = query;
  const wanted = plansFor([inquiry]);
  const others = probes.map(({ name }) => ({ probe: name, table, connection_ids }));
  const plan = Map.groupBy(
    await db.rows<PlanRow>(readPlans([...wanted, ...others])),
    (row) => row.plan - wanted.length,
  );
  const rowsOf = (probe: Probe) => plan.get(probes.indexOf(probe)) ?? [];
  const found: FoundBefore = {
    intervalsOf: (probe) => intervalsOf(rowsOf(probe), probe.name),
    filledUntil: (probe, tier) =>
      rowsOf(probe).find(({ part, name }) => part === 'tier' && name === tier)?.at ?? null,
    isThere: probes.some((probe) => rowsOf(probe).some(({ part }) => part === 'table')),
  };
  const { reads, readings } = prepare([inquiry], plan.get(-wanted.length) ?? []);
  const all = await db.rows<StoredRow>(storedRows(reads, query.more(found)));
  // What is asked beside so much is short: it is never read as sums of days.
  const [reading = []] = await readings((await takenApart(reads, all)) ?? []);
  return { ...found, reading, rows: all.filter(({ part }) => part === 'more') };
}

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

export interface SessionsQuery {
  connection_ids: readonly number[];
  /** Milliseconds since the epoch, inclusive. */
  from: number;
}

/** 'hours', begins, covered seconds, sessions × seconds: three arrays. */
export const hoursOfSessions = ({ connection_ids, from }: SessionsQuery): More => ({
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
export const newestSessions = ({ connection_ids, from }: SessionsQuery): More => ({
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
