// From two readings of a family of objects to what is stored of the second: objects that changed, with counters as
// increases, and keyframes with the values as they were read. Pure. Guards: no increase is negative, none holds more
// than what happened between two readings of the same object on the same incarnation of the server; the values of
// every tick can be rebuilt from the newest keyframe and the increases since.
import { hash } from 'node:crypto';
import { storable, storableKey, toJson } from './content.ts';
import { isResetTime, type Shape } from './shapes.ts';
import { isByClass } from './tiers.ts';
import type { Row, Value } from './types.ts';

const DIGEST_LENGTH = 22;

/** What the dictionary holds of an object; the same one lives on from tick to tick. */
export interface ObjectRef {
  readonly key: string;
  /** JSON texts by column name. */
  readonly keyJson: string;
  labelsJson: string;
  /** Given by the dictionary; undefined until then. */
  id: number | undefined;
  /** The dictionary has other labels. */
  dirty: boolean;
}

interface Known {
  readonly ref: ObjectRef;
  /** As last read, in the order of the shape's values. */
  readonly values: readonly Value[];
}

/** The newest reading of one probe in one database of a connection. */
export interface Family {
  readonly at: number;
  readonly epoch: number;
  readonly incarnation: string | undefined;
  readonly keyframeAt: number;
  readonly objects: ReadonlyMap<string, Known>;
}

export interface Reading {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly epoch: number;
  /** Tells one life of a server from another, where that is known. */
  readonly incarnation: string | undefined;
  readonly rows: readonly Row[];
  /** False: rows were cut off, so an object that is missing may still exist. */
  readonly complete: boolean;
}

/** One stored row. Values stand object by object, in the order of the shape's values. */
export interface Tick {
  readonly at: number;
  readonly keyframe: boolean;
  readonly whole: boolean;
  readonly since: number | null;
  readonly objects: readonly Known[];
  readonly gone: readonly ObjectRef[];
}

/** Readers look back an hour for one. Frequent ticks have it sooner, since those after it stay raw. */
export const KEYFRAME_MS = 3_600_000;
const MOST_TICKS = 60;
const keyframeMs = ({ intervalSeconds }: Shape) => Math.min(KEYFRAME_MS, MOST_TICKS * intervalSeconds * 1000);

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

function plainValue(value: unknown): Value {
  if (typeof value === 'string') return storable(value);
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

const pick = (row: Row, columns: readonly { name: string }[]) =>
  toJson(Object.fromEntries(columns.map(({ name }) => [name, row[name] ?? null])));

/** Of combinations of sessions, which are many and live for seconds, the dictionary holds a digest instead. */
function keyOf(row: Row, shape: Shape): string {
  const text = JSON.stringify(shape.keys.map(({ name }) => plainValue(row[name])));
  return isByClass(shape) ? hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH) : storableKey(text);
}

/** Every object once, under the reference it already had. */
function readObjects(shape: Shape, family: Family | undefined, rows: readonly Row[]): Map<string, Known> {
  const objects = new Map<string, Known>();
  for (const row of rows) {
    const key = keyOf(row, shape);
    if (objects.has(key)) continue;
    const labelsJson = pick(row, shape.labels);
    const before = family?.objects.get(key)?.ref;
    const ref = before ?? { key, keyJson: pick(row, shape.keys), labelsJson, id: undefined, dirty: false };
    if (ref.labelsJson !== labelsJson) {
      ref.labelsJson = labelsJson;
      ref.dirty = true;
    }
    objects.set(key, { ref, values: shape.values.map(({ name }) => plainValue(row[name])) });
  }
  return objects;
}

function wasReset(shape: Shape, before: readonly Value[], now: readonly Value[]): boolean {
  return shape.values.some((column, index) => {
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
function change(shape: Shape, before: readonly Value[], now: readonly Value[]): Change {
  const reset = wasReset(shape, before, now);
  let changed = reset;
  let rebased = reset;
  const values = shape.values.map(({ kind }, index) => {
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
    (family.incarnation === undefined ||
      reading.incarnation === undefined ||
      family.incarnation === reading.incarnation)
  );
}

function increases(shape: Shape, family: Family, objects: ReadonlyMap<string, Known>) {
  const counts = shape.values.some(({ kind }) => kind === 'counter');
  const moved: Known[] = [];
  const rebased: Known[] = [];
  for (const [key, object] of objects) {
    const before = family.objects.get(key);
    if (!before) {
      // Nobody knows since when its counters count: it starts here. Without any it is what it is.
      (counts ? rebased : moved).push(object);
      continue;
    }
    const found = change(shape, before.values, object.values);
    if (found.changed) moved.push({ ref: object.ref, values: found.values });
    if (found.rebased) rebased.push(object);
  }
  return { moved, rebased };
}

/** The next reading of a family: what it is from now on, and the rows to store. */
export function step(
  shape: Shape,
  family: Family | undefined,
  reading: Reading,
): { family: Family; ticks: Tick[] } {
  const { at, epoch, incarnation, rows, complete } = reading;
  const objects = readObjects(shape, family, rows);
  const whole = (): Tick => ({
    at,
    keyframe: true,
    whole: true,
    since: null,
    objects: [...objects.values()],
    gone: [],
  });
  if (!isContinued(family, reading))
    return { family: { at, epoch, incarnation, keyframeAt: at, objects }, ticks: [whole()] };
  const { moved, rebased } = increases(shape, family, objects);
  const gone = complete
    ? [...family.objects].filter(([key]) => !objects.has(key)).map(([, { ref }]) => ref)
    : [];
  const ticks: Tick[] = [{ at, keyframe: false, whole: false, since: family.at, objects: moved, gone }];
  const due = at - family.keyframeAt >= keyframeMs(shape);
  if (due) ticks.push(whole());
  else if (rebased.length > 0)
    ticks.push({ at, keyframe: true, whole: false, since: null, objects: rebased, gone: [] });
  const keyframeAt = due ? at : family.keyframeAt;
  return {
    family: { at, epoch, incarnation: incarnation ?? family.incarnation, keyframeAt, objects },
    ticks,
  };
}
