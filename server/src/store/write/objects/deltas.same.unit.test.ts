// The state of objects lies in columns of numbers; here it is compared with one that simply keeps every object.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TABLES } from '../../../testing/store/kept-probes.ts';
import { toJson } from '../../format/content.ts';
import { isResetTime, KEYFRAME_MS, layoutOf, type TableLayout } from '../../layout/table-layout.ts';
import { type Row, type Value, wholeRows } from '../../layout/types.ts';
import { diffReading, type Family, type ObjectRef, type Reading, type Tick } from './deltas.ts';

const layout: TableLayout =
  layoutOf({
    ...TABLES,
    columns: [
      ...TABLES.columns,
      { name: 'name', type: 'text', kind: 'key', description: 'Second part of the key.' },
      { name: 'stats_since', type: 'timestamp with time zone', kind: 'time', description: 'Since.' },
      { name: 'load', type: 'double precision', kind: 'gauge', description: 'A level.' },
      { name: 'is_ready', type: 'boolean', kind: 'gauge', description: 'A state.' },
    ],
  }) ?? expect.fail();

interface Plain {
  key: string;
  labels: string;
  values: Value[];
  id: number | undefined;
  dirty: boolean;
}

interface State {
  at: number;
  epoch: number;
  server_instance: string | undefined;
  keyframeAt: number;
  complete: boolean;
  objects: Map<string, Plain>;
}

interface Said {
  keyframe: boolean;
  whole: boolean;
  since: number | null;
  /** [key, id, whether the dictionary is asked, its labels, values]. */
  objects: [string, number | undefined, boolean, string, readonly Value[]][];
  gone: [string, number | undefined][];
}

const plainOf = (row: Row, name: string): Value => {
  const value = row[name];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
};
const isCount = (value: Value | undefined): value is number | string =>
  typeof value === 'number' || typeof value === 'string';

/** What one object became: increases of counters, or undefined where nothing changed. */
function became(before: readonly Value[], now: readonly Value[]) {
  const fell = layout.values.some((column, index) => {
    const [old, value] = [before[index] ?? null, now[index] ?? null];
    if (isResetTime(column)) return value !== null && value !== old;
    return column.kind === 'counter' && isCount(old) && isCount(value) && BigInt(value) < BigInt(old);
  });
  let [changed, rebased] = [fell, fell];
  const values = layout.values.map(({ kind }, index): Value => {
    const [old, value] = [before[index] ?? null, now[index] ?? null];
    if (kind !== 'counter') {
      if (old !== value) changed = true;
      return value;
    }
    if (!isCount(value) || (!isCount(old) && !fell)) {
      if (old !== value) [changed, rebased] = [true, true];
      return null;
    }
    const increase = BigInt(value) - (fell || !isCount(old) ? 0n : BigInt(old));
    if (increase < 0n) return null;
    if (increase > 0n) changed = true;
    return Number.isSafeInteger(Number(increase)) ? Number(increase) : String(increase);
  });
  return { values, changed, rebased };
}

function readPlain(state: State | undefined, rows: readonly Row[]): Map<string, Plain> {
  const objects = new Map<string, Plain>();
  for (const row of rows) {
    const key = JSON.stringify(layout.keys.map(({ name }) => plainOf(row, name)));
    if (objects.has(key)) continue;
    const labels = toJson(Object.fromEntries(layout.labels.map(({ name }) => [name, row[name] ?? null])));
    const old = state?.objects.get(key);
    const values = layout.values.map(({ name }) => plainOf(row, name));
    const dirty = (old?.dirty ?? false) || (old !== undefined && old.labels !== labels);
    objects.set(key, { key, labels, values, id: old?.id, dirty });
  }
  return objects;
}

function plainStep(state: State | undefined, reading: Reading): { state: State; said: Said[] } {
  const { at, epoch, server_instance, rows, complete } = reading;
  const objects = readPlain(state, wholeRows(rows));
  const told = (one: Plain, whole: boolean, values: readonly Value[]): Said['objects'][number] => [
    one.key,
    one.id,
    whole || one.dirty || one.id === undefined,
    one.labels,
    values,
  ];
  const list = (all: Iterable<Plain>, whole: boolean) => [...all].map((one) => told(one, whole, one.values));
  const whole = { keyframe: true, whole: true, since: null, objects: list(objects.values(), true), gone: [] };
  const isOther =
    state?.server_instance !== undefined &&
    server_instance !== undefined &&
    state.server_instance !== server_instance;
  if (!state || state.epoch !== epoch || at <= state.at || isOther)
    return { state: { at, epoch, server_instance, keyframeAt: at, complete, objects }, said: [whole] };
  const moved: Said['objects'] = [];
  const rebased: Plain[] = [];
  for (const one of objects.values()) {
    const old = state.objects.get(one.key);
    // What a complete reading before did not have was made since.
    const born = one.values.map((value, index): Value => {
      if (layout.values[index]?.kind !== 'counter') return value;
      return isCount(value) && BigInt(value) >= 0n ? value : null;
    });
    const found = old
      ? became(old.values, one.values)
      : { values: born, changed: state.complete, rebased: true };
    if (found.changed) moved.push(told(one, false, found.values));
    if (found.rebased) rebased.push(one);
  }
  const missing = complete ? [...state.objects.values()].filter(({ key }) => !objects.has(key)) : [];
  const gone = missing.map(({ key, id }): [string, number | undefined] => [key, id]);
  const said: Said[] = [{ keyframe: false, whole: false, since: state.at, objects: moved, gone }];
  const due = at - state.keyframeAt >= KEYFRAME_MS || (complete && !state.complete);
  if (due) said.push(whole);
  else if (rebased.length > 0)
    said.push({ keyframe: true, whole: false, since: null, objects: list(rebased, false), gone: [] });
  const keyframeAt = due ? at : state.keyframeAt;
  return {
    state: {
      at,
      epoch,
      server_instance: server_instance ?? state.server_instance,
      keyframeAt,
      complete,
      objects,
    },
    said,
  };
}

const saidOf = ({ keyframe, whole, since, objects, gone }: Tick): Said => ({
  keyframe,
  whole,
  since,
  objects: objects.map(({ ref, values }) => [
    ref.key,
    ref.id,
    whole || ref.dirty || ref.id === undefined,
    ref.labelsJson,
    values,
  ]),
  gone: gone.map(({ key, id }) => [key, id]),
});

const bigs = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }).map((value) => {
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : String(value);
});
const counter = fc.oneof(
  { weight: 6, arbitrary: fc.nat(300) },
  { weight: 1, arbitrary: fc.nat(70_000) },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom(255, 254, 65_535, 65_534, 2 ** 31, 2 ** 31 - 1, -(2 ** 31), -1) },
  { weight: 1, arbitrary: bigs },
);
const time = fc.constantFrom(
  null,
  '2026-01-02T03:04:05Z',
  '2026-01-02T03:04:05.1Z',
  '2026-01-02T03:04:05.100001Z',
  '2026-01-02T03:04:05.10Z',
  '2239-12-31T23:59:59.999999Z',
  '9999-12-31T23:59:59.999999Z',
  '1900-01-01T00:00:00Z',
  '2026-13-41T25:61:61Z',
  'infinity',
);
const object = fc.record({
  relid: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom('9223372036854775807', '9007199254740993')),
  name: fc.constantFrom('a', 'b', 'ä\u202e', null),
  relname: fc.constantFrom('old', 'old', 'old', 'new', ''),
  n_tup_ins: counter,
  seq_scan: counter,
  table_size: fc.oneof(counter, fc.constantFrom(Number.NaN, 0.5)),
  last_vacuum: time,
  stats_since: fc.oneof({ weight: 9, arbitrary: fc.constant('2026-01-01T00:00:00Z') }, time),
  load: fc.oneof(fc.constantFrom(null, 0, 1, 1.5, 1e300, Number.NaN, Number.POSITIVE_INFINITY), fc.double()),
  is_ready: fc.constantFrom(true, false, null),
});
const history = fc.array(
  fc.record({
    /** Rows of the reading before stay with this many others, so that most objects live on. */
    keeps: fc.boolean(),
    rows: fc.array(object, { maxLength: 6 }),
    pause: fc.integer({ min: -1, max: 2_000_000 }),
    epoch: fc.constantFrom(1, 1, 1, 1, 2),
    server_instance: fc.constantFrom('a', 'a', 'a', 'b', undefined),
    complete: fc.constantFrom(true, true, true, false),
    isCommitted: fc.boolean(),
    /** It came raw, so that rows with the same bytes are told by them. */
    isRaw: fc.constantFrom(true, true, false),
    isPacked: fc.boolean(),
  }),
  { maxLength: 20 },
);

/** Each row that differs has another number, as far as anybody can read it. */
function numbering(): (row: Row) => number {
  const known = new Map<string, number>();
  return (row) => {
    // What is decoded holds none, and the model takes it for another one each time.
    if (Object.values(row).some(Number.isNaN)) return Number.NaN;
    const text = JSON.stringify(
      Object.entries(row).map(([name, value]) => [name, typeof value, String(value)]),
    );
    const number = known.get(text) ?? known.size + 0.5;
    known.set(text, number);
    return number;
  };
}

const isKnown = (digest: number, { objects }: Family) => objects.digests?.includes(digest) === true;

/** The dictionary answers for everything that was asked since it did last. */
function commit(asked: readonly ObjectRef[], ids: Map<string, number>): void {
  for (const ref of asked) {
    const id = ids.get(ref.key) ?? ids.size + 1;
    ids.set(ref.key, id);
    Object.assign(ref, { id, dirty: false });
    ref.home?.settle(ref);
  }
}

it('says the same as if every object were kept, whatever is read and whenever the dictionary answers', () => {
  const met = { unchanged: 0, increases: 0, rebased: 0, wholes: 0, gone: 0, unnamed: 0, same: 0 };
  const meet = ({ keyframe, whole, objects, gone }: Said) => {
    if (whole) met.wholes += 1;
    else if (keyframe) met.rebased += 1;
    else if (objects.length > 0) met.increases += 1;
    else met.unchanged += 1;
    met.gone += gone.length;
    met.unnamed += objects.filter(([, id]) => id === undefined).length;
  };
  fc.assert(
    fc.property(history, (readings) => {
      let [family, state]: [Family | undefined, State | undefined] = [undefined, undefined];
      let asked: ObjectRef[] = [];
      let plainAsked: Plain[] = [];
      const ids = new Map<string, number>();
      const digest = numbering();
      let at = 0;
      let before: readonly Row[] = [];
      for (const { keeps, rows, pause, isCommitted, isRaw, isPacked, ...rest } of readings) {
        at += pause;
        before = keeps ? [...before, ...rows] : [...rows, ...before.slice(0, 3)];
        if (isRaw) met.same += before.filter((row) => family && isKnown(digest(row), family)).length;
        const reading = {
          at,
          ...rest,
          rows: before,
          ...(isRaw && { digests: Float64Array.from(before, digest) }),
        };
        const real = diffReading(layout, family, reading);
        const plain = plainStep(state, reading);
        expect(real.ticks.map(saidOf)).toEqual(plain.said);
        plain.said.forEach(meet);
        [family, state] = [real.family, plain.state];
        if (isPacked) family.objects.columns.pack(0);
        const needs = (ref: ObjectRef, whole: boolean) => whole || ref.dirty || ref.id === undefined;
        for (const { whole, objects, gone } of real.ticks)
          asked.push(
            ...objects.filter(({ ref }) => needs(ref, whole)).map(({ ref }) => ref),
            ...gone.filter((ref) => needs(ref, false)),
          );
        const mentioned = new Set(plain.said.flatMap(({ objects }) => objects.map(([key]) => key)));
        plainAsked.push(...[...plain.state.objects.values()].filter(({ key }) => mentioned.has(key)));
        if (!isCommitted) continue;
        commit(asked, ids);
        for (const one of plain.state.objects.values())
          if (plainAsked.some(({ key }) => key === one.key))
            Object.assign(one, { id: ids.get(one.key), dirty: false });
        [asked, plainAsked] = [[], []];
      }
    }),
    { numRuns: 1000 },
  );
  // A comparison of nothing with nothing would say the same too.
  for (const times of Object.values(met)) expect(times).toBeGreaterThan(100);
});
