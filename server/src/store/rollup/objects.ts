// Families of objects rolled up, object by object and all together. Pure. Guards: what comes out is what the reader of
// ticks would say of each bucket; objects that did not change are followed from the keyframe on; sums are made in the
// order of the objects' ids, since rows come in another order once they were packed, and the last digits would differ.

import { combined, combineOf } from '../../probes/metrics.ts';
import type { Combine } from '../../probes/types.ts';
import type { TickRow } from '../format/rows.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import { numbersOf } from '../layout/tiers.ts';
import { cover, type Grid, isWithin, type Span, spanOfValue, Table, touches } from './buckets.ts';
import { ALL } from './samples.ts';

interface Number_ {
  column: number;
  position: number;
  isCounter: boolean;
  combine: Combine;
}

interface Plan {
  layout: TableLayout;
  grid: Grid;
  table: Table;
  counters: Number_[];
  gauges: Number_[];
}

function planOf(layout: TableLayout, grid: Grid): Plan {
  const numbers = numbersOf(layout).map((column, index) => ({
    column: index,
    position: layout.values.indexOf(column),
    isCounter: column.kind === 'counter',
    combine: combineOf(column),
  }));
  return {
    layout,
    grid,
    table: new Table(grid, numbers.length),
    counters: numbers.filter(({ isCounter }) => isCounter),
    gauges: numbers.filter(({ isCounter }) => !isCounter),
  };
}

/** A tick of increases. Objects that are not in it did not grow. */
function gain({ layout, grid, table, counters }: Plan, tick: TickRow): void {
  if (tick.keyframe || tick.since === null) return;
  const span = { since: tick.since, at: tick.at };
  if (!isWithin(span, layout.intervalSeconds) || !touches(grid, span)) return;
  for (const { column, position } of counters) {
    const values = tick.columns[position];
    if (values && values.length === 0) continue;
    let total = 0;
    for (const [index, id] of tick.ids.entries()) {
      const value = Number(values?.[index] ?? 0);
      if (value === 0) continue;
      total += value;
      table.increase(grid, span, { entity: String(id), column, value });
    }
    table.increase(grid, span, { entity: ALL, column, value: total });
  }
}

/** Gauges as they stand, by object; what is gone has none. */
type State = Map<number, (number | null)[]>;

function apply({ gauges }: Plan, state: State, tick: TickRow): void {
  const unknown = gauges.map(() => null);
  if (tick.whole) for (const id of state.keys()) state.set(id, unknown);
  for (const [index, id] of tick.ids.entries())
    state.set(
      id,
      gauges.map(({ position }) => {
        const value = tick.columns[position]?.[index] ?? null;
        return value === null ? null : Number(value);
      }),
    );
  for (const id of tick.gone ?? []) state.set(id, unknown);
}

function stand({ grid, table, gauges }: Plan, state: State, span: Span): void {
  if (!touches(grid, span)) return;
  const taken = Math.ceil((span.at - grid.from) / grid.width) - 1;
  cover(grid, span, (bucket, seconds) => {
    const at = { at: span.at, seconds, taken: taken === bucket };
    for (const [id, values] of state) {
      const entity = String(id);
      for (const [index, { column }] of gauges.entries())
        table.cell(bucket, entity, column).level(values[index] ?? null, at);
    }
  });
  const all = [...state.values()];
  for (const [index, { column, combine }] of gauges.entries()) {
    const values = all.map((own) => own[index] ?? null);
    table.gauge(grid, span, { entity: ALL, column, value: combined(combine, values) });
  }
}

/** With its objects in the order of their ids. */
function byId(tick: TickRow): TickRow {
  const { ids, columns } = tick;
  if (ids.every((id, position) => position === 0 || (ids[position - 1] ?? 0) < id)) return tick;
  const positions = ids.map((_id, position) => position).sort((a, b) => (ids[a] ?? 0) - (ids[b] ?? 0));
  return {
    ...tick,
    ids: positions.map((position) => ids[position] ?? 0),
    columns: columns.map((cells) =>
      cells && cells.length > 0 ? positions.map((position) => cells[position] ?? null) : cells,
    ),
  };
}

/** Ticks from the last whole keyframe before the grid on, to a hole after it. */
export function rollTicks(layout: TableLayout, grid: Grid, rows: readonly TickRow[]): Table {
  const sorted = rows.map(byId).sort((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe));
  const plan = planOf(layout, grid);
  let state: State = new Map();
  let [isKnown, before] = [false, undefined as number | undefined];
  for (const [index, tick] of sorted.entries()) {
    gain(plan, tick);
    isKnown ||= tick.whole;
    if (!isKnown) continue;
    const known = state.size;
    apply(plan, state, tick);
    if (state.size > known) state = new Map([...state].sort(([a], [b]) => a - b));
    if (sorted[index + 1]?.at === tick.at) continue;
    stand(plan, state, spanOfValue(tick.at, before, layout.intervalSeconds));
    plan.table.run(grid, tick.at);
    before = tick.at;
  }
  return plan.table;
}
