// From two readings of a family of objects to what is stored of the second: objects that changed, with counters as
// increases, and keyframes with the values as they were read. Pure. Guards: no increase is negative, none holds more
// than what happened between two readings of the same object on the same instance of the server; the values of
// every tick can be rebuilt from the newest keyframe and the increases since.

import { keyframeMs } from '../../layout/keyframes.ts';
import { isResetTime, type TableLayout } from '../../layout/table-layout.ts';
import type { Row, Value } from '../../layout/types.ts';
import { type ObjectRef, plainValue } from './object-names.ts';
import { type Objects, ReadingDiff, type Rows, readersOf } from './reading-diff.ts';

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

function wasReset(layout: TableLayout, before: readonly Value[], now: readonly Value[]): boolean {
  return layout.values.some((column, index) => {
    const [old, value] = [before[index] ?? null, now[index] ?? null];
    if (isResetTime(column)) return value !== null && value !== old;
    if (column.kind !== 'counter') return false;
    return isNumeric(old) && isNumeric(value) && compare(value, old) < 0;
  });
}

interface Change {
  /** Increases of counters, values of the rest. */
  readonly values: readonly Value[];
  readonly changed: boolean;
  /** The increases do not add up to the new values from the old ones. */
  readonly rebased: boolean;
}

/** What became of an object between two readings. After a reset the counters hold all that happened since it. */
function change(layout: TableLayout, before: readonly Value[], now: readonly Value[]): Change {
  const reset = wasReset(layout, before, now);
  let changed = reset;
  let rebased = reset;
  const values = layout.values.map(({ kind }, index) => {
    const [old, value] = [before[index] ?? null, now[index] ?? null];
    if (kind !== 'counter') {
      if (old !== value) changed = true;
      return value;
    }
    if (!isNumeric(value) || (!isNumeric(old) && !reset)) {
      if (value !== old) changed = rebased = true;
      return null;
    }
    const increase = reset || !isNumeric(old) ? value : minus(value, old);
    if (compare(increase, 0) < 0) return null;
    if (compare(increase, 0) > 0) changed = true;
    return increase;
  });
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

function increases(layout: TableLayout, before: Objects, diff: ReadingDiff): Moves {
  const counts = layout.values.some(({ kind }) => kind === 'counter');
  const { values: readers } = readersOf(layout, before);
  const moves: Moves = { moved: [], rebased: [], isUnchanged: true };
  for (const [index, row] of diff.rows.entries()) {
    const old = diff.from[index] ?? -1;
    if (old < 0) {
      // Nobody knows since when its counters count: it starts here. Without any it is what it is.
      const list = counts ? moves.rebased : moves.moved;
      list.push({ ref: diff.ref(index), values: valuesOf(layout, row) });
      continue;
    }
    if (diff.isSame(index)) continue;
    if (layout.values.every(({ name }, column) => readers[column]?.isSame(old, plainValue(row[name]))))
      continue;
    moves.isUnchanged = false;
    const now = valuesOf(layout, row);
    const found = change(
      layout,
      readers.map((reader) => reader.at(old)),
      now,
    );
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
  const { moved, rebased, isUnchanged } = increases(layout, family.objects, diff);
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
