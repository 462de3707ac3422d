// The flat view over a family of objects: one row per object and tick, under the probe's name and columns. In rows
// with keyframe = false counters are the increase since `since` and only objects that changed are there; in those with
// keyframe = true every value is as the server said. It covers the hours that are not packed yet, two or three; what is
// older is in the packed hours, which only programs read (`matriarch store export` writes them as lines), and in rollups.
// Guards: a view that exists only ever gains columns at its end.
import type { Db } from '../../kernel/db.ts';
import { identifier, join, nameLiteral, type Sql, sql } from '../../kernel/sql.ts';
import { LayoutProblem, storedName, type TableLayout } from './table-layout.ts';

const FIXED = ['connection_id', 'database_name', 'collected_at', 'since', 'keyframe', 'object_id'];

/** A label or key, from the dictionary, in its declared type. */
function fromDictionary(layout: TableLayout, name: string): Sql {
  const column = [...layout.keys, ...layout.labels].find((one) => one.name === name);
  const source = layout.keys.some((one) => one.name === name) ? sql`o.key` : sql`o.labels`;
  const quoted = nameLiteral(name);
  if (column?.type === 'jsonb' || column?.type === 'text[]') return sql`${source} -> ${quoted}`;
  const types: Record<string, Sql> = {
    text: sql`text`,
    integer: sql`integer`,
    bigint: sql`bigint`,
    boolean: sql`boolean`,
    'double precision': sql`double precision`,
    'timestamp with time zone': sql`timestamptz`,
  };
  const type = types[column?.type ?? 'text'] ?? sql`text`;
  return sql`(${source} ->> ${quoted})::${type}`;
}

function expression(layout: TableLayout, name: string): Sql {
  if (name === 'object_id') return sql`u.object_id`;
  if (FIXED.includes(name)) return sql`t.${identifier(name)}`;
  const value = layout.values.find((one) => one.name === name);
  if (!value) return fromDictionary(layout, name);
  const column = identifier(storedName(name));
  return value.kind === 'counter'
    ? sql`case when t.${column} is null and not t.keyframe then 0 else u.${column} end`
    : sql`u.${column}`;
}

async function existing(db: Db, view: string): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`
    /* store.view_columns */
    select a.attname as name
    from pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'metrics'::regnamespace and c.relname = ${view} and c.relkind = 'v'
    order by a.attnum`);
  return rows.map(({ name }) => name);
}

/** The columns the view has, in order, and what the declaration adds. */
function columnsOf(layout: TableLayout, before: readonly string[]): string[] {
  const declared = [
    ...FIXED,
    ...[...layout.keys, ...layout.labels, ...layout.values].map(({ name }) => name),
  ];
  return [...before, ...declared.filter((name) => !before.includes(name))];
}

/** Makes the view, or adds what is new to it. */
export async function ensureView(db: Db, layout: TableLayout): Promise<void> {
  if (layout.keeps !== 'objects') return;
  const before = await existing(db, layout.probe);
  const columns = columnsOf(layout, before);
  if (before.length === columns.length) return;
  const stale = before.find((name) => !declares(layout, name));
  if (stale)
    throw new LayoutProblem(`Probe ${layout.probe}: the column ${stale} is stored but not declared.`);
  const values = layout.values.map(({ name }) => identifier(storedName(name)));
  const list = columns.map((name) => sql`${expression(layout, name)} as ${identifier(name)}`);
  const arrays = [identifier('object_ids'), ...values].map((name) => sql`t.${name}`);
  const names = [identifier('object_id'), ...values];
  await db.run(sql`
    /* store.create_view */
    create or replace view metrics.${identifier(layout.probe)} as
    select ${join(list)}
    from metrics.${identifier(layout.table.name)} t
    cross join lateral rows from (unnest(${join(arrays)})) as u (${join(names)})
    left join metrics.objects o
      on o.connection_id = t.connection_id and o.object_id = u.object_id`);
}

const declares = (layout: TableLayout, name: string) =>
  FIXED.includes(name) ||
  [...layout.keys, ...layout.labels, ...layout.values].some((one) => one.name === name);
