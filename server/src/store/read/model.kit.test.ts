// Every word of store/read against a plain model, over generated histories with gaps, resets, restarts, objects that come
// and go and intervals that change: raw rows, packed hours, rollups, packed days of rollups, and the raw head behind them. Everyday
// one history and a quarter of the questions.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { combineOf } from '../../probes/metrics.ts';
import type { Probe } from '../../probes/types.ts';
import { type BucketsQuery, buckets } from '../../testing/store/buckets.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { keptRun } from '../../testing/store/kept-probes.ts';
import { ranking } from '../../testing/store/ranking.ts';
import {
  HOURS,
  PROBES,
  RELATIONS,
  relations,
  type Step,
  type Steps,
  scheduleFrom,
  WAITS,
  waits,
} from '../../testing/store/read-histories.ts';
import { type ModelHistory, modelSeries } from '../../testing/store/read-model.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { isProof } from '../../testing/tier.ts';
import { runCompaction } from '../compact/compact.ts';
import { dayOf } from '../layout/engine/types.ts';
import { layoutOf } from '../layout/table-layout.ts';
import type { Row, Value } from '../layout/types.ts';
import { newest } from './newest.ts';
import { DATABASE } from './question.ts';

const layouts = PROBES.flatMap((probe) => layoutOf(probe) ?? []);

let store: Storing;
let T: number;
let now: number;
beforeAll(async () => {
  store = await storing();
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  ));
  T = Math.floor(now / HOUR_MS) * HOUR_MS - 12 * HOUR_MS;
  for (const { name } of PROBES)
    await store.db.run(sql`
      insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days)
      values (${name}, 60, 7)`);
});
afterAll(() => store.close());

async function write(id: number, histories: readonly [Probe, ModelHistory][]): Promise<void> {
  const writer = store.writer({ probes: PROBES });
  for (const [probe, history] of histories)
    for (const [database_name, runs] of history)
      for (const { at, instance, rows } of runs)
        writer.add(keptRun(probe, { connection_id: id, at, rows, database_name, server_instance: instance }));
  await writer.flush();
  await writer.stop();
}

interface Case {
  query: Omit<BucketsQuery, 'connection_ids' | 'from' | 'to' | 'buckets'>;
  /** Rollups of single entities cannot say this of several together; then only samples do. */
  isRawOnly?: boolean;
}

const GAUGES = ['avg', 'min', 'max', 'sum', 'last'] as const;
const ALL_CASES: Case[] = [
  ...(['sum', 'rate'] as const).flatMap((aggregate): Case[] => [
    { query: { probe: WAITS, column: 'calls', aggregate } },
    { query: { probe: WAITS, column: 'calls', aggregate, group_by: ['kind'] } },
    { query: { probe: WAITS, column: 'calls', aggregate, group_by: ['zone'] } },
    {
      query: { probe: WAITS, column: 'calls', aggregate, where: { kind: [null, 'k0'] }, group_by: ['kind'] },
    },
    { query: { probe: RELATIONS, column: 'writes', aggregate } },
    { query: { probe: RELATIONS, column: 'writes', aggregate, group_by: ['database_name'] } },
    { query: { probe: RELATIONS, column: 'writes', aggregate, group_by: ['owner'] } },
    { query: { probe: RELATIONS, column: 'writes', aggregate, group_by: ['relid', 'database_name'] } },
    {
      query: {
        probe: RELATIONS,
        column: 'writes',
        aggregate,
        where: { relid: [1, 3] },
        database_name: 'shop',
      },
    },
  ]),
  ...GAUGES.flatMap((aggregate): Case[] => [
    { query: { probe: WAITS, column: 'level', aggregate } },
    { query: { probe: WAITS, column: 'delay', aggregate } },
    { query: { probe: WAITS, column: 'delay', aggregate, combine: 'min' } },
    { query: { probe: WAITS, column: 'level', aggregate, group_by: ['kind'] } },
    { query: { probe: WAITS, column: 'level', aggregate, group_by: ['zone'], combine: 'avg' } },
    { query: { probe: RELATIONS, column: 'size', aggregate } },
    { query: { probe: RELATIONS, column: 'age', aggregate } },
    { query: { probe: RELATIONS, column: 'hits', aggregate } },
    { query: { probe: RELATIONS, column: 'size', aggregate, combine: 'max' } },
    { query: { probe: RELATIONS, column: 'hits', aggregate, group_by: ['database_name'] } },
    { query: { probe: RELATIONS, column: 'age', aggregate, group_by: ['relid', 'database_name'] } },
    {
      query: { probe: RELATIONS, column: 'size', aggregate, group_by: ['owner'] },
      isRawOnly: aggregate === 'avg',
    },
    { query: { probe: RELATIONS, column: 'age', aggregate, where: { owner: 'bob' } } },
  ]),
];

/** Everyday each fourth: one of every kind, of one aggregate or another. */
const CASES = isProof() ? ALL_CASES : ALL_CASES.filter((_case, index) => index % 4 === 0);

/** What of them can be ranked, each once. */
const RANKED = [
  ...new Map(
    CASES.map(({ query: { group_by: _group_by, combine: _combine, where: _where, ...own } }) => [
      JSON.stringify([own.probe.name, own.column, own.aggregate, own.database_name]),
      own,
    ]),
  ).values(),
];

const isList = (value: Value | readonly Value[]): value is readonly Value[] => Array.isArray(value);

/** What the model says of the series that the reader gave. */
function expected(
  histories: ReadonlyMap<Probe, ModelHistory>,
  { query }: Case,
  of: {
    group: Readonly<Record<string, Value>>;
    from: number;
    to: number;
    buckets: number;
    intervalAt(at: number): number;
  },
) {
  const { probe, column: name, where = {}, group_by = [], database_name } = query;
  const column = probe.columns.find((one) => one.name === name);
  const history = histories.get(probe);
  if (!column || !history) throw new Error('not generated');
  const text = (values: readonly unknown[]) => JSON.stringify(values.map((value) => value ?? null));
  const groupOf = (row: Row, database: string) => {
    const isWanted = Object.entries(where).every(([key, wanted]) =>
      (isList(wanted) ? wanted : [wanted]).some((value) => value === (row[key] ?? null)),
    );
    if (!isWanted || (database_name !== undefined && database !== database_name)) return undefined;
    return text(group_by.map((key) => (key === 'database_name' ? database : row[key])));
  };
  const isIn = (database: string) =>
    (database_name === undefined || database === database_name) &&
    (of.group.database_name === undefined || of.group.database_name === database);
  return modelSeries(
    new Map([...history].filter(([database]) => isIn(database))),
    {
      keeps: probe.keeps === 'samples' ? 'samples' : 'objects',
      keys: probe.columns.filter(({ kind }) => kind === 'key').map((key) => key.name),
      column: name,
      kind: column.kind === 'counter' ? 'counter' : 'gauge',
      aggregate: query.aggregate,
      combine: query.combine ?? combineOf(column),
      groupOf,
      from: of.from,
      to: of.to,
      buckets: of.buckets,
      intervalAt: of.intervalAt,
    },
    text(group_by.map((key) => of.group[key])),
  );
}

/** Rollups keep seven digits of fractions. */
const isNear = (a: number | null, b: number | null) =>
  a === null || b === null ? a === b : Math.abs(a - b) <= 2e-6 * Math.max(1, Math.abs(a), Math.abs(b));

function valueIn(row: Row, key: string): Value {
  const value = row[key] ?? null;
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`${key} was not generated as a key`);
}

/** The groups that the rows have of what is asked. */
function groupsOf(
  histories: ReadonlyMap<Probe, ModelHistory>,
  { probe, where = {}, group_by = [], database_name }: Case['query'],
): Readonly<Record<string, Value>>[] {
  if (group_by.length === 0) return [{}];
  const found = new Map<string, Record<string, Value>>();
  for (const [database, runs] of histories.get(probe) ?? [])
    for (const row of runs.flatMap(({ rows }) => rows)) {
      const isWanted = Object.entries(where).every(([key, wanted]) =>
        (isList(wanted) ? wanted : [wanted]).some((value) => value === (row[key] ?? null)),
      );
      if (!isWanted || (database_name !== undefined && database !== database_name)) continue;
      const group = group_by.map((key) => [key, key === DATABASE ? database : valueIn(row, key)] as const);
      found.set(JSON.stringify(group), Object.fromEntries(group));
    }
  return [...found.values()];
}

interface Checked {
  id: number;
  histories: ReadonlyMap<Probe, ModelHistory>;
  intervalAt?: (at: number) => number;
}

const declared = () => 60;

/** Each case over the whole history in buckets of that many minutes; answers the tiers that were read. */
async function compare(
  { id, histories, intervalAt = declared }: Checked,
  minutes: number,
): Promise<Set<string>> {
  const window = { from: T, to: T + HOURS * HOUR_MS, buckets: (HOURS * 60) / minutes };
  const tiers = new Set<string>();
  const off: unknown[] = [];
  for (const one of CASES) {
    const db = countedDb(store.db);
    const found = await buckets(db, { ...one.query, ...window, connection_ids: [id] });
    expect(db.sent.length).toBeLessThanOrEqual(3);
    if (found[0]?.tier === 'raw') {
      // What stands alone in every of its samples has no increase: then nothing is known of the group.
      const groups = groupsOf(histories, one.query);
      const known = groups.filter((group) =>
        expected(histories, one, { group, ...window, intervalAt }).values.some((value) => value !== null),
      );
      const given = found.map(({ group }) => group);
      expect(groups).toEqual(expect.arrayContaining(given));
      expect(given).toEqual(expect.arrayContaining(known));
    }
    expect(found.length).toBeGreaterThan(0);
    for (const { group, values, coverage, tier } of found) {
      tiers.add(tier);
      if (one.isRawOnly && tier !== 'raw') continue;
      const { probe: _probe, ...query } = one.query;
      const model = expected(histories, one, { group, ...window, intervalAt });
      const at = values.findIndex((value, n) => !isNear(value, model.values[n] ?? null));
      if (at >= 0) off.push({ query, group, tier, at, is: values[at], should: model.values[at] });
      // Rollups know how long each entity was measured, and of several the longest.
      const { where = {}, group_by = [] } = one.query;
      const isOfSeveral = [...Object.keys(where), ...group_by].some(
        (name) => name === 'owner' || name === 'zone',
      );
      const isApproximate = tier !== 'raw' && isOfSeveral;
      if (!isApproximate && Math.abs(coverage - Math.min(1, model.coverage)) > 1e-6)
        off.push({ query, group, tier, coverage, should: model.coverage });
    }
  }
  expect(off).toEqual([]);
  return tiers;
}

const compact = async (at = now) =>
  expect((await runCompaction({ db: store.db, layouts, now: at })).problems).toEqual([]);
const forgetTiers = () => store.db.run(sql`update matriarch.tier_tables set filled_until = null`);

async function generated(one: Steps, two: Steps): Promise<Checked> {
  const id = await store.leased();
  const histories = new Map<Probe, ModelHistory>([
    [WAITS, new Map([['', waits(one)]])],
    [
      RELATIONS,
      new Map([
        ['shop', relations(one)],
        ['zoo', relations(two)],
      ]),
    ],
  ]);
  await write(id, [...histories]);
  return { id, histories };
}

describe('buckets', () => {
  it('say what a plain model says, raw, packed, rolled up and packed by days', {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(scheduleFrom(T), scheduleFrom(T), async (one, two) => {
        await forgetTiers();
        const checked = await generated(one, two);
        expect(await compare(checked, 5)).toEqual(new Set(['raw']));
        await compact();
        await forgetTiers();
        expect(await compare(checked, 5)).toEqual(new Set(['raw']));
        await compact();
        expect(await compare(checked, 15)).toContain('m15');
        expect(await compare(checked, 60)).toContain('h1');
        // Rollups until somewhere within, the rest from the samples.
        await store.db.run(
          sql`update matriarch.tier_tables set filled_until = ${new Date(T + HOUR_MS).toISOString()}::timestamptz where tier in ('m15', 'h1')`,
        );
        expect(await compare(checked, 60)).toContain('h1');
        await compact();
        await compact(now + 36 * HOUR_MS);
        expect(await compare(checked, 60)).toContain('h1');
      }),
      { numRuns: isProof() ? 2 : 1, endOnFailure: true },
    );
  });

  it('judge gaps by the interval that was in force', { timeout: 600_000 }, async () => {
    await forgetTiers();
    const id = await store.leased();
    const changed = T + 4 * HOUR_MS;
    await store.db.run(sql`
      insert into matriarch.interval_changes (connection_id, probe, since, interval_seconds)
      select ${id}, p.name, ${new Date(changed).toISOString()}::timestamptz, 300
      from unnest(${PROBES.map(({ name }) => name)}::text[]) as p (name)`);
    const times = Array.from({ length: 25 }, (_none, n) => T + (n + 1) * 7 * MINUTE_MS);
    const steps = times.map((at, n) => ({ at, event: 'none', there: n % 32, more: n % 40 }));
    const histories = new Map<Probe, ModelHistory>([
      [WAITS, new Map([['', waits(steps)]])],
      [RELATIONS, new Map([['shop', relations(steps)]])],
    ]);
    await write(id, [...histories]);
    // An hour goes by the longest interval from the hour before it until its rows are packed.
    const intervalAt = (at: number) =>
      (Math.ceil(at / HOUR_MS) - 1) * HOUR_MS + 3 * HOUR_MS >= changed ? 300 : 60;
    const checked = { id, histories, intervalAt };
    const before = await compare(checked, 60);
    expect(before).toEqual(new Set(['raw']));
    await compact();
    expect(await compare(checked, 60)).toContain('h1');
  });

  it('answer a second window on the same grid, in as many statements', async () => {
    const id = await store.leased();
    const steps = Array.from({ length: 100 }, (_none, n) => ({
      at: T + (n + 1) * MINUTE_MS,
      event: 'none',
      there: n % 32,
      more: n,
    }));
    await write(id, [[RELATIONS, new Map([['shop', relations(steps)]])]]);
    const db = countedDb(store.db);
    const ask = {
      probe: RELATIONS,
      column: 'writes',
      aggregate: 'sum',
      group_by: ['relid'],
      connection_ids: [id],
      buckets: 10,
    } as const;
    const [from, to, compare_from] = [T + 60 * MINUTE_MS, T + 80 * MINUTE_MS, T + 20 * MINUTE_MS];
    const both = await buckets(db, { ...ask, from, to, compare_from });
    expect(db.sent).toHaveLength(2);
    const before = await buckets(store.db, { ...ask, from: compare_from, to: T + 40 * MINUTE_MS });
    expect(both).toHaveLength(4);
    expect(both.map(({ group, compared }) => ({ group, ...compared }))).toEqual(
      before.map(({ group, values, whole, coverage }) => ({ group, values, whole, coverage })),
    );
  });
});

/** The object that is missing at step 28 and 1 was there an hour before. */
const dropped = (): Step[] =>
  [
    [1.25, 0, 60],
    [45, 29, 29],
    [46.75, 30, 37],
    [97.25, 27, 60],
    [98.25, 29, 70],
    [137.25, 28, 37],
    [140, 1, 36],
  ].map(([minute = 0, there = 0, more = 0]) => ({ at: T + minute * MINUTE_MS, event: 'none', there, more }));

describe('ranking', () => {
  it('orders counters and gauges as the model does, raw and rolled up', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scheduleFrom(T), async (steps) => {
        await forgetTiers();
        const checked = await generated(steps, steps);
        await rank(checked);
        await compact();
        expect(await rank(checked)).toEqual(new Set(['h1']));
        // Whole days, of which packed days have sums.
        await compact(now + 60 * HOUR_MS);
        const from = dayOf(T);
        expect(await rank(checked, { from, to: from + 2 * DAY_MS })).toEqual(new Set(['h1']));
      }),
      { numRuns: isProof() ? 3 : 1, endOnFailure: true, examples: [[dropped()]] },
    );
  });
});

/** Each entity's figure over the whole history, by the model, against the ranking; answers the tiers that were read. */
async function rank(
  { id, histories }: Checked,
  window = { from: T, to: T + HOURS * HOUR_MS },
): Promise<Set<string>> {
  const tiers = new Set<string>();
  for (const own of RANKED) {
    const isCounter = own.aggregate === 'rate' || own.column === 'calls' || own.column === 'writes';
    for (const order of ['desc', 'asc'] as const) {
      const db = countedDb(store.db);
      const found = await ranking(db, { ...own, ...window, connection_ids: [id], order, limit: 5 });
      expect(db.sent.length).toBeLessThanOrEqual(3);
      const keys = own.probe === WAITS ? ['kind'] : ['relid', DATABASE];
      const model = entitiesOf(histories, own)
        .map((group) => ({
          group,
          value: expected(
            histories,
            { query: { ...own, group_by: keys } },
            { group, ...window, buckets: 1, intervalAt: declared },
          ).values[0],
        }))
        .filter(
          ({ value }) =>
            value !== null && value !== undefined && (order === 'asc' || !isCounter || value > 0),
        );
      const sign = order === 'asc' ? 1 : -1;
      const values = model.map(({ value }) => value ?? 0).sort((a, b) => sign * (a - b));
      const wanted = values.slice(0, 5);
      const pairs = found.map(({ value }, index) => [value, wanted[index]] as const);
      expect(found.length).toBe(wanted.length);
      expect(pairs.filter(([value, model]) => !isNear(value, model ?? null))).toEqual([]);
      for (const { object, database_name, value, tier } of found) {
        tiers.add(tier);
        const group = own.probe === WAITS ? { kind: object.kind } : { relid: object.relid, database_name };
        const same = model.find((one) => JSON.stringify(one.group) === JSON.stringify(group));
        expect(isNear(value, same?.value ?? null)).toBe(true);
      }
    }
  }
  return tiers;
}

function entitiesOf(
  histories: ReadonlyMap<Probe, ModelHistory>,
  { probe, database_name }: Case['query'],
): Record<string, Value>[] {
  const found = new Map<string, Record<string, Value>>();
  for (const [database, runs] of histories.get(probe) ?? [])
    for (const { rows } of runs)
      for (const row of rows) {
        if (database_name !== undefined && database !== database_name) continue;
        const group =
          probe === WAITS
            ? { kind: row.kind === null ? null : String(row.kind) }
            : { relid: Number(row.relid), database_name: database };
        found.set(JSON.stringify(group), group);
      }
  return [...found.values()];
}

describe('newest', () => {
  it('gives the last rows of samples and objects, in the order asked', async () => {
    const id = await store.leased();
    const steps = Array.from({ length: 90 }, (_none, n) => ({
      at: T + (n + 1) * MINUTE_MS,
      event: n === 70 ? 'restart' : 'none',
      there: (n * 7) % 32,
      more: n % 40,
    }));
    const histories = new Map<Probe, ModelHistory>([
      [WAITS, new Map([['', waits(steps)]])],
      [
        RELATIONS,
        new Map([
          ['shop', relations(steps)],
          ['zoo', relations(steps.slice(0, 80))],
        ]),
      ],
    ]);
    await write(id, [...histories]);
    for (const [probe, history] of histories) {
      const last = [...history].flatMap(([database_name, runs]) =>
        (runs.at(-1)?.rows ?? []).map((row) => ({ database_name, row })),
      );
      const order = { column: probe === WAITS ? 'calls' : 'writes', descending: true };
      const db = countedDb(store.db);
      const found = await newest(db, { probe, connection_ids: [id], order, limit: 3 });
      expect(db.sent.length).toBeLessThanOrEqual(3);
      const sorted = last
        .sort((a, b) => Number(b.row[order.column]) - Number(a.row[order.column]))
        .slice(0, 3);
      expect(found.map(({ database_name, row }) => ({ database_name, row }))).toEqual(sorted);
      const some = await newest(store.db, {
        probe,
        columns: [order.column],
        connection_ids: [id],
        order,
        limit: 1,
      });
      expect(some.map(({ row }) => row)).toEqual([{ [order.column]: sorted[0]?.row[order.column] }]);
    }
    await expect(newest(store.db, { probe: WAITS, columns: ['nope'], connection_ids: [id] })).rejects.toThrow(
      /no column/,
    );
  });
});
