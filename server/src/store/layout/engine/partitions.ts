// Declarative partitions by range of collected_at, one a day or month, as plain PostgreSQL has them and Citus spreads
// them. Guards: a partition is made beside the table and then attached, and locks are waited for only briefly, so that
// collecting and reading go on meanwhile; nothing is ever detached concurrently, which Citus refuses.
import type { Database, Db } from '../../../kernel/db.ts';
import { identifier, join, type Sql, sql } from '../../../kernel/sql.ts';
import { LOCK_TIMEOUT, rowOptions } from './ddl.ts';
import { dropEmpty } from './locks.ts';
import { boundsOf, type Partition, type PartitionSize } from './types.ts';

export const BY_TIME = sql`partition by range (collected_at)`;

const stamp = (day: number) => new Date(day).toISOString().slice(0, 10).replaceAll('-', '');
const partitionName = (table: string, day: number) => `${table}_d${stamp(day)}`;

interface PartitionRow {
  table: string;
  name: string;
  stamp: string;
}

const listed = (tables: readonly string[]) => sql`
  from pg_catalog.pg_inherits i
  join pg_catalog.pg_class p on p.oid = i.inhparent
  join pg_catalog.pg_class c on c.oid = i.inhrelid
  join pg_catalog.pg_namespace n on n.oid = p.relnamespace
  where n.nspname = 'metrics'
    and p.relname = any (${tables}::text[])
    and c.relname ~ '_d[0-9]{8}$'
  order by p.relname, c.relname`;

function read({ table, name, stamp: text }: PartitionRow): Partition {
  const day = Date.parse(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}T00:00:00Z`);
  return { table, schema: 'metrics', name, day, until: boundsOf(table, day).to };
}

export async function partitions(db: Db, tables: readonly string[]): Promise<Partition[]> {
  const rows = await db.rows<PartitionRow>(sql`
    /* store.partitions */
    select p.relname as table, c.relname as name, right(c.relname, 8) as stamp ${listed(tables)}`);
  return rows.map(read);
}

/** Of the partition whose catalog row is `c`. */
export interface SizeColumns {
  /** With indexes and out-of-line values. */
  size: Sql;
  /** Of its rows alone. */
  rows: Sql;
}

type SizeRow = PartitionRow & { size_bytes: number; rows: number | null; is_empty: boolean };

export async function sizesBy(
  db: Db,
  tables: readonly string[],
  measured: SizeColumns,
): Promise<PartitionSize[]> {
  const rows = await db.rows<SizeRow>(sql`
    /* store.partition_sizes */
    select
      p.relname as table,
      c.relname as name,
      right(c.relname, 8) as stamp,
      ${measured.size} as size_bytes,
      ${measured.rows} = 0 as is_empty,
      case when c.reltuples >= 0 then c.reltuples::bigint end as rows
    ${listed(tables)}`);
  return rows.map((row) => {
    const { size_bytes, rows: count, is_empty } = row;
    return { ...read(row), size_bytes, rows: count, is_empty };
  });
}

/**
 * Rows are never looked for by their figures. A day that fills is analyzed again and again, and to analyze arrays of figures
 * takes longer than to store them. How many objects a row tells of stays known: plans go by it.
 */
async function leaveFiguresOut(db: Db, name: string): Promise<void> {
  const arrays = await db.rows<{ name: string }>(sql`/* store.figures */
    select a.attname as name
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_type t on t.oid = a.atttypid and t.typcategory = 'A'
    where a.attrelid = to_regclass(format('metrics.%I', ${name}::text))
      and a.attnum > 0 and not a.attisdropped and a.attname <> 'object_ids'
    order by a.attnum`);
  if (arrays.length === 0) return;
  const settings = arrays.map((column) => sql`alter column ${identifier(column.name)} set statistics 0`);
  await db.run(sql`/* store.leave_figures_out */
    alter table metrics.${identifier(name)} ${join(settings, sql`, `)}`);
}

export async function makePartition(db: Db, table: string, day: number): Promise<void> {
  const { from, to } = boundsOf(table, day);
  const name = partitionName(table, from);
  const bound = (ms: number) => literalOfTime(ms);
  await db.transaction(async (inner) => {
    await inner.run(LOCK_TIMEOUT);
    await inner.run(
      sql`/* store.partition_lock */ select pg_advisory_xact_lock(hashtextextended(${name}, 7264907))`,
    );
    const known = await partitions(inner, [table]);
    if (known.some((one) => one.day === from)) return;
    // What a crash left behind unattached is empty: rows only ever come through the parent.
    await inner.run(sql`
      /* store.make_partition */
      create table if not exists metrics.${identifier(name)} (
        like metrics.${identifier(table)} including defaults including indexes including storage including compression
      ) with (${rowOptions(table)})`);
    await leaveFiguresOut(inner, name);
    await inner.run(sql`
      /* store.attach_partition */
      alter table metrics.${identifier(table)}
      attach partition metrics.${identifier(name)} for values from (${bound(from)}) to (${bound(to)})`);
  });
}

/** A moment as text of the statement, since bounds of partitions take no parameters. */
function literalOfTime(ms: number): Sql {
  const text = `${new Date(ms).toISOString().slice(0, 10)} 00:00:00+00`;
  return sql(Object.assign([`'${text}'`], { raw: [`'${text}'`] }));
}

export async function dropPartition(db: Db, { name }: Partition): Promise<void> {
  await db.transaction(async (inner) => {
    await inner.run(LOCK_TIMEOUT);
    await inner.run(sql`/* store.drop_partition */ drop table if exists metrics.${identifier(name)}`);
  });
}

export const dropIfEmpty = (db: Database, partition: Partition): Promise<boolean> =>
  dropEmpty(db, partition, dropPartition);

export const deleteConnections = (
  db: Db,
  { name }: Partition,
  connectionIds: readonly number[],
): Promise<number> =>
  db.run(sql`
    /* store.delete_connections */
    delete from metrics.${identifier(name)} t
    where t.connection_id = any (${connectionIds}::integer[])`);

/** As time is cut where the engine brings nothing of its own. */
export const bucket = (width: 'hour' | 'day', at: Sql): Sql =>
  width === 'hour' ? sql`date_trunc('hour', ${at}, 'UTC')` : sql`date_trunc('day', ${at}, 'UTC')`;
