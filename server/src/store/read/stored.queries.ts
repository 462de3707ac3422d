// Everything stored of some columns over some time, of one probe or several, as one statement: spans of rollups in rows and
// in packed days, hours that are packed, and raw rows. One snapshot of the datastore, so that an hour which is packed meanwhile is neither
// missed nor read twice. Guards: only the columns asked for travel, packed ones as they lie there; each part names its
// connections and joins nothing but the register of layouts, so it runs on a distributed datastore as well.
import { identifier, join, type Sql, sql, timeOf } from '../../kernel/sql.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import type { Column } from '../../probes/types.ts';
import { dayParts, daySums, hasDaySums, SPAN_COLUMNS } from '../format/days.ts';
import { SAMPLE_COLUMNS, tickColumnsFor } from '../format/hour.ts';
import { storedName, table } from '../layout/table-layout.ts';
import { packedName, packedRollupName, partName, rollupName } from '../layout/tiers.ts';
import {
  type ClassRead,
  type DatabaseOf,
  keyOfDatabase,
  type Range,
  type RolledRead,
  type StoredRead,
  type StoredRow,
} from './stored-read.ts';

/** One part: its name, its texts, and the rest of the statement, in which `t` has the connection. */
interface Part {
  name: StoredRow['part'];
  database: Sql;
  texts: Sql[];
  rest: Sql;
}

/** Of rows that tell of so long a time as they begin at a multiple of it: those that tell of some of it. */
export const within = (ranges: readonly Range[], { each = 1, alias = sql`t` } = {}): Sql =>
  sql`(${join(
    ranges.map(
      ({ connection_ids, from, to }) => sql`(
        ${alias}.connection_id = any (${connection_ids}::integer[])
        and ${alias}.collected_at >= ${timeOf(Math.floor(from / each) * each)}
        and ${alias}.collected_at < ${timeOf(to)}
      )`,
    ),
    sql` or `,
  )})`;

/** Beside the ranges, which name the connections; undefined: any of them. Names alone are in the key of the table. */
export const ofDatabases = (databases: readonly DatabaseOf[] | undefined): Sql =>
  databases
    ? sql`and t.database_name = any (${[...new Set(databases.map((one) => one.database_name))]}::text[])
      and t.connection_id || ' ' || t.database_name = any (${databases.map(keyOfDatabase)}::text[])`
    : sql``;

const inDatabases = ({ database_name, databases }: StoredRead) =>
  database_name === undefined ? ofDatabases(databases) : sql`and t.database_name = ${database_name}`;

/** Packed columns as `name data` in base64, with ; between them: what a driver takes apart faster than an array. */
const packed = (wanted: Sql, of: { name: string; where: Sql }): Omit<Part, 'name'> => ({
  database: sql`t.database_name`,
  texts: [sql`c.data`],
  rest: sql`
    from ${table(of.name)} t
    join matriarch.packed_layouts l on l.layout_id = t.layout_id
    cross join lateral (select ${wanted} as names offset 0) w
    cross join lateral (
      select string_agg(u.name || ' ' || encode(u.data, 'base64'), ';') as data
      from unnest(l.names, t.columns) as u (name, data)
      where u.name = any (w.names)
    ) c
    where ${of.where}`,
});

/** date_part() computes in double precision, many times faster than the numeric of extract(), and exact once rounded. */
const micros = (moment: Sql) => sql`(date_part('epoch', ${moment}) * 1000000)::bigint`;

function rawSamples(read: StoredRead): Part {
  const { layout, columns, ranges } = read;
  const cells = [
    sql`${micros(sql`t.collected_at`)}`,
    sql`t.row_no`,
    sql`t.server_instance`,
    ...columns.map(({ name }) => sql`t.${identifier(storedName(name))}::text`),
  ];
  return {
    name: 'raw',
    database: layout.byDatabase ? sql`t.database_name` : sql`''::text`,
    texts: cells.map((cell) => sql`array_agg(${cell})::text`),
    rest: sql`
      from ${table(layout.table.name)} t
      where ${within(ranges)} ${inDatabases(read)}
      group by 1, 2, 3, 4`,
  };
}

const asText = (name: string) => sql`t.${identifier(name)}::text`;

/** What a raw tick says, as `tickOf` (stored.ts) takes it apart; `textOf`: its ids, or its values of a column. */
export const tickTexts = (columns: readonly Column[], textOf: (name: string) => Sql = asText): Sql[] => [
  sql`${micros(sql`t.collected_at`)}::text`,
  sql`t.keyframe::text`,
  sql`t.whole::text`,
  sql`${micros(sql`t.since`)}::text`,
  textOf('object_ids'),
  asText('gone_ids'),
  ...columns.map(({ name }) => textOf(storedName(name))),
];

function rawTicks(read: StoredRead): Part {
  const { layout, columns, ranges, isOfIncreases = false } = read;
  const keyframes = isOfIncreases ? sql`and not t.keyframe` : sql``;
  return {
    name: 'raw',
    database: sql`t.database_name`,
    texts: tickTexts(columns),
    rest: sql`
      from ${table(layout.table.name)} t
      where ${within(ranges)} ${inDatabases(read)} ${keyframes}`,
  };
}

function packedHours(read: StoredRead): Part {
  const { layout, columns, ranges } = read;
  const own = columns.map(({ name }) => storedName(name));
  const wanted = layout.keeps === 'samples' ? [...SAMPLE_COLUMNS, ...own] : tickColumnsFor(columns);
  const where = sql`${within(ranges, { each: HOUR_MS })} ${inDatabases(read)}`;
  return { name: 'hour', ...packed(sql`${wanted}::text[]`, { name: packedName(layout), where }) };
}

/** Where in a span these objects stand, in its order, as `w.places`. */
const placesOf = (only: readonly number[]) => sql`
  cross join lateral (
    select array_agg(u.place order by u.place) as places
    from unnest(t.object_ids) with ordinality as u (id, place)
    where u.id = any (${only}::integer[])
  ) w`;

/** Beyond an array's end is nothing, which is what is read there in the whole of it. */
const ofPlaces = (array: Sql) => sql`(
  case when t.${array} is not null then array(select t.${array}[p.place] from unnest(w.places) as p (place)) end
)::text`;

function spans(read: StoredRead, rolled: RolledRead): Part {
  const { columns, together, tier, ranges, only } = rolled;
  const text = (array: Sql) => {
    // All entities together come first.
    if (together) return sql`(t.${array}[1:1])::text`;
    return only ? ofPlaces(array) : sql`t.${array}::text`;
  };
  const arrays = columns
    .flatMap(({ column, parts }) => [storedName(column.name), ...parts.map((part) => partName(column, part))])
    .map(identifier);
  return {
    name: 'span',
    database: sql`t.database_name`,
    texts: [
      sql`${micros(sql`t.collected_at`)}::text`,
      sql`t.runs::text`,
      sql`t.covered_seconds::text`,
      together ? sql`'{0}'::text` : text(sql`object_ids`),
      ...arrays.map(text),
    ],
    rest: sql`
      from ${table(rollupName(read.layout, tier))} t ${only && !together ? placesOf(only) : sql``}
      where ${within(ranges)} ${inDatabases(read)}`,
  };
}

function packedDays(read: StoredRead, rolled: RolledRead): Part {
  const { layout } = read;
  const { columns, together, summed = [], ranges, tier } = rolled;
  const wanted = [...SPAN_COLUMNS];
  const [each, sums]: [string[], string[]] = [[], []];
  for (const { column } of columns) {
    const name = storedName(column.name);
    const [all, own] = dayParts(name);
    wanted.push(all);
    if (together) continue;
    const isSummed = summed.length > 0 && hasDaySums(layout, column);
    (isSummed ? each : wanted).push(own);
    if (isSummed) sums.push(daySums(name));
  }
  const spans = sql`${[...wanted, ...each]}::text[]`;
  // Days that were packed before sums were have none.
  const named =
    sums.length === 0
      ? spans
      : sql`
          case
            when l.names @> ${sums}::text[] and ${within(summed)} then ${[...wanted, ...sums]}::text[]
            else ${spans}
          end`;
  const where = sql`${within(ranges, { each: DAY_MS })} ${inDatabases(read)}`;
  return { name: 'day', ...packed(named, { name: packedRollupName(layout, tier), where }) };
}

function classSpans({ layout }: StoredRead, { tier, members, ranges }: ClassRead): Part {
  return {
    name: 'class',
    database: sql`''::text`,
    texts: [
      sql`${tier.name}::text`,
      sql`${micros(sql`t.collected_at`)}::text`,
      sql`t.covered_seconds::text`,
      sql`t.wait_classes::text`,
      sql`t.session_seconds::text`,
      ...(members === undefined ? [] : [sql`t.${identifier(members)}`]),
    ],
    rest: sql`
      from ${table(rollupName(layout, tier))} t
      where ${within(ranges)} and t.database_name = ''`,
  };
}

function partsOf(read: StoredRead): Part[] {
  const { layout, ranges, rolled, byClass = [], isRaw = false } = read;
  const parts: Part[] = [];
  if (ranges.length > 0) {
    parts.push(layout.keeps === 'samples' ? rawSamples(read) : rawTicks(read));
    if (!isRaw) parts.push(packedHours(read));
  }
  if (rolled && rolled.ranges.length > 0) {
    parts.push(spans(read, rolled));
    if (rolled.isPacked) parts.push(packedDays(read, rolled));
  }
  for (const one of byClass) if (one.ranges.length > 0) parts.push(classSpans(read, one));
  return parts;
}

/** Whether there is anything to be read. */
export const readsSomething = ({ ranges, rolled, byClass = [] }: StoredRead): boolean =>
  ranges.length > 0 || (rolled?.ranges.length ?? 0) > 0 || byClass.some((one) => one.ranges.length > 0);

/** What else is read in the same statement; its rows have their texts as given. */
export type More = Omit<Part, 'name' | 'database'>;

/** Of reads of which at least one reads something, or of something more. */
export function storedRows(reads: readonly StoredRead[], more: readonly More[] = []): Sql {
  const others = more.map((one) => ({ ...one, name: 'more', database: sql`''::text`, read_no: -1 }));
  const parts = [
    ...reads.flatMap((read, read_no) => partsOf(read).map((part) => ({ ...part, read_no }))),
    ...others,
  ];
  const count = parts.reduce((most, { texts }) => Math.max(most, texts.length), 0);
  const selects = parts.map(({ read_no, name, database, texts, rest }) => {
    const all = Array.from({ length: count }, (_none, index) => texts[index] ?? sql`null::text`);
    const named = all.map((text, index) => sql`${text} as ${identifier(`t${index}`)}`);
    return sql`(
      select
        ${read_no}::integer as read_no, ${name}::text as part, t.connection_id, ${database} as database_name,
        ${join(named)}
      ${rest}
    )`;
  });
  return sql`
    /* store.read_stored */
    ${join(selects, sql` union all `)}`;
}
