// Raw rows and packed hours of one database of a connection over a time, as they lie in their tables.
import { identifier, join, type Sql, sql, timeOf } from '../../kernel/sql.ts';
import { databaseOf, storedName, type TableLayout, table } from '../layout/table-layout.ts';

/** Of one database of a connection: from (inclusive) and to (exclusive) in milliseconds since the epoch. */
export interface Slice {
  connection_id: number;
  database_name: string;
  from: number;
  to: number;
}

export const within = (layout: TableLayout, { connection_id, database_name, from, to }: Slice) => sql`
  t.connection_id = ${connection_id}
  and ${databaseOf(layout)} = ${database_name}
  and t.collected_at >= ${timeOf(from)}
  and t.collected_at < ${timeOf(to)}`;

/** Raw rows with every value as text, by the names of the table's columns. */
export function rawRows(layout: TableLayout, slice: Slice): Sql {
  const own =
    layout.keeps === 'samples'
      ? ['row_no', 'server_instance']
      : ['keyframe', 'whole', 'since', 'object_ids', 'gone_ids'];
  const names = ['collected_at', ...own, ...layout.values.map(({ name }) => storedName(name))];
  const columns = names.map((name) => sql`t.${identifier(name)}::text as ${identifier(name)}`);
  return sql`
    /* store.raw_rows */
    select ${join(columns)}
    from ${table(layout.table.name)} t
    where ${within(layout, slice)}`;
}

export interface PackedRow {
  hour: number;
  names: string[];
  columns: Buffer[];
}

/** Hours that are packed, {hour}. */
export const packedStarts = (name: string, { connection_id, database_name, from, to }: Slice): Sql => sql`
  /* store.packed_starts */
  select (extract(epoch from p.collected_at) * 1000)::bigint as hour
  from ${table(name)} p
  where p.connection_id = ${connection_id}
    and p.database_name = ${database_name}
    and p.collected_at >= ${timeOf(from)}
    and p.collected_at < ${timeOf(to)}`;

/** Whether any row is raw: {is_raw}. */
export const hasRaw = (layout: TableLayout, slice: Slice): Sql => sql`
  /* store.has_raw */
  select count(*) > 0 as is_raw
  from (
    select t.connection_id
    from ${table(layout.table.name)} t
    where ${within(layout, slice)}
    limit 1
  ) t`;

export const packedHours = (name: string, { connection_id, database_name, from, to }: Slice): Sql => sql`
  /* store.packed_hours */
  select (extract(epoch from p.collected_at) * 1000)::bigint as hour, l.names, p.columns
  from ${table(name)} p
  join matriarch.packed_layouts l on l.layout_id = p.layout_id
  where p.connection_id = ${connection_id}
    and p.database_name = ${database_name}
    and p.collected_at >= ${timeOf(from)}
    and p.collected_at < ${timeOf(to)}`;
