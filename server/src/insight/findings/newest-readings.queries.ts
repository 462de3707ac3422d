// The newest rows of a probe as one text for each connection and database, for whoever reads whole probes of many servers. Rows are
// lists of cells in the order of the columns: names repeated in each row, or each cell by itself, would cost the reader ten times as
// much. 64-bit integers are text in them, moments are milliseconds since the epoch.
import { identifier, join, nameLiteral, type Sql, sql } from '../../kernel/sql.ts';
import type { Column } from '../../probes/types.ts';
import { columnType } from '../../store/read/doors/readings.ts';
import { everyFact, knownObjects, newestRuns } from '../../store/read/doors/relations.ts';

export interface ReadingsRead {
  probe: string;
  columns: readonly Column[];
  connection_ids: readonly number[];
  items?: ItemsQuery | undefined;
}

/** Of a change-tracked probe with one key: only items of these keys, of keys that begin so, or of which the flag is set. */
export interface ItemsQuery {
  keys: readonly string[];
  prefix: string;
  flag: string;
}

export interface RowsText {
  connection_id: number;
  database_name: string;
  /** A list of lists. */
  rows: string;
}

const typed = (columns: readonly Column[]) =>
  join(columns.map((column) => sql`${identifier(column.name)} ${columnType(column)}`));

function cell(column: Column): Sql {
  const own = sql`v.${identifier(column.name)}`;
  if (column.type === 'bigint') return sql`${own}::text`;
  if (column.type === 'timestamp with time zone') return sql`date_part('epoch', ${own}) * 1000`;
  return own;
}

const cells = (columns: readonly Column[]) => join(columns.map(cell));

export const samplesAsText = ({ probe, columns, connection_ids }: ReadingsRead): Sql => sql`
  /* store.newest_rows_as_text */
  select s.connection_id, s.database_name, r.rows
  from ${newestRuns} s
  cross join lateral (
    select json_agg(json_build_array(${cells(columns)}))::text as rows
    from jsonb_to_recordset(s.rows) as v (${typed(columns)})
  ) r
  where s.connection_id = any (${connection_ids}::integer[])
    and s.probe = ${probe}
    and s.collected_at is not null
    and r.rows is not null`;

function wanted(items: ItemsQuery | undefined): Sql {
  if (!items) return sql``;
  const { keys, prefix, flag } = items;
  return sql`and (
    f.item_key = any (${keys}::text[]) or starts_with(f.item_key, ${prefix}) or f.value -> ${flag}::text = 'true'
  )`;
}

export const factsAsText = ({ probe, columns, connection_ids, items }: ReadingsRead): Sql => sql`
  /* store.newest_facts_as_text */
  select
    f.connection_id, f.database_name, json_agg(json_build_array(${cells(columns)}) order by f.item_key)::text as rows
  from ${everyFact} f
  cross join lateral jsonb_to_record(f.value) as v (${typed(columns)})
  where f.connection_id = any (${connection_ids}::integer[])
    and f.probe = ${probe}
    and f.valid_to is null
    ${wanted(items)}
  group by f.connection_id, f.database_name`;

/** Of an object, when a reading had it first, in milliseconds since the epoch; in no probe, since the dictionary knows it. */
export const FIRST_SEEN: Column = { name: 'first_seen', type: 'bigint', kind: 'label', description: '' };

export interface NamesText {
  connection_id: number;
  /** A list of lists, of which each begins with the object's id. */
  names: string;
}

const nameText = ({ name }: Column): Sql =>
  name === FIRST_SEEN.name
    ? sql`coalesce(round(extract(epoch from o.first_seen) * 1000)::bigint::text, 'null')`
    : sql`coalesce(o.key -> ${nameLiteral(name)}, o.labels -> ${nameLiteral(name)}, 'null')::text`;

/**
 * Names of objects, by the columns that are kept in the dictionary. The text is put together by hand: functions that make JSON look up
 * how each value is written, row by row, which takes twice as long.
 */
export const namesAsText = ({ probe, columns, connection_ids }: ReadingsRead): Sql => sql`
  /* store.object_names_as_text */
  select
    o.connection_id,
    '[' || string_agg('[' || o.object_id || ',' || ${join(columns.map(nameText), sql` || ',' || `)} || ']', ',') || ']' as names
  from ${knownObjects} o
  where o.connection_id = any (${connection_ids}::integer[])
    and o.kind = ${probe}
  group by o.connection_id`;
