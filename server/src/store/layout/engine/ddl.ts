// Tables of samples as statements: their columns and keys in the types of the store. The same for all engines; what
// each of them makes of such a table is its own. Guards: only known types are stored, and what is packed compresses.
import type { Db } from '../../../kernel/db.ts';
import { empty, identifier, join, type Sql, sql } from '../../../kernel/sql.ts';
import { LayoutProblem, type MetricTable, type TableColumn } from '../table-layout.ts';

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
  if (!known) throw new LayoutProblem(`The column ${name} has no type that can be stored.`);
  return isArray(type) ? sql`${known}[]` : known;
}

export const LOCK_TIMEOUT = sql`set local lock_timeout = '2s'`;

async function lz4(db: Db): Promise<boolean> {
  const { able } = await db.one<{ able: boolean }>(sql`
    /* store.lz4 */
    select exists (
      select 1
      from pg_catalog.pg_settings s
      where s.name = 'default_toast_compression' and 'lz4' = any (s.enumvals)
    ) as able`);
  return able;
}

/** Arrays stay in their rows as long as they fit, compressed. */
export async function pack(db: Db, table: string, columns: readonly TableColumn[]): Promise<void> {
  const arrays = columns.filter(({ type }) => isArray(type));
  if (arrays.length === 0) return;
  const compression = await lz4(db);
  const settings = arrays.flatMap(({ name }) => [
    sql`alter column ${identifier(name)} set storage main`,
    ...(compression ? [sql`alter column ${identifier(name)} set compression lz4`] : []),
  ]);
  await db.run(sql`/* store.pack_table */ alter table metrics.${identifier(table)} ${join(settings, COMMA)}`);
}

/** `how` follows the columns: partitioned by, or nothing. */
export async function createTable(
  db: Db,
  { name, columns, key, packed }: MetricTable,
  how: Sql = empty,
): Promise<void> {
  const lines = columns.map((column) =>
    column.notNull
      ? sql`${identifier(column.name)} ${typeOf(column)} not null`
      : sql`${identifier(column.name)} ${typeOf(column)}`,
  );
  await db.run(sql`
    /* store.create_table */
    create table if not exists metrics.${identifier(name)} (
      ${join(lines, COMMA)}, primary key (${join(key.map(identifier), COMMA)})
    ) ${how}`);
  if (packed) await pack(db, name, columns);
  if (!columns.some((column) => column.name === 'whole')) return;
  // What stands now is read from the newest whole tick of each database on, and these are few.
  await db.run(sql`
    /* store.create_whole_index */
    create index if not exists ${identifier(`${name}_whole`)}
    on metrics.${identifier(name)} (connection_id, database_name, collected_at)
    where whole`);
}

/**
 * In a table of ticks a null array means that nothing grew, so rows from before the column, and of collectors that do
 * not know it yet, get an empty one, which is "unknown". The server keeps it as missing value and rewrites nothing.
 */
export async function addColumns(db: Db, table: MetricTable, columns: readonly TableColumn[]): Promise<void> {
  const name = identifier(table.name);
  await db.run(LOCK_TIMEOUT);
  const added = columns.map((column) => {
    const unknown = table.packed ? sql` default '{}'` : sql``;
    return sql`add column if not exists ${identifier(column.name)} ${typeOf(column)}${unknown}`;
  });
  await db.run(sql`/* store.add_columns */ alter table metrics.${name} ${join(added, COMMA)}`);
}

/** What rows of a table are stored with: arrays are compressed early; nothing is ever updated. */
export const rowOptions = (table: string): Sql =>
  /__(ticks|m1|m15|h1)$/.test(table) ? sql`toast_tuple_target = 256` : sql`fillfactor = 100`;
