import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TABLES } from '../../../testing/store/kept-probes.ts';
import { KEYFRAME_MS, layoutOf, type TableLayout } from '../../layout/table-layout.ts';
import type { Row, Value } from '../../layout/types.ts';
import { diffReading, type Family, type Tick } from './deltas.ts';

const layout: TableLayout = layoutOf(TABLES) ?? expect.fail();
const withReset: TableLayout =
  layoutOf({
    ...TABLES,
    columns: [
      ...TABLES.columns,
      { name: 'stats_since', type: 'timestamp with time zone', kind: 'time', description: 'Since.' },
    ],
  }) ?? expect.fail();

interface Read {
  at?: number;
  epoch?: number;
  server_instance?: string;
  complete?: boolean;
  isMasked?: boolean;
  continuity?: string | undefined;
  made_after?: number;
}

/** Feeds readings one after another; answers the ticks of each. */
function feeding(of: TableLayout = layout) {
  let family: Family | undefined;
  let clock = 0;
  return (
    rows: readonly Row[],
    { at = clock + 60_000, epoch = 1, complete = true, server_instance, ...more }: Read = {},
  ) => {
    clock = at;
    const result = diffReading(of, family, { at, epoch, server_instance, rows, complete, ...more });
    family = result.family;
    return result.ticks;
  };
}

const table = (relid: number, n_tup_ins: Value, more: Row = {}): Row => ({
  relid,
  relname: `t${relid}`,
  n_tup_ins,
  seq_scan: 0,
  table_size: 1,
  last_vacuum: null,
  ...more,
});

/** What is stored of the column n_tup_ins, object by object. */
const stored = (ticks: readonly Tick[], keyframe: boolean) =>
  ticks
    .filter((tick) => tick.keyframe === keyframe)
    .flatMap(({ objects }) => objects.map(({ ref, values }) => [ref.key, values[0]]));

describe('increases', () => {
  it('begin with a keyframe and hold only what changed', () => {
    const feed = feeding();
    const [first] = feed([table(1, 10), table(2, 5)]);
    expect(first).toMatchObject({ keyframe: true, whole: true, since: null });
    expect(stored(feed([table(1, 14), table(2, 5)]), false)).toEqual([['[1]', 4]]);
    expect(stored(feed([table(1, 14), table(2, 5)]), false)).toEqual([]);
  });

  it('are exact beyond the range of numbers', () => {
    const feed = feeding();
    feed([table(1, '9223372036854775800')]);
    expect(stored(feed([table(1, '9223372036854775807')]), false)).toEqual([['[1]', 7]]);
    feed([table(2, 0)]);
    expect(stored(feed([table(2, '9223372036854775807')]), false)).toEqual([['[2]', '9223372036854775807']]);
    const low = feeding();
    low([table(1, Number.MAX_SAFE_INTEGER)]);
    expect(stored(low([table(1, '9007199254740993')]), false)).toEqual([['[1]', 2]]);
  });

  it('a counter that falls was reset: what it holds is the increase, and a keyframe follows', () => {
    const feed = feeding();
    feed([table(1, 1000, { seq_scan: 5 })]);
    const ticks = feed([table(1, 3, { seq_scan: 9 })]);
    expect(ticks[0]?.objects[0]?.values.slice(0, 2)).toEqual([3, 9]);
    expect(stored(ticks, true)).toEqual([['[1]', 3]]);
    expect(ticks[1]?.whole).toBe(false);
  });

  it('a newer reset time says so even when the counter is higher', () => {
    const feed = feeding(withReset);
    feed([table(1, 10, { stats_since: '2026-01-01T00:00:00Z' })]);
    expect(stored(feed([table(1, 40, { stats_since: '2026-01-01T00:00:30Z' })]), false)).toEqual([
      ['[1]', 40],
    ]);
  });

  it('of an object that a complete reading before did not have are all that it counts', () => {
    const feed = feeding();
    feed([table(1, 5)]);
    const came = feed([table(1, 5), table(2, 1_000_000)]);
    expect(stored(came, false)).toEqual([['[2]', 1_000_000]]);
    expect(stored(came, true)).toEqual([['[2]', 1_000_000]]);
    const went = feed([table(1, 5)]);
    expect(went[0]?.gone.map(({ key }) => key)).toEqual(['[2]']);
    expect(stored(feed([table(1, 5), table(2, 7)]), false)).toEqual([['[2]', 7]]);
  });

  it('of a new object start at its first reading where the reading before was cut off, which all values follow', () => {
    const feed = feeding();
    feed([table(1, 5)], { complete: false });
    const came = feed([table(1, 5), table(2, 1_000_000)]);
    expect(stored(came, false)).toEqual([]);
    expect(came.map(({ whole }) => whole)).toEqual([false, true]);
    expect(stored(came, true)).toEqual([
      ['[1]', 5],
      ['[2]', 1_000_000],
    ]);
  });

  it('of a new object start at its first reading where the reading before hid objects from us', () => {
    const feed = feeding();
    feed([table(1, 5)], { isMasked: true });
    const came = feed([table(1, 5), table(2, 1_000_000)]);
    expect(stored(came, false)).toEqual([]);
    expect(stored(came, true)).toEqual([['[2]', 1_000_000]]);
  });

  describe('of statements, which are thrown away and counted anew', () => {
    const evicted: TableLayout = { ...withReset, births: { ...withReset.births, areEvicted: true } };
    const since = (stats_since: string | null) => ({ stats_since });
    const old = since('2026-01-01T00:00:00Z');
    it.each([
      { why: 'nothing was thrown away in between', at: null, said: ['1/a', '1/a'], is: [['[2]', 77]] },
      { why: 'something was thrown away', at: null, said: ['1/a', '2/a'], is: [] },
      { why: 'nobody knows', at: null, said: [undefined, undefined], is: [] },
      {
        why: 'something was, and it says since when it counts',
        at: '2026-01-01T00:00:01Z',
        said: ['1/a', '2/a'],
        is: [['[2]', 77]],
      },
      { why: 'it says that it counts for longer', at: '2025-12-31T00:00:00Z', said: ['1/a', '2/a'], is: [] },
      {
        why: 'it counts since the same moment as one of before',
        at: '2026-01-01T00:00:00Z',
        said: ['1/a', '2/a'],
        is: [],
      },
    ])('$why', ({ at, said: [before, now], is }) => {
      const feed = feeding(evicted);
      feed([table(1, 10, at === null ? since(null) : old)], { continuity: before });
      const rows = [table(1, 10, at === null ? since(null) : old), table(2, 77, since(at))];
      expect(stored(feed(rows, { continuity: now }), false)).toEqual(is);
    });
  });

  it('of a new database are all that it counts, but for what all databases share', () => {
    const shared: TableLayout = { ...layout, births: { ...layout.births, sharedBelow: 100 } };
    const [first, whole] = feeding(shared)([table(1, 9000), table(200, 12_345)], {
      at: 60_000,
      made_after: 30_000,
    });
    expect(first).toMatchObject({ keyframe: false, since: 30_000 });
    expect(stored([first ?? expect.fail()], false)).toEqual([['[200]', 12_345]]);
    expect(whole).toMatchObject({ keyframe: true, whole: true });
    expect(
      feeding({ ...layout, births: { ...layout.births, withDatabase: false } })([table(200, 5)], {
        at: 60_000,
        made_after: 30_000,
      }),
    ).toHaveLength(1);
  });

  describe('of an index that takes over from another one', () => {
    const indexes: TableLayout = { ...layout, births: { ...layout.births, inherits: true } };
    const named = (relid: number, relname: string, count: number) => table(relid, count, { relname });
    it('go on from what that one had', () => {
      const feed = feeding(indexes);
      feed([named(1, 'i', 1_000_000)]);
      expect(stored(feed([named(2, 'i', 1_000_003)]), false)).toEqual([['[2]', 3]]);
      expect(stored(feed([named(3, 'i', 1_000_003)]), false)).toEqual([['[3]', 0]]);
    });
    it('also when it was seen before it was given the name', () => {
      const feed = feeding(indexes);
      feed([named(1, 'i', 1_000_000)]);
      feed([named(1, 'i', 1_000_000), named(2, 'i_ccnew', 0)]);
      expect(stored(feed([named(1, 'i_ccold', 1_000_001), named(2, 'i', 1_000_004)]), false)).toEqual([
        ['[1]', 1],
        ['[2]', 4],
      ]);
      expect(stored(feed([named(2, 'i', 1_000_005)]), false)).toEqual([['[2]', 1]]);
    });
    it('and of one that was made anew under the name are all that it counts', () => {
      const feed = feeding(indexes);
      feed([named(1, 'i', 1_000_000)]);
      expect(stored(feed([named(2, 'i', 12)]), false)).toEqual([['[2]', 12]]);
    });
    it('never count twice what an index had counted that another one was named after', () => {
      const feed = feeding(indexes);
      feed([named(1, 'i', 3), named(2, 'j', 5)]);
      expect(stored(feed([named(2, 'i', 9)]), false)).toEqual([['[2]', 4]]);
    });
  });

  it('an object missing from an answer that was cut off is not gone', () => {
    const feed = feeding();
    feed([table(1, 5), table(2, 5)]);
    expect(feed([table(1, 5)], { complete: false })[0]?.gone).toEqual([]);
  });

  it.each([
    ['another lease', { epoch: 2 }],
    ['another instance of the server', { server_instance: 'b' }],
    ['a clock that was set back', { at: 1 }],
  ])('%s starts with a keyframe without increases', (_name, change) => {
    const feed = feeding();
    feed([table(1, 5)], { at: 60_000, server_instance: 'a' });
    const ticks = feed([table(1, 1e12)], { server_instance: 'a', ...change });
    expect(ticks.map(({ keyframe, whole }) => [keyframe, whole])).toEqual([[true, true]]);
  });

  it('an oid used again with smaller counters is never negative, and its new name is told', () => {
    const feed = feeding();
    feed([table(7, 500)]);
    const ticks = feed([table(7, 2, { relname: 'other' })]);
    expect(stored(ticks, false)).toEqual([['[7]', 2]]);
    expect(ticks[0]?.objects[0]?.ref).toMatchObject({ dirty: true, labelsJson: '{"relname":"other"}' });
  });

  it('a counter that becomes unknown is unknown, and known again without an increase', () => {
    const feed = feeding();
    feed([table(1, 5)]);
    expect(stored(feed([table(1, null)]), false)).toEqual([['[1]', null]]);
    const back = feed([table(1, 50)]);
    expect(stored(back, false)).toEqual([['[1]', null]]);
    expect(stored(back, true)).toEqual([['[1]', 50]]);
  });

  it('every hour there is a keyframe of all objects beside the increases', () => {
    const feed = feeding();
    feed([table(1, 5), table(2, 5)], { at: 0 });
    const ticks = feed([table(1, 6), table(2, 5)], { at: KEYFRAME_MS });
    expect(ticks.map(({ keyframe, whole, objects }) => [keyframe, whole, objects.length])).toEqual([
      [false, false, 1],
      [true, true, 2],
    ]);
  });
});

/** Rebuilds every object's counter from keyframes and increases alone. */
function rebuild(state: Map<string, Value>, ticks: readonly Tick[]): void {
  for (const { keyframe, whole, objects, gone } of ticks) {
    if (whole) state.clear();
    for (const { key } of gone) state.delete(key);
    for (const { ref, values } of objects) {
      const [value] = values;
      const now = state.get(ref.key);
      if (keyframe) state.set(ref.key, value ?? null);
      else if (value === null || value === undefined || now === null || now === undefined)
        state.set(ref.key, null);
      else state.set(ref.key, String(BigInt(now) + BigInt(value)));
    }
  }
}

const counter = fc.oneof(
  { weight: 8, arbitrary: fc.nat(100) },
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map((value) => {
      const plain = Number(value);
      return Number.isSafeInteger(plain) ? plain : String(value);
    }),
  },
);
const reading = fc.record({
  rows: fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 4 }), counter), { selector: ([relid]) => relid }),
  pause: fc.integer({ min: 1, max: 2_000_000 }),
  epoch: fc.constantFrom(1, 1, 1, 1, 2),
  server_instance: fc.constantFrom('a', 'a', 'a', 'b', undefined),
});

describe('a reading whose rows came with the same bytes as before', () => {
  /** A row of which nothing may be asked. */
  const closed = (): Row =>
    new Proxy<Row>({}, { get: () => expect.fail('a value of a row that is known was read') });

  it('is not looked at, and its objects go on from where they were', () => {
    const digests = Float64Array.of(11, 12);
    const reading = { epoch: 1, server_instance: undefined, complete: true };
    const first = diffReading(layout, undefined, {
      ...reading,
      at: 1000,
      rows: [table(1, 10), table(2, 5)],
      digests,
    });
    const same = { ...reading, at: 2000, rows: [closed(), closed()], digests: Float64Array.from(digests) };
    const second = diffReading(layout, first.family, same);
    expect(second.ticks).toEqual([
      { at: 2000, keyframe: false, whole: false, since: 1000, objects: [], gone: [] },
    ]);
    const rows = [table(1, 10), table(2, 9)];
    const third = diffReading(layout, second.family, {
      ...reading,
      at: 3000,
      rows,
      digests: Float64Array.of(11, 13),
    });
    expect(third.ticks[0]).toMatchObject({ since: 2000 });
    expect(stored(third.ticks, false)).toEqual([['[2]', 4]]);
    // In another order they are found, but not without a look.
    const swapped = { ...same, at: 4000, rows: rows.toReversed(), digests: Float64Array.of(13, 11) };
    expect(stored(diffReading(layout, third.family, swapped).ticks, false)).toEqual([]);
  });
});

describe('any sequence of readings', () => {
  it('is never negative, never more than is there, and can be rebuilt', () => {
    fc.assert(
      fc.property(fc.array(reading, { maxLength: 25 }), (readings) => {
        const feed = feeding();
        const state = new Map<string, Value>();
        let at = 0;
        for (const { rows, pause, epoch, server_instance } of readings) {
          at += pause;
          const ticks = feed(
            rows.map(([relid, value]) => table(relid, value)),
            { at, epoch, ...(server_instance !== undefined && { server_instance }) },
          );
          const now = new Map(rows.map(([relid, value]) => [`[${relid}]`, value]));
          for (const [key, value] of stored(ticks, false)) {
            if (value === null || value === undefined) continue;
            const raw = now.get(String(key)) ?? null;
            expect(BigInt(String(value)) >= 0n && BigInt(String(value)) <= BigInt(String(raw))).toBe(true);
          }
          rebuild(state, ticks);
          const expected = [...now].map(([key, value]) => [key, value === null ? null : String(value)]);
          const actual = [...state].map(([key, value]) => [key, value === null ? null : String(value)]);
          expect(actual.sort()).toEqual(expected.sort());
        }
      }),
    );
  });
});
