// From the newest reading of a family that is stored to the first one that a collector has made since it started: what happened in
// between is no less known than between any two readings. Pure. Guards: as for any two readings (deltas.ts); objects are told by the
// ids that the dictionary gave; what may have taken over the counters of another one is left alone.
import type { Cell } from '../../format/codec.ts';
import type { TickRow } from '../../format/rows.ts';
import { isResetTime, type TableLayout } from '../../layout/table-layout.ts';
import type { ReadRow, Value } from '../../layout/types.ts';
import {
  birthsAfter,
  change,
  compare,
  type Difference,
  isNumeric,
  SINCE,
  sinceBirth,
  youngestOf,
} from './changes.ts';
import type { Family, ObjectRef, Tick } from './deltas.ts';
import { readersOf } from './object-finder.ts';

/** Values of objects by id, in the order of the layout's. */
type State = Map<number, Cell[]>;

type Counted = number | bigint;
const isCounted = (cell: Cell | undefined): cell is Counted =>
  typeof cell === 'number' || typeof cell === 'bigint';

function sum(a: Cell | undefined, b: Cell | undefined): Cell {
  if (!isCounted(a) || !isCounted(b)) return null;
  if (typeof a === 'number' && typeof b === 'number') {
    const plain = a + b;
    if (!Number.isInteger(plain) || Number.isSafeInteger(plain)) return plain;
  }
  return BigInt(a) + BigInt(b);
}

function apply(layout: TableLayout, state: State, tick: TickRow): void {
  if (tick.whole) state.clear();
  for (const [place, id] of tick.ids.entries()) {
    const before = state.get(id);
    const values = layout.values.map(({ kind }, index): Cell => {
      const cells = tick.columns[index];
      if (tick.keyframe || kind !== 'counter') return cells?.[place] ?? null;
      // Without an array none of them grew.
      return cells ? sum(before?.[index], cells[place]) : (before?.[index] ?? null);
    });
    state.set(id, values);
  }
  for (const id of tick.gone ?? []) state.delete(id);
}

/** Of the ticks from a whole keyframe on; undefined without one. */
export function stateAfter(layout: TableLayout, ticks: readonly TickRow[]): State | undefined {
  const sorted = ticks.toSorted((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe));
  const first = sorted.findLastIndex(({ whole }) => whole);
  if (first < 0) return undefined;
  const state: State = new Map();
  for (const tick of sorted.slice(first)) apply(layout, state, tick);
  return state;
}

const DIGITS = 6;

/** Microseconds since the epoch of a moment as probes read it. */
function microsOf(text: Value): number {
  const [seconds = '', fraction = ''] = String(text).replace(/Z$/, '').split('.');
  return Date.parse(`${seconds}Z`) * 1000 + Number(fraction.padEnd(DIGITS, '0'));
}

const storedValue = (cell: Cell): Value => (typeof cell === 'bigint' ? String(cell) : cell);

function differencesOf(layout: TableLayout, before: readonly Cell[], now: readonly Value[]): Difference[] {
  return layout.values.flatMap((column, index): Difference[] => {
    const [old, value] = [storedValue(before[index] ?? null), now[index] ?? null];
    if (column.kind === 'counter') {
      const isSame = isNumeric(old) && isNumeric(value) ? compare(value, old) === 0 : old === value;
      return isSame ? [] : [{ index, old }];
    }
    if (!isResetTime(column) || value === null || microsOf(value) === Number(old ?? Number.NaN)) return [];
    return [{ index, old: null }];
  });
}

export interface Before {
  readonly at: number;
  readonly isWhole: boolean;
  readonly continuity: string | undefined;
  readonly state: State;
}

function youngestIn(layout: TableLayout, { state }: Before): number {
  const column = layout.values.findIndex(({ name }) => name === SINCE);
  const micros = [...state.values()].map((values) => values[column] ?? null);
  return youngestOf(micros.map((moment) => (typeof moment === 'number' ? momentOfMicros(moment) : null)));
}

const momentOfMicros = (micros: number): string => {
  const rest = String(micros % 1_000_000)
    .padStart(DIGITS, '0')
    .replace(/0+$/, '');
  const seconds = new Date(Math.floor(micros / 1_000_000) * 1000).toISOString().slice(0, -5);
  return rest === '' ? `${seconds}Z` : `${seconds}.${rest}Z`;
};

/** What became of an object since the reading before; undefined: nothing that is known. */
function since(
  layout: TableLayout,
  { old, now }: { old: readonly Cell[] | undefined; now: readonly Value[] },
  isBorn: (row: ReadRow) => boolean,
): readonly Value[] | undefined {
  if (old) {
    const found = change(layout, now, differencesOf(layout, old, now));
    return found.changed ? found.values : undefined;
  }
  const began = now[layout.values.findIndex(({ name }) => name === SINCE)];
  return isBorn({ [SINCE]: began }) ? sinceBirth(layout, now) : undefined;
}

/** The tick from the reading before to that of a family; `refs`: its objects in their order, each with its id. */
export function bridge(
  layout: TableLayout,
  before: Before,
  { family, refs }: { family: Family; refs: readonly ObjectRef[] },
): Tick {
  const { objects, continuity } = family;
  const { values: readers } = readersOf(layout, objects);
  const isWhole = before.isWhole && layout.births.inherits !== true;
  const listed = { isWhole, continuity: before.continuity, youngest: () => youngestIn(layout, before) };
  const isBorn = birthsAfter(layout, listed, continuity);
  const moved: Tick['objects'][number][] = [];
  for (const [index, ref] of refs.entries()) {
    const now = readers.map((reader) => reader.at(index));
    const values = since(layout, { old: before.state.get(ref.id ?? 0), now }, isBorn);
    if (values) moved.push({ ref, values });
  }
  return { at: family.at, keyframe: false, whole: false, since: before.at, objects: moved, gone: [] };
}
