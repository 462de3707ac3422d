// The store on PostgreSQL as it comes: tables partitioned by range of collected_at, one partition a day or month. The
// only file that knows how tables of samples are made, partitioned and dropped. Guards: a partition is made beside the
// table and then attached, and locks are waited for only briefly, so that collecting and reading go on meanwhile.
import { type Database, type Db, errorCode } from '../../kernel/db.ts';
import { identifier, join, type Sql, sql } from '../../kernel/sql.ts';
import { type MetricTable, ShapeProblem, type TableColumn } from '../shapes.ts';
import { boundsOf, type Engine, type Partition, type PartitionSize } from './types.ts';

const COMMA = sql`, `;

/** The types of the store's columns, as text of our own. */
const TYPES: Record<string, Sql> = {
  smallint: sql`smallint`,
  integer: sql`integer`,
  bigint: sql`bigint`,
  boolean: sql`boolean`,
  text: sql`text`,
  'double precision': sql`double precision`,
  'timestamp with time zone': sql`timestamptz`,
  jsonb: sql`jsonb`,
  bytea: sql`bytea`,
};

const isArray = (type: string) => type.endsWith('[]');

function typeOf({ name, type }: TableColumn): Sql {
  const known = TYPES[isArray(type) ? type.slice(0, -2) : type];
  if (!known) throw new ShapeProblem(`The column ${name} has no type that can be stored.`);
  return isArray(type) ? sql`${known}[]` : known;
}

const stamp = (day: number) => new Date(day).toISOString().slice(0, 10).replaceAll('-', '');
const partitionName = (table: string, day: number) => `${table}_d${stamp(day)}`;

const LOCK_TIMEOUT = sql`set local lock_timeout = '2s'`;

async function lz4(db: Db): Promise<boolean> {
  const { able } = await db.one<{ able: boolean }>(sql`
    /* store.lz4 */
    select exists (
      select
      from pg_catalog.pg_settings s
      where s.name = 'default_toast_compression' and 'lz4' = any (s.enumvals)
    ) as able`);
  return able;
}

async function pack(db: Db, table: string, columns: readonly TableColumn[]): Promise<void> {
  const arrays = columns.filter(({ type }) => isArray(type));
  if (arrays.length === 0) return;
  const compression = await lz4(db);
  const settings = arrays.flatMap(({ name }) => [
    sql`alter column ${identifier(name)} set storage main`,
    ...(compression ? [sql`alter column ${identifier(name)} set compression lz4`] : []),
  ]);
  await db.run(sql`/* store.pack_table */ alter table metrics.${identifier(table)} ${join(settings, COMMA)}`);
}

async function createTable(db: Db, { name, columns, key, packed }: MetricTable): Promise<void> {
  const lines = columns.map((column) =>
    column.notNull
      ? sql`${identifier(column.name)} ${typeOf(column)} not null`
      : sql`${identifier(column.name)} ${typeOf(column)}`,
  );
  await db.run(sql`
    /* store.create_table */
    create table if not exists metrics.${identifier(name)} (
      ${join(lines, COMMA)}, primary key (${join(key.map(identifier), COMMA)})
    ) partition by range (collected_at)`);
  if (packed) await pack(db, name, columns);
}

/**
 * In a table of ticks a null array means that nothing grew, so rows from before the column, and of collectors that do
 * not know it yet, get an empty one, which is "unknown". The server keeps it as missing value and rewrites nothing.
 */
async function addColumns(db: Db, table: MetricTable, columns: readonly TableColumn[]): Promise<void> {
  const name = identifier(table.name);
  await db.run(LOCK_TIMEOUT);
  const added = columns.map((column) => {
    const unknown = table.packed ? sql` default '{}'` : sql``;
    return sql`add column if not exists ${identifier(column.name)} ${typeOf(column)}${unknown}`;
  });
  await db.run(sql`/* store.add_columns */ alter table metrics.${name} ${join(added, COMMA)}`);
  if (table.packed) await pack(db, table.name, columns);
}

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
  return { table, name, day };
}

async function partitions(db: Db, tables: readonly string[]): Promise<Partition[]> {
  const rows = await db.rows<PartitionRow>(sql`
    /* store.partitions */
    select p.relname as table, c.relname as name, right(c.relname, 8) as stamp ${listed(tables)}`);
  return rows.map(read);
}

async function sizes(db: Db, tables: readonly string[]): Promise<PartitionSize[]> {
  const rows = await db.rows<PartitionRow & { size_bytes: number; rows: number | null }>(sql`
    /* store.partition_sizes */
    select
      p.relname as table,
      c.relname as name,
      right(c.relname, 8) as stamp,
      pg_catalog.pg_total_relation_size(c.oid) as size_bytes,
      case when c.reltuples >= 0 then c.reltuples::bigint end as rows
    ${listed(tables)}`);
  return rows.map((row) => ({ ...read(row), size_bytes: row.size_bytes, rows: row.rows }));
}

const isTicks = (table: string) => /__(ticks|m1|m15|h1)$/.test(table);

async function makePartition(db: Db, table: string, day: number): Promise<void> {
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
    const options = isTicks(table) ? sql`toast_tuple_target = 256` : sql`fillfactor = 100`;
    await inner.run(sql`
      /* store.make_partition */
      create table if not exists metrics.${identifier(name)} (
        like metrics.${identifier(table)} including defaults including indexes including storage including compression
      ) with (${options})`);
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

async function dropPartition(db: Db, { name }: Partition): Promise<void> {
  await db.transaction(async (inner) => {
    await inner.run(LOCK_TIMEOUT);
    await inner.run(sql`/* store.drop_partition */ drop table if exists metrics.${identifier(name)}`);
  });
}

const deleteConnection = (db: Db, { name }: Partition, connectionId: number): Promise<number> =>
  db.run(sql`
    /* store.delete_connection */
    delete from metrics.${identifier(name)}
    where connection_id = ${connectionId}`);

const LOCK_NOT_AVAILABLE = '55P03';

/** Outside of transactions, as VACUUM wants it; nobody writes to such a day, so it is small and hardly ever locked. */
async function shrink(db: Database, { name }: Partition): Promise<void> {
  await db.withClient(async (client) => {
    await client.query(`set lock_timeout = '2s'`);
    try {
      await client.query(sql`vacuum (full) metrics.${identifier(name)}`.text);
    } catch (error) {
      if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
    } finally {
      await client.query('reset lock_timeout');
    }
  });
}

export const plain: Engine = {
  name: 'plain',
  createTable,
  addColumns,
  partitions,
  makePartition,
  dropPartition,
  sizes,
  deleteConnection,
  shrink,
};
