// What a reader of active sessions asks beside the samples: how far rollups are filled and which processors the machine
// has, and the names by which combinations of sessions are put together, with the largest of them. Of many servers the
// hours and the newest minutes, from rollups, as parts of a statement that reads samples as well (beside.ts).
import { identifier, type Sql, sql } from '../../kernel/sql.ts';
import { probe as sessions } from '../../probes/pg-active-sessions.ts';
import { layoutOf } from '../layout/table-layout.ts';
import { rollupName, TIERS, type Tier } from '../layout/tiers.ts';
import type { Row } from '../layout/types.ts';
import { IS_REST, NAMES, type Split } from '../rollup/active-sessions.queries.ts';
import { type PlanRow, readPlans } from './plan.queries.ts';
import type { More } from './stored.queries.ts';

/** `run`: the newest one of a probe about the machine; `key` holds what it said, or why it did not. */
export interface LoadPlanRow extends Omit<PlanRow, 'part' | 'key'> {
  part: PlanRow['part'] | 'run';
  key: { rows?: readonly Row[] | null; reason?: string | null } | null;
}

export const readLoadPlan = (of: { probe: string; table: string; connection_id: number }): Sql => sql`
  /* store.load_plan */
  ${readPlans([{ probe: of.probe, table: of.table, connection_ids: [of.connection_id] }])}
  union all
  select
    0, 'run', s.probe, null, null, null, (extract(epoch from s.collected_at) * 1000)::double precision, null, null,
    null, json_build_object('rows', s.rows, 'reason', s.reason)
  from metrics.current_snapshots s
  where s.connection_id = ${of.connection_id}
    and s.probe in ('host', 'pg_sys_cpu_info')
    and s.database_name = ''`;

export interface MemberRow {
  /** Rank among those that are told apart; null: one of the rest. */
  place: number | null;
  /** Null: sessions without one; of the rest always. */
  name: string | null;
  /** Of statements. */
  database_name: string | null;
  query_text: string | null;
  /** Combinations of sessions that are of it; `{}`: only rollups know of it. */
  ids: string;
}

export interface MembersWanted {
  connection_id: number;
  split: Split;
  /** Combinations, and how much of the load each is. */
  ids: readonly number[];
  weights: readonly number[];
  /** Those that rollups tell apart, and how much of the load each is. */
  rolled: readonly { name: string | null; database_name: string | null; weight: number }[];
  /** How many are told apart. */
  most: number;
}

/** Four bytes each at most, so that no text is longer than 64 KiB. */
const LONGEST_CHARACTERS = 16 * 1024;

/** Those that are not active are left out; sums of small combinations have a class of wait and nothing else. */
export const sessionMembers = ({
  connection_id,
  split,
  ids,
  weights,
  rolled,
  most,
}: MembersWanted): Sql => sql`
  /* store.session_members */
  with part as (
    select
      ${NAMES[split]} as name,
      ${split === 'statement' ? NAMES.database : sql`null::text`} as database_name,
      ${split === 'wait_class' ? sql`false` : IS_REST} as is_rest,
      w.weight,
      o.object_id
    from unnest(${ids}::integer[], ${weights}::double precision[]) as w (object_id, weight)
    join metrics.objects o on o.connection_id = ${connection_id} and o.object_id = w.object_id
    where o.kind = 'pg_active_sessions' and o.key ->> 'state' = 'active'
    union all
    select r.name, r.database_name, false, r.weight, null
    from unnest(
      ${rolled.map(({ name }) => name)}::text[],
      ${rolled.map(({ database_name }) => database_name)}::text[],
      ${rolled.map(({ weight }) => weight)}::double precision[]
    ) as r (name, database_name, weight)
  ), member as (
    select
      p.name,
      p.database_name,
      p.is_rest,
      sum(p.weight) as weight,
      coalesce(array_agg(p.object_id) filter (where p.object_id is not null), '{}') as ids
    from part p
    group by 1, 2, 3
  ), ranked as (
    select
      m.*,
      row_number() over (order by m.is_rest, m.weight desc, m.name, m.database_name)::integer as place
    from member m
  ), told as (
    select r.*, not r.is_rest and r.place <= ${most} as is_told
    from ranked r
  )
  select
    case when t.is_told then t.place end as place,
    case when t.is_told then t.name end as name,
    case when t.is_told then t.database_name end as database_name,
    t.ids::text as ids,
    ${
      split === 'statement'
        ? sql`case when t.is_told then (
            select left(q.query_text, ${LONGEST_CHARACTERS})
            from metrics.queries q
            where q.connection_id = ${connection_id}
              and q.database_name = t.database_name
              and q.queryid = t.name::bigint
            order by q.toplevel desc, q.last_seen desc
            limit 1
          ) end`
        : sql`null::text`
    } as query_text
  from told t
  order by t.place`;

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
