// Writes rollups as rows of arrays: first all entities together (as object 0), then those whose values varied, then the
// rest. Guards: trailing elements that say nothing are left out of an array, so a column that does not change costs one
// value.
import type { Db } from '../../kernel/db.ts';
import { identifier, join, type Sql, sql } from '../../kernel/sql.ts';
import type { Element } from '../format/days.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import { arraysOf, numbersOf, rollupName, type Tier } from '../layout/tiers.ts';
import { type Bucket, Cell, type Grid } from './buckets.ts';
import { ALL } from './samples.ts';

const close = (a: number, b: number) => Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));

/** Sums of parts and means, as exact as 1 in ten million: the digits beyond would be most of what rollups take. */
const rounded = (value: Element) => {
  if (value === null) return null;
  // There is one zero only in what is stored.
  return value === 0 || Number.isInteger(value) ? value + 0 : Math.fround(value);
};

interface Spot {
  /** Runs within the bucket. */
  runs: number;
  covered: number;
  /** One of a family, whose time is that of the family. */
  isObject: boolean;
}

/** Increase and seconds; what is left out is 0, and all of the bucket. An object that is in no tick did not grow. */
function counterParts(cell: Readonly<Cell>, { covered, isObject }: Spot): Element[] {
  if (isObject) return [cell.total, null];
  if (cell.seconds === 0) return [null, null];
  return [cell.total, close(cell.seconds, covered) ? null : cell.seconds];
}

/** Mean, seconds, least, most, last and sum; what is left out is as the mean says. */
function gaugeParts(cell: Readonly<Cell>, { runs, covered }: Spot): Element[] {
  if (cell.seconds === 0) return [null, null, null, null, null, null];
  const mean = cell.min === cell.max ? cell.min : cell.total / cell.seconds;
  const unlessMean = (value: number) => (value === mean ? null : value);
  const last = cell.last === null ? Number.NaN : unlessMean(cell.last);
  const sum = cell.sum ?? Number.NaN;
  return [
    mean,
    close(cell.seconds, covered) ? null : cell.seconds,
    unlessMean(cell.min),
    unlessMean(cell.max),
    last,
    runs > 0 && close(sum, mean * runs) ? null : sum,
  ];
}

/** Of a column that said nothing in this span. */
const NOTHING: Readonly<Cell> = new Cell();

interface Entity {
  id: number;
  /** By column, by part. */
  parts: Element[][];
  rank: number;
  /** What an object that is left out says: it did not grow, and its gauges are unknown. */
  saysAnything: boolean;
}

function entityOf(
  { layout, silent }: { layout: TableLayout; silent: readonly boolean[] },
  cells: readonly (Cell | undefined)[],
  { id, spot }: { id: number; spot: Spot },
): Entity {
  const columns = numbersOf(layout);
  let rank = 0;
  let saysAnything = false;
  const parts = columns.map(({ kind }, index) => {
    if (silent[index]) return [];
    const cell = cells[index] ?? NOTHING;
    const own = kind === 'counter' ? counterParts(cell, spot) : gaugeParts(cell, spot);
    const [first = null, ...rest] = own;
    if (first !== null && !(kind === 'counter' && spot.isObject && first === 0)) saysAnything = true;
    if (rest.some((one) => one !== null)) rank = Math.max(rank, 2);
    if (kind === 'counter' && first !== 0) rank = Math.max(rank, 1);
    return own;
  });
  return { id, parts, rank: id === 0 ? 3 : rank, saysAnything };
}

/** Without what is at the end and left out; null when nothing is left. */
function trimmed(elements: readonly Element[], leftOut: Element): Element[] | null {
  let end = elements.length;
  while (end > 0 && elements[end - 1] === leftOut) end -= 1;
  if (end === 0 && leftOut === null) return null;
  return elements.slice(0, end).map(rounded);
}

const literalOf = (elements: readonly Element[]) =>
  `{${elements.map((one) => (one === null ? 'NULL' : String(one))).join(',')}}`;

export interface RollupRow {
  /** Milliseconds since the epoch. */
  at: number;
  runs: number;
  covered: number;
  object_ids: number[];
  /** In the order of the table's columns. */
  arrays: (Element[] | null)[];
}

export interface RowsOf {
  layout: TableLayout;
  grid: Grid;
  buckets: readonly Bucket[];
  /** The dictionary's id of an entity; undefined leaves it out. */
  idOf: (entity: string) => number | undefined;
}

/** The time of whoever was measured longest. */
function coveredOf(cells: Bucket['cells']): number {
  let covered = 0;
  for (const own of cells.values()) for (const cell of own) covered = Math.max(covered, cell?.seconds ?? 0);
  return covered;
}

/** Columns of a family of objects of which nobody said anything in a span: most of the dozens that some have. */
function silentOf(layout: TableLayout, cells: Bucket['cells']): boolean[] {
  const columns = numbersOf(layout);
  if (layout.keeps !== 'objects') return columns.map(() => false);
  const silent = columns.map(() => true);
  for (const own of cells.values())
    for (const [index, cell] of own.entries()) if (cell) silent[index] = false;
  return silent;
}

function rowOf(
  { layout, grid, idOf }: RowsOf,
  index: number,
  { runs, cells }: Bucket,
): RollupRow | undefined {
  const covered = coveredOf(cells);
  if (covered === 0) return undefined;
  const isObject = layout.keeps === 'objects';
  const silent = silentOf(layout, cells);
  const entities = [...cells].flatMap(([entity, own]) => {
    const id = entity === ALL ? 0 : idOf(entity);
    return id === undefined
      ? []
      : [
          entityOf({ layout, silent }, own, {
            id,
            spot: { runs: runs.size, covered, isObject: isObject && id !== 0 },
          }),
        ];
  });
  const kept = entities.filter((entity) => entity.id === 0 || entity.saysAnything);
  kept.sort((a, b) => b.rank - a.rank || a.id - b.id);
  const arrays = numbersOf(layout).flatMap((column, position) =>
    arraysOf(column).map((_name, part) => {
      if (silent[position]) return null;
      const elements = kept.map(({ parts }) => parts[position]?.[part] ?? null);
      const isUnknown = isObject ? false : elements.every((one) => one === null);
      const isNowhere = part === 0 && column.kind === 'counter' && isObject && elements[0] === null;
      return isUnknown || isNowhere
        ? null
        : trimmed(elements, column.kind === 'counter' && part === 0 ? 0 : null);
    }),
  );
  const at = (grid.from + index * grid.width) / 1000;
  return { at, runs: runs.size, covered, object_ids: kept.map(({ id }) => id), arrays };
}

export const rowsOf = (of: RowsOf): RollupRow[] =>
  of.buckets.flatMap((bucket, index) => rowOf(of, index, bucket) ?? []);

export interface PutRollups {
  layout: TableLayout;
  tier: Tier;
  connection_id: number;
  database_name: string;
  rows: readonly RollupRow[];
}

function putRollups({ layout, tier, connection_id, database_name, rows }: PutRollups): Sql {
  const names = numbersOf(layout).flatMap(arraysOf).map(identifier);
  const columns = names.map(
    (_name, position) =>
      sql`${rows.map(({ arrays }) => {
        const elements = arrays[position] ?? null;
        return elements && literalOf(elements);
      })}::text[]`,
  );
  const inputs = [
    sql`${rows.map(({ at }) => new Date(at).toISOString())}::timestamptz[]`,
    sql`${rows.map(({ runs }) => runs)}::integer[]`,
    sql`${rows.map(({ covered }) => covered)}::double precision[]`,
    sql`${rows.map(({ object_ids }) => `{${object_ids.join(',')}}`)}::text[]`,
    ...columns,
  ];
  const fixed = [sql`collected_at`, sql`runs`, sql`covered_seconds`, sql`object_ids`];
  const values = names.map((name) => sql`i.${name}::double precision[]`);
  const read = [
    sql`i.collected_at`,
    sql`i.runs`,
    sql`i.covered_seconds`,
    sql`i.object_ids::integer[]`,
    ...values,
  ];
  return sql`
    /* store.put_rollups */
    insert into metrics.${identifier(rollupName(layout, tier))} (
      connection_id, database_name, ${join([...fixed, ...names])}
    )
    select ${connection_id}::integer, ${database_name}, ${join(read)}
    from unnest(${join(inputs)}) as i (${join([...fixed, ...names])})`;
}

export async function writeRollups(db: Db, of: PutRollups): Promise<void> {
  if (of.rows.length > 0) await db.run(putRollups(of));
}
