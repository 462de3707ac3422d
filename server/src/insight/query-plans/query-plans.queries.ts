// Plans that are kept of statements. Guards: what is read is bounded, and always of one connection.

import type { KeptRegression } from '../../alerting/alerting.ts';
import type { PlanSource } from '../../estate/estate.ts';
import { type SeenRow, statementSeen } from '../../history/history.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';

export interface PlanRow {
  id: string;
  database_name: string;
  statement_key: string;
  plan_hash: string;
  source: PlanSource;
  outline: string;
  nodes: number;
  first_seen: string;
  last_seen: string;
  logged: number;
  planned: number;
  last_logged: string | null;
  total_ms: number;
  worst_ms: number | null;
  analyzed: number;
  buffered: number;
  total_rows: number;
  hit_blocks: number;
  read_blocks: number;
  temp_blocks: number;
  jit_ms: number;
  misestimates: number[];
  since: string | null;
  since_logged: number;
  since_ms: number;
  has_example: boolean;
}

export interface ExampleRow extends PlanRow {
  example: string | null;
  example_at: string;
  example_ms: number | null;
}

const MOST = 40;

const COLUMNS: Sql = sql`
  p.id::text as id, p.database_name, p.statement_key, p.plan_hash, p.source, p.outline, p.nodes, p.first_seen, p.last_seen, p.logged,
  p.planned, p.last_logged, p.total_ms, p.worst_ms, p.analyzed, p.buffered, p.total_rows, p.hit_blocks, p.read_blocks, p.temp_blocks,
  p.jit_ms, p.misestimates, p.since, p.since_logged, p.since_ms, p.example is not null as has_example`;

export const plansOfStatement = (
  db: Db,
  connection_id: number,
  keys: readonly string[],
): Promise<PlanRow[]> =>
  db.rows<PlanRow>(sql`/* query_plans.list */
    select ${COLUMNS}
    from matriarch.query_plans p
    where p.connection_id = ${connection_id} and p.statement_key = any(${keys}::text[])
    order by p.last_seen desc, p.id desc
    limit ${MOST}`);

export interface RecentRow
  extends Pick<
    PlanRow,
    | 'id'
    | 'database_name'
    | 'statement_key'
    | 'plan_hash'
    | 'source'
    | 'outline'
    | 'logged'
    | 'total_ms'
    | 'since'
    | 'since_logged'
    | 'since_ms'
  > {
  connection_id: number;
  last_logged: string;
}

const MOST_RECENT = 2000;

/** Plans of statements that have had several, of which one was logged in the last two days; of each server a bounded part. */
export const recentPlans = (db: Db, connection_ids: readonly number[]): Promise<RecentRow[]> =>
  db.rows<RecentRow>(sql`/* query_plans.recent */
    select r.*
    from unnest(${connection_ids}::int[]) as c (id)
    cross join lateral (
      select p.connection_id, p.id::text as id, p.database_name, p.statement_key, p.plan_hash, p.source, p.outline, p.logged,
        p.last_logged, p.total_ms, p.since, p.since_logged, p.since_ms
      from (
        select p.*, count(*) over w as shapes, max(p.last_logged) over w as newest
        from matriarch.query_plans p
        where p.connection_id = c.id and p.last_logged is not null
        window w as (partition by p.database_name, p.statement_key, p.source)
      ) p
      where p.shapes > 1 and p.newest > now() - interval '2 days'
      order by p.newest desc, p.id
      limit ${MOST_RECENT}
    ) r`);

/** Monitored servers whose log had plans lately, or of which something is kept, and whose plans were compared too long ago. */
export const duePlans = async (
  db: Db,
  every: { seconds: number; most: number },
  without: readonly number[] = [],
): Promise<number[]> => {
  const rows = await db.rows<{ connection_id: number }>(sql`/* query_plans.due */
    select c.id as connection_id
    from matriarch.connections c
    left join matriarch.plan_regressions r on r.connection_id = c.id
    where c.deleted_at is null and c.is_monitored and c.id <> all (${without}::int[])
      and (r.made_at is null or r.made_at < now() - make_interval(secs => ${every.seconds}::int))
      and (
        r.items <> '[]'::jsonb
        or exists (
          select from matriarch.query_plans p
          where p.connection_id = c.id and p.last_logged > now() - interval '2 days'
        )
      )
    order by r.made_at nulls first, c.id
    limit ${every.most}::int`);
  return rows.map(({ connection_id }) => connection_id);
};

export const savePlanRegressions = (
  db: Db,
  kept: readonly { connection_id: number; items: readonly KeptRegression[] }[],
): Promise<number> =>
  db.run(sql`/* query_plans.save_regressions */
    insert into matriarch.plan_regressions as r (connection_id, made_at, items)
    select k.connection_id, now(), k.items
    from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) as k (connection_id int, items jsonb)
    join matriarch.connections c on c.id = k.connection_id and c.deleted_at is null
    on conflict (connection_id) do update set made_at = excluded.made_at, items = excluded.items`);

export const plansById = (db: Db, connection_id: number, ids: readonly string[]): Promise<ExampleRow[]> =>
  db.rows<ExampleRow>(sql`/* query_plans.by_id */
    select ${COLUMNS}, p.example, p.example_at, p.example_ms
    from matriarch.query_plans p
    where p.connection_id = ${connection_id} and p.id = any(${ids}::bigint[])`);

/** The text that pg_stat_statements has of a statement, by which plans without a queryid are found. */
export async function textOf(db: Db, connection_id: number, queryid: string): Promise<string | null> {
  const [first] = await db.rows<SeenRow>(statementSeen(connection_id, queryid));
  return first?.query_text ?? null;
}

/** Whether any plan was ever read in the log of the server, whether its log is read, and the extension that counts its plans. */
export const loggingState = (db: Db, connection_id: number) =>
  db.one<{
    has_logged: boolean;
    is_read: boolean;
    counted_by: string | null;
  }>(sql`/* query_plans.logging_state */
    select
      exists (select from matriarch.query_plans p where p.connection_id = ${connection_id} and p.logged > 0 and p.source = 'log') as has_logged,
      (
        select max(c.source) from matriarch.plan_counters c
        where c.connection_id = ${connection_id} and c.read_at > now() - interval '1 day'
      ) as counted_by,
      exists (
        select from matriarch.log_sources s where s.connection_id = ${connection_id} and s.format is not null
      ) as is_read`);
