// From two readings of a family of objects to what is stored of the second: objects that changed, with counters as
// increases, and keyframes with the values as they were read. Pure. Guards: no increase is negative, none holds more
// than what happened between two readings of the same object on the same instance of the server; the values of
// every tick can be rebuilt from the newest keyframe and the increases since.

import { keyframeMs, type TableLayout } from '../../layout/table-layout.ts';
import { type ReadRow, type Value, valueIn } from '../../layout/types.ts';
import {
  birthsAfter,
  birthsWithDatabase,
  change,
  type Difference,
  inherited,
  momentsOf,
  sinceBirth,
  youngestOf,
} from './changes.ts';
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
  /** Every object was in it: none was cut off or hidden from us. */
  readonly isWhole: boolean;
  /** Objects that were left out may be stored with older values. */
  readonly isCut?: boolean;
  readonly continuity?: string | undefined;
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
  /** Objects or their values may be hidden from us. */
  readonly isMasked?: boolean;
  /** See Ran. */
  readonly continuity?: string | undefined;
  /** See ProbeRun. */
  readonly made_after?: number | undefined;
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

const valuesOf = (layout: TableLayout, row: ReadRow) =>
  layout.values.map(({ name }) => plainValue(valueIn(row, name)));

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
  readonly layout: TableLayout;
  readonly readers: readonly ColumnReader[];
}

/** Where the values of a row are others than those of an object before. */
function differencesOf({ layout, readers }: Compared, old: number, now: readonly Value[]): Difference[] {
  const differences: Difference[] = [];
  for (let index = 0; index < now.length; index += 1) {
    const reader = readers[index];
    if (!reader || reader.isSame(old, now[index] ?? null)) continue;
    differences.push({ index, old: layout.values[index]?.kind === 'counter' ? reader.at(old) : null });
  }
  return differences;
}

/** The values of those objects of before whose counters an object may go on with. */
function basesOf(
  { layout, readers }: Compared,
  diff: ReadingDiff,
  index: number,
): (readonly Value[])[] | undefined {
  if (!layout.births.inherits) return undefined;
  const heir = diff.namesake(index);
  if (heir < 0) return undefined;
  const places = [heir, diff.from(index)].filter((place) => place >= 0);
  return places.map((place) => readers.map((reader) => reader.at(place)));
}

function increases(layout: TableLayout, diff: ReadingDiff, isBorn: (row: ReadRow) => boolean): Moves {
  const moves: Moves = { moved: [], rebased: [], isUnchanged: true };
  if (diff.isSameBytes) return moves;
  const counts = layout.values.some(({ kind }) => kind === 'counter');
  const compared = { layout, readers: diff.values };
  for (const [index, row] of diff.rows.entries()) {
    if (diff.isSame(index)) continue;
    const now = valuesOf(layout, row);
    const old = diff.from(index);
    const bases = basesOf(compared, diff, index);
    if (bases) {
      moves.isUnchanged = false;
      moves.moved.push({ ref: diff.ref(index), values: inherited(layout, now, bases) });
      moves.rebased.push({ ref: diff.ref(index), values: now });
    } else if (old < 0) {
      // One of which nobody knows since when its counters count starts here. Without any it is what it is.
      if (!counts || isBorn(row)) moves.moved.push({ ref: diff.ref(index), values: sinceBirth(layout, now) });
      if (counts) moves.rebased.push({ ref: diff.ref(index), values: now });
    } else move(compared, { ref: () => diff.ref(index), old, now }, moves);
  }
  return moves;
}

interface Moving {
  readonly ref: () => ObjectRef;
  readonly old: number;
  readonly now: readonly Value[];
}

function move(compared: Compared, { ref, old, now }: Moving, moves: Moves): void {
  const differences = differencesOf(compared, old, now);
  if (differences.length === 0) return;
  moves.isUnchanged = false;
  const found = change(compared.layout, now, differences);
  if (found.changed) moves.moved.push({ ref: ref(), values: found.values });
  if (found.rebased) moves.rebased.push({ ref: ref(), values: now });
}

/** With all values as they were read. */
function wholeTick(layout: TableLayout, diff: ReadingDiff, at: number): Tick {
  const objects = diff.rows.map(
    (row, index): ObjectValues => ({ ref: diff.ref(index), values: valuesOf(layout, row) }),
  );
  return { at, keyframe: true, whole: true, since: null, objects, gone: [] };
}

/** Of the first reading of a family: whole, and in a database that was made a moment ago all that happened in it. */
function firstTicks(layout: TableLayout, diff: ReadingDiff, { at, made_after: since }: Reading): Tick[] {
  const whole = wholeTick(layout, diff, at);
  if (since === undefined || since >= at || !layout.births.withDatabase) return [whole];
  const isBorn = birthsWithDatabase(layout);
  const born = whole.objects.flatMap(({ ref, values }, index) =>
    isBorn(diff.rows[index] ?? {}) ? [{ ref, values: sinceBirth(layout, values) }] : [],
  );
  return [{ at, keyframe: false, whole: false, since, objects: born, gone: [] }, whole];
}

/** The next reading of a family: what it is from now on, and the rows to store. */
export function diffReading(
  layout: TableLayout,
  family: Family | undefined,
  reading: Reading,
): { family: Family; ticks: Tick[] } {
  const { at, epoch, server_instance, complete, continuity } = reading;
  const diff = new ReadingDiff(layout, family?.objects, reading);
  const known = { at, epoch, isWhole: complete && reading.isMasked !== true, isCut: !complete, continuity };
  if (!isContinued(family, reading)) {
    const ticks = firstTicks(layout, diff, family ? { ...reading, made_after: undefined } : reading);
    return { family: { ...known, server_instance, keyframeAt: at, objects: diff.objects(false) }, ticks };
  }
  const listed = {
    isWhole: family.isWhole,
    continuity: family.continuity,
    youngest: () => youngestOf(momentsOf(layout, diff.values, family.objects.count)),
  };
  const { moved, rebased, isUnchanged } = increases(layout, diff, birthsAfter(layout, listed, continuity));
  const gone = complete ? diff.gone : [];
  const ticks: Tick[] = [{ at, keyframe: false, whole: false, since: family.at, objects: moved, gone }];
  // What a cut list left out and is gone by now ends with all values of the first complete one.
  const due = at - family.keyframeAt >= keyframeMs(layout) || (complete && family.isCut === true);
  if (due) ticks.push(wholeTick(layout, diff, at));
  else if (rebased.length > 0)
    ticks.push({ at, keyframe: true, whole: false, since: null, objects: rebased, gone: [] });
  const keyframeAt = due ? at : family.keyframeAt;
  const objects = diff.objects(isUnchanged);
  return {
    family: { ...known, server_instance: server_instance ?? family.server_instance, keyframeAt, objects },
    ticks,
  };
}
