// How statements were planned, from one evaluation of a server to the next.

import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { KeptPlan } from '../checks/kept-plan.ts';

/** Of a statement that is among the costly ones no more. */
const KEPT_DAYS = 60;

export interface PlanRow {
  connection_id: number;
  database_name: string;
  queryid: string;
  shape: string;
  /** Milliseconds since the epoch, as every time here. */
  seen_at: number;
  calls: number;
  time_ms: number;
  all_ms: number;
  previous_shape: string | null;
  previous_mean_ms: number | null;
  previous_calls: number | null;
  changed_at: number | null;
  base_calls: number | null;
  base_time_ms: number | null;
  base_all_ms: number | null;
}

export const keptPlanRows = (db: Db, connection_ids: readonly number[]): Promise<PlanRow[]> =>
  db.rows<PlanRow>(sql`/* findings.plans */
    select
      p.connection_id, p.database_name, p.queryid, p.shape, p.calls, p.time_ms, p.all_ms, p.previous_shape,
      p.previous_mean_ms, p.previous_calls, p.base_calls, p.base_time_ms, p.base_all_ms,
      (extract(epoch from p.seen_at) * 1000)::double precision as seen_at,
      (extract(epoch from p.changed_at) * 1000)::double precision as changed_at
    from matriarch.statement_plans p
    where p.connection_id = any (${connection_ids}::int[])`);

export interface SeenPlan {
  connection_id: number;
  plan: KeptPlan;
}

const rowOf = ({ connection_id, plan }: SeenPlan): PlanRow => {
  const { database_name, queryid, shape, seen_at, calls, time_ms, all_ms, before } = plan;
  return {
    ...{ connection_id, database_name, queryid, shape, seen_at, calls, time_ms, all_ms },
    previous_shape: before?.shape ?? null,
    previous_mean_ms: before?.mean_ms ?? null,
    previous_calls: before?.calls ?? null,
    changed_at: before?.changed_at ?? null,
    base_calls: before?.base.calls ?? null,
    base_time_ms: before?.base.time_ms ?? null,
    base_all_ms: before?.base.all_ms ?? null,
  };
};

/** What was not seen for long is forgotten with the same statement. */
export const savePlans = (db: Db, seen: readonly SeenPlan[]): Promise<number> =>
  db.run(sql`/* findings.save_plans */
    with made as (
      select w.*
      from jsonb_to_recordset(${JSON.stringify(seen.map(rowOf))}::jsonb) as w (
        connection_id int, database_name text, queryid text, shape text, seen_at double precision, calls double precision,
        time_ms double precision, all_ms double precision, previous_shape text, previous_mean_ms double precision,
        previous_calls double precision, changed_at double precision, base_calls double precision,
        base_time_ms double precision, base_all_ms double precision
      )
      join matriarch.connections c on c.id = w.connection_id and c.deleted_at is null
    ), forgotten as (
      delete from matriarch.statement_plans o
      where o.connection_id in (select m.connection_id from made m)
        and o.seen_at < now() - make_interval(days => ${KEPT_DAYS}::int)
    )
    insert into matriarch.statement_plans as p (
      connection_id, database_name, queryid, shape, seen_at, calls, time_ms, all_ms, previous_shape, previous_mean_ms,
      previous_calls, changed_at, base_calls, base_time_ms, base_all_ms
    )
    select
      m.connection_id, m.database_name, m.queryid, m.shape, to_timestamp(m.seen_at / 1000), m.calls, m.time_ms, m.all_ms,
      m.previous_shape, m.previous_mean_ms, m.previous_calls, to_timestamp(m.changed_at / 1000), m.base_calls,
      m.base_time_ms, m.base_all_ms
    from made m
    on conflict on constraint statement_plans_pkey do update
    set
      shape = excluded.shape,
      seen_at = excluded.seen_at,
      calls = excluded.calls,
      time_ms = excluded.time_ms,
      all_ms = excluded.all_ms,
      previous_shape = excluded.previous_shape,
      previous_mean_ms = excluded.previous_mean_ms,
      previous_calls = excluded.previous_calls,
      changed_at = excluded.changed_at,
      base_calls = excluded.base_calls,
      base_time_ms = excluded.base_time_ms,
      base_all_ms = excluded.base_all_ms`);
