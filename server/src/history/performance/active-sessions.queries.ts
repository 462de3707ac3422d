// What a reader of active sessions asks beside the samples: how far rollups are filled and which processors the machine
// has, and the names by which combinations of sessions are put together, with the largest of them.
import { type Sql, sql } from '../../kernel/sql.ts';
import type { Row } from '../../store/layout/types.ts';
import { IS_REST, NAMES, type PlanRow, readPlans, type Split } from '../../store/read/doors/readings.ts';
import { knownObjects, knownStatements, newestRuns } from '../../store/read/doors/relations.ts';

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
  from ${newestRuns} s
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

export interface MembersQuery {
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
}: MembersQuery): Sql => sql`
  /* store.session_members */
  with part as (
    select
      ${NAMES[split]} as name,
      ${split === 'statement' ? NAMES.database : sql`null::text`} as database_name,
      ${split === 'wait_class' ? sql`false` : IS_REST} as is_rest,
      w.weight,
      o.object_id
    from unnest(${ids}::integer[], ${weights}::double precision[]) as w (object_id, weight)
    join ${knownObjects} o on o.connection_id = ${connection_id} and o.object_id = w.object_id
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
            from ${knownStatements} q
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
