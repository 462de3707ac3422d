// The store on TimescaleDB: each table is a hypertable whose chunks come into being with their rows and go by
// drop_chunks. Guards: chunks are as long as our partitions (a day; thirty days of what is kept for long), and their
// bounds are read, never computed; what rows are stored with is set before a table becomes a hypertable, since chunks
// take it over. Its compression is not used: closed hours are packed by the store itself on every engine, and locks,
// column types and licences of compressed chunks would be one more set of rules.
import type { Db } from '../../../kernel/db.ts';
import { identifier, type Sql, sql, timeOf } from '../../../kernel/sql.ts';
import type { MetricTable } from '../table-layout.ts';
import { addColumns, createTable, LOCK_TIMEOUT, rowOptions } from './ddl.ts';
import { dropEmpty, shrink } from './locks.ts';
import { databaseSize, tableSizes } from './one-server.ts';
import { type Engine, isMonthly, type Partition, type PartitionSize } from './types.ts';

const tableOf = (name: string) => sql`${`metrics.${name}`}::text::regclass`;

const chunks = (tables: readonly string[]) => sql`
  from timescaledb_information.chunks h
  where h.hypertable_schema = 'metrics' and h.hypertable_name = any (${tables}::text[])
  order by h.hypertable_name, h.range_start`;

const columns = sql`
  h.hypertable_name as table,
  h.chunk_schema as schema,
  h.chunk_name as name,
  (extract(epoch from h.range_start) * 1000)::bigint as day,
  (extract(epoch from h.range_end) * 1000)::bigint as until`;

const partitions = (db: Db, tables: readonly string[]): Promise<Partition[]> =>
  db.rows<Partition>(sql`/* store.chunks */ select ${columns} ${chunks(tables)}`);

const sizes = (db: Db, tables: readonly string[]): Promise<PartitionSize[]> =>
  db.rows<PartitionSize>(sql`
    /* store.chunk_sizes */
    select
      k.*,
      pg_catalog.pg_total_relation_size(c.oid) as size_bytes,
      pg_catalog.pg_relation_size(c.oid) = 0 as is_empty,
      case when c.reltuples >= 0 then c.reltuples::bigint end as rows
    from (select ${columns} ${chunks(tables)}) k
    join pg_catalog.pg_namespace n on n.nspname = k.schema
    join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = k.name
    order by k.table, k.day`);

const deleteConnections = (
  db: Db,
  { table, day, until }: Partition,
  connectionIds: readonly number[],
): Promise<number> =>
  db.run(sql`
    /* store.delete_connections */
    delete from metrics.${identifier(table)} t
    where t.connection_id = any (${connectionIds}::integer[])
      and t.collected_at >= ${timeOf(day)}
      and t.collected_at < ${timeOf(until)}`);

/** `schema` is where the extension's functions are. */
export function timescaledb(schema: string): Engine {
  const of = (name: string): Sql => sql`${identifier(schema)}.${identifier(name)}`;

  async function create(db: Db, table: MetricTable): Promise<void> {
    const { name } = table;
    await createTable(db, table);
    await db.run(sql`
      /* store.row_options */
      alter table metrics.${identifier(name)} set (${rowOptions(name)})`);
    const length = isMonthly(name) ? '30 days' : '1 day';
    await db.run(sql`
      /* store.create_hypertable */
      select ${of('create_hypertable')}(
        ${tableOf(name)}, 'collected_at',
        chunk_time_interval => ${length}::interval, create_default_indexes => false
      )`);
  }

  async function dropPartition(db: Db, { table, day, until }: Partition): Promise<void> {
    await db.transaction(async (inner) => {
      await inner.run(LOCK_TIMEOUT);
      await inner.run(sql`
        /* store.drop_chunks */
        select ${of('drop_chunks')}(${tableOf(table)}, older_than => ${timeOf(until)}, newer_than => ${timeOf(day)})`);
    });
  }

  return {
    name: 'timescaledb',
    relkind: 'r',
    makesAhead: false,
    prepare: async () => undefined,
    createTable: create,
    addColumns,
    partitions,
    makePartition: async () => undefined,
    dropPartition,
    dropIfEmpty: (db, partition) => dropEmpty(db, partition, dropPartition),
    sizes,
    tableSizes,
    databaseSize,
    silent: async () => [],
    deleteConnections,
    shrink,
    bucket: (width, at) =>
      width === 'hour'
        ? sql`${of('time_bucket')}(interval '1 hour', ${at})`
        : sql`${of('time_bucket')}(interval '1 day', ${at})`,
  };
}
