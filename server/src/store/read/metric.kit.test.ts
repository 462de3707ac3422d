// Every kind of metric against plain loops, over generated histories with gaps, resets, restarts, unknown values and objects
// that come and go: raw rows, packed hours, rollups, and both spliced. The loops know columns only; what a metric makes of
// them is written down here a second time. Everyday one history, and one of the days on which clocks are changed.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Db } from '../../kernel/db.ts';
import { identifier, sql } from '../../kernel/sql.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import type { MetricValue } from '../../probes/metric-types.ts';
import type { Metric } from '../../probes/metrics.ts';
import type { Probe } from '../../probes/types.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { keptRun } from '../../testing/store/kept-probes.ts';
import {
  HOURS,
  PROBES,
  RELATIONS,
  relations,
  type Steps,
  scheduleFrom,
  WAITS,
  waits,
} from '../../testing/store/read-histories.ts';
import { type ModelHistory, type ModelQuestion, modelSeries } from '../../testing/store/read-model.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { isProof } from '../../testing/tier.ts';
import { runCompaction } from '../compact/compact.ts';
import { layoutOf } from '../layout/table-layout.ts';
import { ensureTables } from '../layout/tables.ts';
import type { Row } from '../layout/types.ts';
import { metricBuckets } from './metric.ts';

const layouts = PROBES.flatMap((probe) => layoutOf(probe) ?? []);
const BUCKETS = HOURS * 4;

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

const AGGREGATES = ['avg', 'min', 'max', 'sum', 'last'] as const;
type Aggregate = (typeof AGGREGATES)[number];
type Values = (number | null)[];

/** What the loops say of a column, or of a value made of each row. */
interface Loops {
  column(name: string, aggregate: ModelQuestion['aggregate']): Values;
  made(combine: 'sum' | 'max', of: (row: Row, at: number) => number | null): Values;
}

interface Case {
  probe: Probe;
  value: MetricValue;
  combine: Metric['combine'];
  model(loops: Loops, aggregate: Aggregate): Values;
}

const bucketwise = (lists: readonly Values[], of: (values: number[]) => number | null): Values =>
  (lists[0] ?? []).map((_none, n) => {
    const values = lists.map((list) => list[n] ?? null);
    const known = values.filter((value) => value !== null);
    return known.length < values.length ? null : of(known);
  });

const seconds = (row: Row, at: number) => (at - Date.parse(String(row.stats_reset))) / 1000;

const CASES: Case[] = [
  {
    probe: WAITS,
    value: { kind: 'gauge', column: 'level' },
    combine: 'sum',
    model: (loops, aggregate) => loops.column('level', aggregate),
  },
  {
    probe: WAITS,
    value: { kind: 'gauge', column: 'delay', where: [{ column: 'zone', in: ['south'] }] },
    combine: 'max',
    model: (loops) => loops.made('max', (row) => (row.zone === 'south' ? Number(row.delay) : null)),
  },
  {
    probe: WAITS,
    value: { kind: 'rows', where: [{ column: 'zone', notIn: ['north'] }] },
    combine: 'sum',
    model: (loops) => loops.made('sum', (row) => (row.zone === 'south' ? 1 : 0)),
  },
  {
    probe: WAITS,
    value: { kind: 'rows', where: [{ column: 'level', lessThan: 'delay' }] },
    combine: 'max',
    model: (loops) =>
      loops.made('max', (row) => (row.level !== null && Number(row.level) < Number(row.delay) ? 1 : 0)),
  },
  {
    probe: WAITS,
    value: { kind: 'age', since: 'stats_reset', where: [{ column: 'kind', in: ['k1', null] }] },
    combine: 'max',
    model: (loops) => loops.made('max', (row, at) => (row.kind === 'k0' ? 0 : seconds(row, at))),
  },
  ...[
    { probe: WAITS, one: 'spent', other: 'calls' },
    { probe: RELATIONS, one: 'writes', other: 'reads' },
  ].flatMap(({ probe, one, other }): Case[] => [
    {
      probe,
      value: { kind: 'increase', column: one },
      combine: 'sum',
      model: (loops) => loops.column(one, 'sum'),
    },
    {
      probe,
      value: { kind: 'rate', column: one },
      combine: 'sum',
      model: (loops) => loops.column(one, 'rate'),
    },
    {
      probe,
      value: { kind: 'ratio of increases', of: [one], to: [one, other], scale: 100, least: 30 },
      combine: 'avg',
      model: (loops) =>
        bucketwise([loops.column(one, 'sum'), loops.column(other, 'sum')], ([a = 0, b = 0]) =>
          a + b < 30 ? null : (100 * a) / (a + b),
        ),
    },
  ]),
  {
    probe: RELATIONS,
    value: { kind: 'ratio of gauges', of: ['size'], to: ['size', 'hits'], scale: 100, empty: 0 },
    combine: 'avg',
    model: (loops, aggregate) => {
      const of = aggregate === 'last' ? 'last' : 'avg';
      return bucketwise([loops.column('size', of), loops.column('hits', of)], ([a = 0, b = 0]) =>
        a + b === 0 ? 0 : (100 * a) / (a + b),
      );
    },
  },
  {
    probe: RELATIONS,
    value: { kind: 'ratio of gauges', of: ['age'], to: 4000, scale: 100 },
    combine: 'max',
    model: (loops, aggregate) => bucketwise([loops.column('age', aggregate)], ([age = 0]) => age / 40),
  },
];

const COMBINES = { size: 'sum', hits: 'avg', age: 'max', level: 'sum', delay: 'max' } as const;
const isGauge = (name: string): name is keyof typeof COMBINES => name in COMBINES;

function loopsOver(probe: Probe, history: ModelHistory, aggregate: Aggregate): Loops {
  const common = {
    keeps: probe === WAITS ? ('samples' as const) : ('objects' as const),
    keys: [probe === WAITS ? 'kind' : 'relid'],
    groupOf: () => '',
    from: T,
    to: T + HOURS * HOUR_MS,
    buckets: BUCKETS,
    intervalAt: () => 60,
  };
  return {
    column: (column, own) => {
      const kind = isGauge(column) ? ('gauge' as const) : ('counter' as const);
      const combine = isGauge(column) ? COMBINES[column] : 'sum';
      return modelSeries(history, { ...common, column, kind, combine, aggregate: own }, '').values;
    },
    made: (combine, of) => {
      const runs = [...history].map(
        ([database, all]) =>
          [
            database,
            all.map(({ rows, ...run }) => ({
              ...run,
              rows: rows.map((row) => ({ ...row, made: of(row, run.at) })),
            })),
          ] as const,
      );
      const asked = { ...common, column: 'made', kind: 'gauge' as const, combine, aggregate };
      return modelSeries(new Map(runs), asked, '').values;
    },
  };
}

/** Rollups keep seven digits of fractions. */
const isNear = (a: number | null, b: number | null) =>
  a === null || b === null ? a === b : Math.abs(a - b) <= 4e-6 * Math.max(1, Math.abs(a), Math.abs(b));

const metrics = CASES.map(({ value, combine, probe }, n): Metric & { probe: Probe } => ({
  name: `m${n}`,
  wireName: `${probe.name}.m${n}`,
  unit: '',
  description: '',
  combine,
  value,
  isColumn: false,
  probe,
}));

/** Answers whether rollups were read. */
async function compare(id: number, histories: ReadonlyMap<Probe, ModelHistory>): Promise<boolean> {
  const off: unknown[] = [];
  let isRolled = false;
  for (const probe of PROBES)
    for (const aggregate of AGGREGATES) {
      const db = countedDb(store.db);
      const own = metrics.filter((metric) => metric.probe === probe);
      const window = { from: T, to: T + HOURS * HOUR_MS, buckets: BUCKETS };
      // Twice the same window on one grid.
      const asked = { probe, metrics: own, connection_ids: [id], aggregate, ...window, compare_from: T };
      const found = await metricBuckets(db, asked);
      expect(db.sent.length).toBeLessThanOrEqual(3);
      isRolled ||= db.sent.some((text) => text.includes('__m15'));
      expect(found.map(({ metric }) => metric.name)).toEqual(own.map(({ name }) => name));
      for (const { metric, values, compared } of found) {
        expect(compared).toEqual(values);
        const one = CASES[metrics.findIndex(({ name }) => name === metric.name)];
        const model =
          one?.model(loopsOver(probe, histories.get(probe) ?? new Map(), aggregate), aggregate) ?? [];
        expect(values).toHaveLength(model.length);
        const at = values.findIndex((value, n) => !isNear(value, model[n] ?? null));
        if (at >= 0) off.push({ value: metric.value, aggregate, at, is: values[at], should: model[at] });
      }
    }
  expect(off).toEqual([]);
  return isRolled;
}

async function generated(one: Steps, two: Steps) {
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
  const writer = store.writer({ probes: PROBES });
  for (const [probe, history] of histories)
    for (const [database_name, runs] of history)
      for (const { at, instance, rows } of runs)
        writer.add(keptRun(probe, { connection_id: id, at, rows, database_name, server_instance: instance }));
  await writer.flush();
  await writer.stop();
  return { id, histories };
}

const compact = async () =>
  expect((await runCompaction({ db: store.db, layouts, now })).problems).toEqual([]);
const fillUntil = (until: string | null) =>
  store.db.run(
    sql`update matriarch.tier_tables set filled_until = ${until}::timestamptz where tier <> 'packed'`,
  );

describe('metrics', () => {
  const sayWhatLoopsSay = (numRuns: number) =>
    fc.assert(
      fc.asyncProperty(scheduleFrom(T), scheduleFrom(T), async (one, two) => {
        await fillUntil(null);
        const { id, histories } = await generated(one, two);
        expect(await compare(id, histories)).toBe(false);
        await compact();
        expect(await compare(id, histories)).toBe(true);
        await fillUntil(new Date(T + HOUR_MS).toISOString());
        expect(await compare(id, histories)).toBe(true);
        await fillUntil(null);
        expect(await compare(id, histories)).toBe(false);
        await compact();
      }),
      { numRuns, endOnFailure: true },
    );

  it(
    'of every kind say what plain loops say, raw, packed, rolled up and spliced',
    {
      timeout: 600_000,
    },
    () => sayWhatLoopsSay(isProof() ? 3 : 1),
  );

  // At 1:00 UTC, 2:00 becomes 3:00 on the one and 3:00 becomes 2:00 on the other, in most of Europe.
  it.each(isProof() ? ['2026-03-29', '2026-10-25'] : ['2026-10-25'])(
    'say the same on a day on which clocks are changed, %s',
    {
      timeout: 600_000,
    },
    async (day) => {
      const usual = { T, now };
      onTestFinished(() => {
        ({ T, now } = usual);
      });
      // So long ago something is kept only where that is wanted.
      await ensureTables(store.db, PROBES);
      for (const register of ['metric_tables', 'tier_tables'])
        await store.db.run(sql`update matriarch.${identifier(register)} set longest_retention_days = 36500`);
      T = Date.parse(`${day}T00:00:00Z`);
      now = T + 12 * HOUR_MS;
      await sayWhatLoopsSay(1);
    },
  );

  it('of objects that are asked for at once are read once, each with its own values', async () => {
    await fillUntil(null);
    const times = Array.from({ length: 60 }, (_none, n) => T + (n + 1) * 60_000);
    const steps = times.map((at, n) => ({ at, event: 'none', there: n % 32, more: n % 40 }));
    const { id } = await generated(steps, steps);
    const [metric] = metrics.filter(({ probe, value }) => probe === RELATIONS && value.kind === 'increase');
    if (!metric) throw new Error('there is such a metric');
    const ask = (db: Db, relid: number) =>
      metricBuckets(db, {
        probe: RELATIONS,
        metrics: [metric],
        connection_ids: [id],
        aggregate: 'avg',
        where: { relid },
        from: T,
        to: T + HOUR_MS,
        buckets: 4,
      });
    const db = countedDb(store.db);
    const names = () => db.sent.map((text) => /store\.\w+/.exec(text)?.[0]);
    const together = await Promise.all([1, 2, 3, 4].map((relid) => ask(db, relid)));
    expect(names()).toEqual(['store.read_plan', 'store.read_stored']);
    const apart = [];
    for (const relid of [1, 2, 3, 4]) apart.push(await ask(store.db, relid));
    expect(together).toEqual(apart);
    // The plan of before serves as long as it stays as it was.
    db.reset();
    expect(await Promise.all([1, 2, 3, 4].map((relid) => ask(db, relid)))).toEqual(apart);
    expect(names()).toEqual(['store.read_stored']);
    // Where rollups have come further since, or were taken back, what the plan of before says is read in vain, once.
    await compact();
    const far = async (minutes: number) => {
      await fillUntil(new Date(T + minutes * 60_000).toISOString());
      db.reset();
      const rolled = await Promise.all([1, 2, 3, 4].map((relid) => ask(db, relid)));
      const fresh = countedDb(store.db);
      expect(rolled).toEqual(await Promise.all([1, 2, 3, 4].map((relid) => ask(fresh, relid))));
      return names();
    };
    expect(await far(15)).toEqual(['store.read_stored', 'store.read_stored']);
    expect(await far(30)).toEqual(['store.read_stored', 'store.read_stored']);
    expect(await far(30)).toEqual(['store.read_stored']);
    expect(await far(15)).toEqual(['store.read_stored', 'store.read_stored']);
    expect(new Set(together.map((one) => JSON.stringify(one[0]?.values))).size).toBe(4);
  });
});
