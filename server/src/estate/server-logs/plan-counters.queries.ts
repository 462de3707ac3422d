// What an extension had counted of each plan when it was read last. Guards: only the holder of the lease writes; a reading that began before
// another was kept changes nothing.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { SeenPlan } from './log-rows.ts';
import type { PlanSource } from './plan-sources.schemas.ts';

/** A plan of a statement as it is kept. */
export interface PlanShape {
  readonly database_name: string;
  readonly statement_key: string;
  /** Empty: the text could not be read. */
  readonly plan_hash: string;
}

export type ShapeKept = PlanShape & Pick<SeenPlan, 'outline' | 'nodes'>;

export interface PlanCounter {
  readonly key: string;
  /** Since when it counts, as the server says; null: it does not. */
  readonly since: string | null;
  readonly calls: number;
  readonly ms: number;
  /** Rows, blocks found, read and of temporary files; null: not counted. */
  readonly rest: readonly number[] | null;
  /** Null: its text was not read yet. What it counts from here on is added when it is. */
  readonly shape: PlanShape | null;
}

export interface KeptCounters {
  readonly reading: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly server_instance: string | null;
  readonly is_whole: boolean;
  readonly items: readonly PlanCounter[];
}

export interface CountersOf {
  readonly connection_id: number;
  readonly epoch: number;
  readonly source: PlanSource;
}

export const keptCounters = (db: Db, { connection_id, source }: CountersOf) =>
  db.maybe<KeptCounters>(sql`/* plans.counters */
    select c.reading, extract(epoch from c.read_at)::float8 * 1000 as at, c.server_instance, c.is_whole, c.items
    from matriarch.plan_counters c
    where c.connection_id = ${connection_id} and c.source = ${source}`);

/** Of these plans of statements, those that are kept. */
export const shapesKept = (
  db: Db,
  { connection_id, source }: CountersOf,
  shapes: readonly PlanShape[],
): Promise<ShapeKept[]> =>
  db.rows<ShapeKept>(sql`/* plans.shapes */
    select p.database_name, p.statement_key, p.plan_hash, p.outline, p.nodes
    from matriarch.query_plans p
    where p.connection_id = ${connection_id} and p.source = ${source}
      and p.statement_key = any(${[...new Set(shapes.map(({ statement_key }) => statement_key))]}::text[])`);

/** `reading` is the one that comes next. Answers 0 where another was kept meanwhile, or the lease has gone. */
export const keepCounters = (
  db: Db,
  { connection_id, epoch, source }: CountersOf,
  { reading, at, server_instance, is_whole, items }: KeptCounters,
): Promise<number> =>
  db.run(sql`/* plans.keep_counters */
    insert into matriarch.plan_counters as c (connection_id, source, reading, read_at, server_instance, is_whole, items)
    select ${connection_id}::int, ${source}::text, ${reading}::bigint, to_timestamp(${at}::float8 / 1000), ${server_instance}::text,
      ${is_whole}::boolean, ${JSON.stringify(items)}::jsonb
    from matriarch.connection_leases l
    where l.connection_id = ${connection_id}::int and l.epoch = ${epoch}::int
    on conflict on constraint plan_counters_pkey do update
    set reading = excluded.reading, read_at = excluded.read_at, server_instance = excluded.server_instance,
      is_whole = excluded.is_whole, items = excluded.items
    where c.reading = excluded.reading - 1`);
