// From two readings of a family of objects to what is stored of the second: objects that changed, with counters as
// increases, and keyframes with the values as they were read. Pure. Guards: no increase is negative, none holds more
// than what happened between two readings of the same object on the same instance of the server; the values of
// every tick can be rebuilt from the newest keyframe and the increases since.

import { keyframeMs } from '../../layout/keyframes.ts';
import { isResetTime, type TableLayout } from '../../layout/table-layout.ts';
import type { Row, Value } from '../../layout/types.ts';
import type { ColumnReader } from './column-buffer.ts';
import { type ObjectRef, plainValue } from './object-names.ts';
import { type Objects, ReadingDiff, type Rows } from './reading-diff.ts';

export type { ObjectRef } from './object-names.ts';

interface ObjectValues {
  readonly ref: ObjectRef;
  /** As they are stored, in the order of the layout's values. */
  readonly values: readonly Value[];
}

/** The newest reading of one probe in one database of a connection. */
export interface Family {
  readonly at: number;
  readonly epoch: number;
  readonly server_instance: string | undefined;
  readonly keyframeAt: number;
  readonly objects: Objects;
}

export interface Reading extends Rows {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly epoch: number;
  /** Tells one life of a server from another, where that is known. */
  readonly server_instance: string | undefined;
  /** False: rows were cut off, so an object that is missing may still exist. */
  readonly complete: boolean;
}

/** One stored row. Values stand object by object, in the order of the layout's values. */
export interface Tick {
  readonly at: number;
  readonly keyframe: boolean;
  readonly whole: boolean;
  readonly since: number | null;
  readonly objects: readonly ObjectValues[];
  readonly gone: readonly ObjectRef[];
}

const isNumeric = (value: Value): value is number | string =>
  typeof value === 'number' || typeof value === 'string';

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [x, y] = [BigInt(a), BigInt(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function minus(a: number | string, b: number | string): number | string {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const exact = BigInt(a) - BigInt(b);
  const plain = Number(exact);
  return Number.isSafeInteger(plain) ? plain : String(exact);
}

const valuesOf = (layout: TableLayout, row: Row) => layout.values.map(({ name }) => plainValue(row[name]));

type Column = TableLayout['values'][number];

/** Whether a value that is another one than before says that counters were set back. */
function isReset(column: Column, old: Value, value: Value): boolean {
  if (isResetTime(column)) return value !== null;
  if (column.kind !== 'counter') return false;
  return isNumeric(old) && isNumeric(value) && compare(value, old) < 0;
}

/** What is another value than before: the column, and what a counter was. Of the rest it is enough to know that. */
interface Difference {
  readonly index: number;
  readonly old: Value;
}

interface Change {
  /** Increases of counters, values of the rest. */
  readonly values: readonly Value[];
  readonly changed: boolean;
  /** The increases do not add up to the new values from the old ones. */
  readonly rebased: boolean;
}

/** What became of an object between two readings. After a reset the counters hold all that happened since it. */
function change(
  columns: readonly Column[],
  now: readonly Value[],
  differences: readonly Difference[],
): Change {
  const reset = differences.some(({ index, old }) => {
    const column = columns[index];
    return column !== undefined && isReset(column, old, now[index] ?? null);
  });
  const values = now.map((value, index) => {
    if (columns[index]?.kind !== 'counter') return value;
    if (!isNumeric(value) || (reset && compare(value, 0) < 0)) return null;
    return reset ? value : 0;
  });
  let changed = reset;
  let rebased = reset;
  for (const { index, old } of differences) {
    const value = now[index] ?? null;
    if (columns[index]?.kind !== 'counter') changed = true;
    else if (!isNumeric(value)) changed = rebased = true;
    else if (reset) continue;
    else if (isNumeric(old)) {
      values[index] = minus(value, old);
      changed = true;
    } else {
      changed = rebased = true;
      values[index] = null;
    }
  }
  return { values, changed, rebased };
}

function isContinued(family: Family | undefined, reading: Reading): family is Family {
  return (
    family !== undefined &&
    family.epoch === reading.epoch &&
    reading.at > family.at &&
    (family.server_instance === undefined ||
      reading.server_instance === undefined ||
      family.server_instance === reading.server_instance)
  );
}

interface Moves {
  moved: ObjectValues[];
  rebased: ObjectValues[];
  /** Every value is as it was. */
  isUnchanged: boolean;
}

interface Compared {
  readonly columns: readonly Column[];
  readonly readers: readonly ColumnReader[];
}

/** Where the values of a row are others than those of an object before. */
function differencesOf({ columns, readers }: Compared, old: number, now: readonly Value[]): Difference[] {
  const differences: Difference[] = [];
  for (let index = 0; index < now.length; index += 1) {
    const reader = readers[index];
    if (!reader || reader.isSame(old, now[index] ?? null)) continue;
    differences.push({ index, old: columns[index]?.kind === 'counter' ? reader.at(old) : null });
  }
  return differences;
}

function increases(layout: TableLayout, diff: ReadingDiff): Moves {
  const moves: Moves = { moved: [], rebased: [], isUnchanged: true };
  if (diff.isSameBytes) return moves;
  const counts = layout.values.some(({ kind }) => kind === 'counter');
  const compared = { columns: layout.values, readers: diff.values };
  for (const [index, row] of diff.rows.entries()) {
    const old = diff.from(index);
    if (old < 0) {
      // Nobody knows since when its counters count: it starts here. Without any it is what it is.
      const list = counts ? moves.rebased : moves.moved;
      list.push({ ref: diff.ref(index), values: valuesOf(layout, row) });
      continue;
    }
    if (diff.isSame(index)) continue;
    const now = valuesOf(layout, row);
    const differences = differencesOf(compared, old, now);
    if (differences.length === 0) continue;
    moves.isUnchanged = false;
    const found = change(layout.values, now, differences);
    if (found.changed) moves.moved.push({ ref: diff.ref(index), values: found.values });
    if (found.rebased) moves.rebased.push({ ref: diff.ref(index), values: now });
  }
  return moves;
}

/** The next reading of a family: what it is from now on, and the rows to store. */
export function diffReading(
  layout: TableLayout,
  family: Family | undefined,
  reading: Reading,
): { family: Family; ticks: Tick[] } {
  const { at, epoch, server_instance, complete } = reading;
  const diff = new ReadingDiff(layout, family?.objects, reading);
  const all = () =>
    diff.rows.map((row, index): ObjectValues => ({ ref: diff.ref(index), values: valuesOf(layout, row) }));
  const whole = (): Tick => ({ at, keyframe: true, whole: true, since: null, objects: all(), gone: [] });
  if (!isContinued(family, reading)) {
    const ticks = [whole()];
    return { family: { at, epoch, server_instance, keyframeAt: at, objects: diff.objects(false) }, ticks };
  }
  const { moved, rebased, isUnchanged } = increases(layout, diff);
  const gone = complete ? diff.gone : [];
  const ticks: Tick[] = [{ at, keyframe: false, whole: false, since: family.at, objects: moved, gone }];
  const due = at - family.keyframeAt >= keyframeMs(layout);
  if (due) ticks.push(whole());
  else if (rebased.length > 0)
    ticks.push({ at, keyframe: true, whole: false, since: null, objects: rebased, gone: [] });
  const keyframeAt = due ? at : family.keyframeAt;
  const objects = diff.objects(isUnchanged);
  return {
    family: { at, epoch, server_instance: server_instance ?? family.server_instance, keyframeAt, objects },
    ticks,
  };
}
