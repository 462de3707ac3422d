// Samples rolled up, entity by entity and all together. Pure. Guards: what comes out is what the reader of samples
// would say of each bucket.

import { combined, combineOf } from '../../probes/metrics.ts';
import { type SampleRow, wasRead } from '../format/rows.ts';
import { isResetTime, type TableLayout } from '../layout/table-layout.ts';
import { numbersOf } from '../layout/tiers.ts';
import { type Grid, isWithin, spanOfValue, Table, touches } from './buckets.ts';

export const ALL = '';

export const entityOf = (layout: TableLayout, row: SampleRow): string =>
  JSON.stringify(
    layout.values.flatMap(({ kind }, index) => (kind === 'key' ? [String(row.cells[index] ?? '\0')] : [])),
  );

const numberOf = (row: SampleRow, position: number): number | null => {
  const value = row.cells[position] ?? null;
  return value === null ? null : Number(value);
};

interface Plan {
  layout: TableLayout;
  grid: Grid;
  table: Table;
  numbers: { column: number; position: number; isCounter: boolean; combine: ReturnType<typeof combineOf> }[];
  resets: number[];
}

function planOf(layout: TableLayout, grid: Grid): Plan {
  const numbers = numbersOf(layout).map((column, index) => ({
    column: index,
    position: layout.values.indexOf(column),
    isCounter: column.kind === 'counter',
    combine: combineOf(column),
  }));
  const resets = layout.values.flatMap((column, index) => (isResetTime(column) ? [index] : []));
  return { layout, grid, numbers, resets, table: new Table(grid, numbers.length) };
}

const isOther = (a: SampleRow, b: SampleRow) =>
  a.server_instance !== null && b.server_instance !== null && a.server_instance !== b.server_instance;

/** What the counters of one entity gained between two readings. */
function gain(
  { layout, grid, table, numbers, resets }: Plan,
  entity: string,
  [before, row]: [SampleRow, SampleRow],
) {
  const span = { since: before.at, at: row.at };
  if (!isWithin(span, layout.intervalSeconds) || isOther(before, row) || !touches(grid, span)) return;
  // The reading before a birth did not have it.
  if (!wasRead(row)) return;
  const wasReset = resets.some((position) => {
    const now = row.cells[position] ?? null;
    return now !== null && now !== (before.cells[position] ?? null);
  });
  for (const { column, position, isCounter } of numbers) {
    if (!isCounter) continue;
    const [old, now] = [numberOf(before, position), numberOf(row, position)];
    if (old === null || now === null) continue;
    table.increase(grid, span, { entity, column, value: wasReset || now < old ? now : now - old });
  }
}

function follow(plan: Plan, entity: string, rows: readonly SampleRow[]): void {
  const { layout, grid, table, numbers } = plan;
  let before: SampleRow | undefined;
  let read: number | undefined;
  for (const row of rows) {
    if (before) gain(plan, entity, [before, row]);
    before = row;
    if (!wasRead(row)) continue;
    const span = spanOfValue(row.at, read, layout.intervalSeconds);
    for (const { column, position, isCounter } of numbers)
      if (!isCounter) table.gauge(grid, span, { entity, column, value: numberOf(row, position) });
    read = row.at;
  }
}

/** Gauges of all entities together, run by run. */
function together(
  { layout, grid, table, numbers }: Plan,
  runs: ReadonlyMap<number, readonly SampleRow[]>,
): void {
  let before: number | undefined;
  for (const [at, rows] of runs) {
    const span = spanOfValue(at, before, layout.intervalSeconds);
    for (const { column, position, isCounter, combine } of numbers) {
      if (isCounter) continue;
      const value = combined(
        combine,
        rows.map((row) => numberOf(row, position)),
      );
      table.gauge(grid, span, { entity: ALL, column, value });
    }
    table.run(grid, at);
    before = at;
  }
}

/** Increases of all entities add up; the time measured is that of the one that was measured longest. */
function addUp({ table, numbers }: Plan): void {
  for (const [bucket, { cells }] of table.buckets.entries()) {
    const entities = [...cells].filter(([entity]) => entity !== ALL);
    for (const { column, isCounter } of numbers) {
      if (!isCounter) continue;
      const all = table.cell(bucket, ALL, column);
      for (const [, own] of entities) {
        all.total += own[column]?.total ?? 0;
        all.seconds = Math.max(all.seconds, own[column]?.seconds ?? 0);
      }
    }
  }
}

function grouped<K>(rows: readonly SampleRow[], keyOf: (row: SampleRow) => K): Map<K, SampleRow[]> {
  const groups = new Map<K, SampleRow[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/** Rows from a while before the grid to a hole after it, in order of time. */
export function rollSamples(layout: TableLayout, grid: Grid, rows: readonly SampleRow[]): Table {
  const sorted = [...rows].sort((a, b) => a.at - b.at || a.row_no - b.row_no);
  const plan = planOf(layout, grid);
  for (const [entity, own] of grouped(sorted, (row) => entityOf(layout, row))) follow(plan, entity, own);
  together(
    plan,
    grouped(sorted.filter(wasRead), ({ at }) => at),
  );
  addUp(plan);
  return plan.table;
}
