// Where a reader of samples or ticks reads from: the raw table, and packed hours of the window unpacked beside it, so
// that statements see the same rows whether they were packed or not. Guards: only the columns and objects that are
// asked for are unpacked; a row that is in both comes once.
import type { Db } from '../../kernel/db.ts';
import { identifier, join, type Sql, sql } from '../../kernel/sql.ts';
import type { Column } from '../../probes/types.ts';
import { SAMPLE_COLUMNS, TICK_COLUMNS, tickParts, unpackSamples, unpackTicks } from '../format/hour.ts';
import { arrayText, momentText, type TickRow, textOf } from '../format/rows.ts';
import { type Shape, storedName } from '../layout/shapes.ts';
import { type TierTable, tierTablesOf } from '../layout/tier-tables.queries.ts';
import { packedName } from '../layout/tiers.ts';

const comma = sql`, `;
const HOUR_MS = 3_600_000;

export interface Reading {
  shape: Shape;
  /** Value columns that the statement reads; all others are not there. */
  columns: readonly Column[];
  connection_ids: readonly number[];
  /** Milliseconds since the epoch, both inclusive. */
  from: number;
  to: number;
  database_name?: string | undefined;
  /** Only these objects, by connection. */
  objects?: ReadonlyMap<number, ReadonlySet<number>> | undefined;
  /** Where known already. */
  tiers?: readonly TierTable[];
}

interface PackedHour {
  connection_id: number;
  database_name: string;
  names: string[];
  columns: Buffer[];
  /** Raw rows of that hour are there as well. */
  is_mixed: boolean;
}

function hoursOf({ shape, connection_ids, from, to, database_name, columns }: Reading): Sql {
  const own = columns.map(({ name }) => storedName(name));
  const wanted =
    shape.layout === 'samples' ? [...SAMPLE_COLUMNS, ...own] : [...TICK_COLUMNS, ...own.flatMap(tickParts)];
  const only = database_name === undefined ? sql`` : sql`and p.database_name = ${database_name}`;
  const sameDatabase = shape.byDatabase ? sql`and t.database_name = p.database_name` : sql``;
  return sql`
    /* store.packed_columns */
    select
      p.connection_id, p.database_name, c.names, c.columns,
      exists (
        select
        from metrics.${identifier(shape.table.name)} t
        where t.connection_id = p.connection_id
          ${sameDatabase}
          and t.collected_at >= p.collected_at
          and t.collected_at < p.collected_at + interval '1 hour'
      ) as is_mixed
    from metrics.${identifier(packedName(shape))} p
    join matriarch.packed_layouts l on l.layout_id = p.layout_id
    cross join lateral (
      select array_agg(u.name) as names, array_agg(u.data) as columns
      from unnest(l.names, p.columns) as u (name, data)
      where u.name = any (${wanted}::text[])
    ) c
    where p.connection_id = any (${connection_ids}::integer[])
      and p.collected_at > ${new Date(from - HOUR_MS).toISOString()}::timestamptz
      and p.collected_at <= ${new Date(to).toISOString()}::timestamptz
      ${only}`;
}

/** Columns of the unpacked rows, one array each. */
type Lists = (string | number | boolean | null)[][];

const byName = ({ names, columns }: PackedHour) =>
  new Map(
    names.flatMap((name, index): [string, Buffer][] => {
      const data = columns[index];
      return data ? [[name, data]] : [];
    }),
  );

function push(lists: Lists, row: Lists[number]): void {
  for (const [index, value] of row.entries()) lists[index]?.push(value);
}

function sampleLists(hours: readonly PackedHour[], columns: readonly Column[]): Lists {
  const lists: Lists = Array.from({ length: 5 + columns.length }, () => []);
  for (const hour of hours)
    for (const { at, row_no, incarnation, cells } of unpackSamples(columns, byName(hour))) {
      const values = columns.map(({ type }, index) => textOf(type, cells[index] ?? null));
      push(lists, [hour.connection_id, hour.database_name, momentText(at), row_no, incarnation, ...values]);
    }
  return lists;
}

function tickLists(hours: readonly PackedHour[], { columns, objects }: Reading): Lists {
  const lists: Lists = Array.from({ length: 8 + columns.length }, () => []);
  for (const hour of hours) {
    const kept = objects && (objects.get(hour.connection_id) ?? new Set());
    for (const tick of unpackTicks(columns, byName(hour), kept && ((id) => kept.has(id)))) {
      const values = columns.map(({ type }, index) => {
        const cells = tick.columns[index] ?? null;
        return cells && arrayText(type, cells);
      });
      const gone = kept ? (tick.gone?.filter((id) => kept.has(id)) ?? null) : tick.gone;
      push(lists, [
        hour.connection_id,
        hour.database_name,
        momentText(tick.at),
        tick.keyframe,
        tick.whole,
        tick.since === null ? null : momentText(tick.since),
        `{${tick.ids.join(',')}}`,
        gone && `{${gone.join(',')}}`,
        ...values,
      ]);
    }
  }
  return lists;
}

const TYPES: Record<Column['type'], Sql> = {
  text: sql`text`,
  integer: sql`integer`,
  bigint: sql`bigint`,
  boolean: sql`boolean`,
  'double precision': sql`double precision`,
  'timestamp with time zone': sql`timestamptz`,
  'text[]': sql`text[]`,
  jsonb: sql`jsonb`,
};

interface Fixed {
  name: string;
  /** As it travels, in arrays. */
  input: Sql;
  read?: Sql;
}

const FIXED: Fixed[] = [
  { name: 'connection_id', input: sql`integer` },
  { name: 'database_name', input: sql`text` },
  { name: 'collected_at', input: sql`timestamptz` },
];
const OF_SAMPLES: Fixed[] = [
  ...FIXED,
  { name: 'row_no', input: sql`smallint` },
  { name: 'incarnation', input: sql`smallint` },
];
const OF_TICKS: Fixed[] = [
  ...FIXED,
  { name: 'keyframe', input: sql`boolean` },
  { name: 'whole', input: sql`boolean` },
  { name: 'since', input: sql`timestamptz` },
  { name: 'object_ids', input: sql`text`, read: sql`integer[]` },
  { name: 'gone_ids', input: sql`text`, read: sql`integer[]` },
];

function union({ shape, columns }: Reading, lists: Lists, isMixed: boolean): Sql {
  const isSamples = shape.layout === 'samples';
  const values = columns.map(({ name, type }): Fixed => {
    const plain = TYPES[type];
    return { name: storedName(name), input: sql`text`, read: isSamples ? plain : sql`${plain}[]` };
  });
  const all = [...(isSamples ? OF_SAMPLES : OF_TICKS), ...values];
  const names = all.map(({ name }) => identifier(name));
  const raw = all.map(({ name }) =>
    name === 'database_name' && !shape.byDatabase ? sql`''::text` : sql`t.${identifier(name)}`,
  );
  const read = all.map(({ name, read: type }) =>
    type ? sql`p.${identifier(name)}::${type} as ${identifier(name)}` : sql`p.${identifier(name)}`,
  );
  const inputs = all.map(({ input }, index) => sql`${lists[index]}::${input}[]`);
  const table = identifier(shape.table.name);
  const second = isSamples ? sql`row_no` : sql`keyframe`;
  const sameDatabase = shape.byDatabase ? sql`and x.database_name = p.database_name` : sql``;
  const unlessRaw = sql`
    where not exists (
      select
      from metrics.${table} x
      where x.connection_id = p.connection_id
        ${sameDatabase}
        and x.collected_at = p.collected_at
        and x.${second} = p.${second}
    )`;
  return sql`(
    select ${join(raw, comma)}
    from metrics.${table} t
    union all
    select ${join(read, comma)}
    from unnest(${join(inputs, comma)}) as p (${join(names, comma)})
    ${isMixed ? unlessRaw : sql``}
  )`;
}

/** When packed hours may hold something of what is asked. */
async function mayBePacked(db: Db, { shape, from, tiers: known }: Reading): Promise<boolean> {
  const tiers = known ?? (await db.rows<TierTable>(tierTablesOf(shape.probe)));
  const packedUntil = tiers.find(({ tier }) => tier === 'packed')?.filled_until ?? null;
  return packedUntil !== null && from < packedUntil;
}

/** Ticks of packed hours, with these columns alone; some may lie before or after what was asked. */
export async function packedTicks(db: Db, reading: Reading): Promise<TickRow[]> {
  if (!(await mayBePacked(db, reading))) return [];
  const hours = await db.rows<PackedHour>(hoursOf(reading));
  return hours.flatMap((hour) => unpackTicks(reading.columns, byName(hour)));
}

/** A relation for a `from` clause, with these columns and those that all samples or ticks have. */
export async function sourceRelation(db: Db, reading: Reading): Promise<Sql> {
  const { shape } = reading;
  const table = sql`metrics.${identifier(shape.table.name)}`;
  if (!(await mayBePacked(db, reading))) return table;
  const hours = await db.rows<PackedHour>(hoursOf(reading));
  if (hours.length === 0) return table;
  const isSamples = shape.layout === 'samples';
  const lists = isSamples ? sampleLists(hours, reading.columns) : tickLists(hours, reading);
  return union(
    reading,
    lists,
    hours.some(({ is_mixed }) => is_mixed),
  );
}
