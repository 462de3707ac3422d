// Names of objects: what the dictionary is told of one, and the ids it gave. A collector knows millions of objects, so
// a name is made only for one that a tick mentions, and between ticks only its id is kept. Guards: an id belongs to the
// object it was given for, however the rows are ordered meanwhile.
import { hash } from 'node:crypto';
import { storable, storableKey, toJson } from '../../format/content.ts';
import type { TableLayout } from '../../layout/table-layout.ts';
import { isByClass } from '../../layout/tiers.ts';
import { type ReadRow, type Value, valueIn } from '../../layout/types.ts';

const DIGEST_LENGTH = 22;

/** What the dictionary is told of an object. */
export interface ObjectRef {
  readonly key: string;
  /** JSON texts by column name. */
  readonly keyJson: string;
  /** `NO_LABELS` of an object that is gone and was named before. */
  labelsJson: string;
  /** Given by the dictionary; undefined until then. */
  id: number | undefined;
  /** The dictionary has other labels. */
  dirty: boolean;
  /** Where its id is remembered. */
  readonly home?: Names;
}

export const NO_LABELS = '{}';

export function plainValue(value: unknown): Value {
  if (typeof value === 'string') return storable(value);
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** As JSON says it. */
export function keyValue(value: unknown): Value {
  const plain = plainValue(value);
  return typeof plain === 'number' && !Number.isFinite(plain) ? null : plain;
}

function pick(row: ReadRow, columns: readonly { name: string }[]): string {
  const picked: Record<string, unknown> = {};
  for (const { name } of columns) picked[name] = valueIn(row, name) ?? null;
  return toJson(picked);
}

export const keyText = (row: ReadRow, layout: TableLayout) =>
  JSON.stringify(layout.keys.map(({ name }) => keyValue(valueIn(row, name))));

export function nameOf(row: ReadRow, layout: TableLayout): Pick<ObjectRef, 'key' | 'keyJson' | 'labelsJson'> {
  return {
    key: keyOf(row, layout),
    keyJson: pick(row, layout.keys),
    labelsJson: pick(row, layout.labels),
  };
}

export const labelsOf = (row: ReadRow, layout: TableLayout) => pick(row, layout.labels);

/** Of combinations of sessions, which are many and live for seconds, the dictionary holds a digest instead. */
export function keyOf(row: ReadRow, layout: TableLayout): string {
  const text = keyText(row, layout);
  return isByClass(layout) ? hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH) : storableKey(text);
}

const SEEDS = [0x2545f491, 0x9e3779b1] as const;

/** 53 bits of the labels: whoever makes two alike has an old label shown of his own object until the next keyframe. */
export function labelsDigest(row: ReadRow, layout: TableLayout): number {
  let [a, b]: [number, number] = [SEEDS[0], SEEDS[1]];
  for (const { name } of layout.labels) {
    const value = valueIn(row, name) ?? null;
    const text = typeof value === 'string' ? value : toJson(value);
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      a = Math.imul(a ^ code, 0x85ebca77);
      b = Math.imul(b ^ code, 0xc2b2ae3d);
    }
    a = Math.imul(a ^ (a >>> 15) ^ (typeof value === 'string' ? 0x10001 : 0x10002), 0x27d4eb2f);
    b = Math.imul(b ^ (b >>> 13) ^ a, 0x165667b1);
  }
  a ^= a >>> 16;
  b ^= b >>> 16;
  return (b >>> 0) + (a & 0x1fffff) * 2 ** 32;
}

/** The ids of a family's objects, in the order of its rows, and the names that still wait for one. */
export class Names {
  #ids: Int32Array;
  #waiting: Map<ObjectRef, number>;

  constructor(count = 0) {
    this.#ids = new Int32Array(count);
    this.#waiting = new Map();
  }

  /** The dictionary has answered for it. */
  settle(ref: ObjectRef): void {
    const index = this.#waiting.get(ref);
    if (index === undefined) return;
    this.#waiting.delete(ref);
    this.#ids[index] = ref.id ?? 0;
  }

  /** The dictionary has answered for objects of the same keys: others than these wait no longer. */
  learn(answered: Iterable<ObjectRef>): void {
    if (this.#waiting.size === 0) return;
    const byKey = new Map([...this.#waiting.keys()].map((ref) => [ref.key, ref]));
    for (const { key, labelsJson, id } of answered) {
      const ref = byKey.get(key);
      if (!ref || id === undefined) continue;
      ref.id = id;
      // Told of other labels meanwhile, the dictionary has to be told of these.
      if (ref.labelsJson === labelsJson) this.settle(ref);
      else ref.dirty = true;
    }
  }

  /** It is on its way by another way than memory, by which it comes back as another: see `learnIds`. */
  leave(ref: ObjectRef): void {
    if (ref.id === undefined && !ref.dirty) this.#waiting.delete(ref);
  }

  /** Places of objects that have no id and do not wait for one here. */
  get unnamed(): number[] {
    const waiting = new Set(this.#waiting.values());
    const places: number[] = [];
    for (const [index, id] of this.#ids.entries()) if (id === 0 && !waiting.has(index)) places.push(index);
    return places;
  }

  give(index: number, id: number): void {
    this.#ids[index] = id;
  }

  idOf(index: number): number | undefined {
    return this.#ids[index] || undefined;
  }

  await(ref: ObjectRef, index: number): void {
    this.#waiting.set(ref, index);
  }

  get waiting(): Map<number, ObjectRef> {
    return new Map([...this.#waiting].map(([ref, index]) => [index, ref]));
  }

  /** Each object is where it was said to be from now on; -1: it is new. */
  move(from: readonly number[]): void {
    const waiting = this.waiting;
    const before = this.#ids;
    this.#ids = Int32Array.from(from, (index) => before[index] ?? 0);
    this.#waiting = new Map();
    if (waiting.size === 0) return;
    for (const [index, old] of from.entries()) {
      const ref = waiting.get(old);
      if (ref) this.#waiting.set(ref, index);
    }
  }
}
