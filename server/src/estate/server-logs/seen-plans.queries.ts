// Plans of statements, in the datastore: a row for each shape of a statement's plan. Guards: of what a collector read, only the holder of the lease writes; how many
// shapes a statement keeps, and how many a server, is bounded.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { SeenPlan } from './log-rows.ts';

const MOST_OF_A_STATEMENT = 20;
const MOST_OF_A_SERVER = 5000;
const KEPT_DAYS = 90;

/** Whose plans they are; with `epoch` by the collector that holds the lease, without by whoever sends a log. */
export interface PlansOf {
  readonly connection_id: number;
  readonly epoch?: number | undefined;
}

/** Another plan of the statement was logged since this one was: what it takes is counted anew. */
const IS_BACK: Sql = sql`exists (
  select from matriarch.query_plans o
  where o.connection_id = p.connection_id and o.statement_key = p.statement_key and o.database_name = p.database_name
    and o.source = p.source and o.plan_hash <> p.plan_hash and o.last_logged > coalesce(p.last_logged, '-infinity')
)`;

/** The plan may have been kept with fewer of them, where it was cut elsewhere. */
const WORST_ESTIMATES: Sql = sql`array(
  select case when u.before is null or abs(u.now) > abs(u.before) then u.now else u.before end
  from unnest(p.misestimates, excluded.misestimates) with ordinality as u (before, now, n)
  order by u.n
)`;

const IS_SLOWER: Sql = sql`coalesce(excluded.example_ms, -1) > coalesce(p.example_ms, -1)`;

const addRows = (
  db: Db,
  { connection_id, epoch = undefined }: PlansOf,
  plans: readonly SeenPlan[],
): Promise<number> =>
  db.run(sql`/* plans.add */
    insert into matriarch.query_plans as p (
      connection_id, database_name, statement_key, plan_hash, source, outline, nodes, first_seen, last_seen, logged, planned,
      last_logged, total_ms, worst_ms, analyzed, buffered, total_rows, hit_blocks, read_blocks, temp_blocks, jit_ms, misestimates,
      since, since_logged, since_ms, example, example_at, example_ms
    )
    select
      ${connection_id}::int, r.database_name, r.statement_key, r.plan_hash, r.source, r.outline, r.nodes, to_timestamp(r.first_seen / 1000),
      to_timestamp(r.last_seen / 1000), r.logged, r.planned, case when r.logged > 0 then to_timestamp(r.last_seen / 1000) end,
      r.total_ms, r.worst_ms, r.analyzed, r.buffered, r.total_rows, r.hit_blocks, r.read_blocks, r.temp_blocks, r.jit_ms,
      r.misestimates, case when r.logged > 0 then to_timestamp(r.first_seen / 1000) end, r.logged, r.total_ms, r.example,
      to_timestamp(r.example_at / 1000), r.example_ms
    from jsonb_to_recordset(${JSON.stringify(plans)}::jsonb) as r (
      database_name text, statement_key text, plan_hash text, source text, outline text, nodes int, first_seen float8, last_seen float8,
      logged bigint, planned bigint, total_ms float8, worst_ms float8, analyzed bigint, buffered bigint, total_rows float8, hit_blocks float8,
      read_blocks float8, temp_blocks float8, jit_ms float8, misestimates real[], example text, example_at float8,
      example_ms float8
    )
    where ${epoch === undefined}::boolean
      or exists (
        select from matriarch.connection_leases l
        where l.connection_id = ${connection_id}::int and l.epoch = ${epoch ?? null}::int
      )
    on conflict on constraint query_plans_shape_once do update
    set
      first_seen = least(p.first_seen, excluded.first_seen),
      last_seen = greatest(p.last_seen, excluded.last_seen),
      logged = p.logged + excluded.logged,
      planned = p.planned + excluded.planned,
      last_logged = greatest(p.last_logged, excluded.last_logged),
      total_ms = p.total_ms + excluded.total_ms,
      worst_ms = greatest(p.worst_ms, excluded.worst_ms),
      analyzed = p.analyzed + excluded.analyzed,
      buffered = p.buffered + excluded.buffered,
      total_rows = p.total_rows + excluded.total_rows,
      hit_blocks = p.hit_blocks + excluded.hit_blocks,
      read_blocks = p.read_blocks + excluded.read_blocks,
      temp_blocks = p.temp_blocks + excluded.temp_blocks,
      jit_ms = p.jit_ms + excluded.jit_ms,
      misestimates = ${WORST_ESTIMATES},
      since = case when excluded.since is null then p.since when ${IS_BACK} then excluded.since else coalesce(p.since, excluded.since) end,
      since_logged = case
        when excluded.since is not null and ${IS_BACK} then excluded.since_logged
        else p.since_logged + excluded.since_logged
      end,
      since_ms = case
        when excluded.since is not null and ${IS_BACK} then excluded.since_ms
        else p.since_ms + excluded.since_ms
      end,
      example = case when ${IS_SLOWER} then excluded.example else p.example end,
      example_at = case when ${IS_SLOWER} then excluded.example_at else p.example_at end,
      example_ms = case when ${IS_SLOWER} then excluded.example_ms else p.example_ms end`);

const trim = (db: Db, { connection_id }: PlansOf, keys: readonly string[]): Promise<number> =>
  db.run(sql`/* plans.trim */
    delete from matriarch.query_plans d
    where d.id in (
      select p.id
      from (
        select p.id, row_number() over (partition by p.database_name, p.statement_key, p.source order by p.last_seen desc, p.id desc) as n
        from matriarch.query_plans p
        where p.connection_id = ${connection_id} and p.statement_key = any(${keys}::text[])
      ) p
      where p.n > ${MOST_OF_A_STATEMENT}
    )`);

/** Adds what was seen to what is kept. */
export async function addPlans(db: Db, of: PlansOf, plans: readonly SeenPlan[]): Promise<void> {
  if (plans.length === 0) return;
  await addRows(db, of, plans);
  await trim(db, of, [...new Set(plans.map(({ statement_key }) => statement_key))]);
}

/** Deletes what was not seen for long, what is one too many, and what belongs to deleted connections. Answers how many rows. */
export const forgetPlans = (db: Db): Promise<number> =>
  db.run(sql`/* plans.forget */
    with counters as (
      delete from matriarch.plan_counters p
      where p.connection_id in (select c.id from matriarch.connections c where c.deleted_at is not null)
    )
    delete from matriarch.query_plans d
    where d.id in (
      select p.id
      from (
        select p.id, p.connection_id, p.last_seen,
          row_number() over (partition by p.connection_id order by p.last_seen desc, p.id desc) as n
        from matriarch.query_plans p
      ) p
      where p.n > ${MOST_OF_A_SERVER} or p.last_seen < now() - make_interval(days => ${KEPT_DAYS}::int)
        or p.connection_id in (select c.id from matriarch.connections c where c.deleted_at is not null)
    )`);
