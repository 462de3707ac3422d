// Two days of probes that run every five minutes, for tests of the tiers that are made once a day is over: what was collected, what
// is said of it, and what samples alone would say.
import { expect } from 'vitest';
import type { Db } from '../../kernel/db.ts';
import { identifier, sql } from '../../kernel/sql.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { runCompaction } from '../../store/compact/compact.ts';
import type { SeenDays } from '../../store/compact/pack-days.ts';
import { dayOf } from '../../store/layout/engine/types.ts';
import { layoutOf } from '../../store/layout/table-layout.ts';
import type { ProbeRun } from '../../store/layout/types.ts';
import { type BucketsQuery, buckets, type Series } from './buckets.ts';
import { keptRun, SLOW_SERVER, SLOW_TABLES, tableRow } from './kept-probes.ts';
import { type Storing, storing } from './storing.ts';

const SLOW_PROBES = [SLOW_SERVER, SLOW_TABLES];
export const SLOW_LAYOUTS = SLOW_PROBES.flatMap((probe) => layoutOf(probe) ?? []);
const EVERY = 300_000;

export interface SlowDays extends Storing {
  /** The begin of a day that is over. */
  day: number;
  /** A connection of which these hours from the day's begin on are stored. */
  collect(id: number, fromHour: number, toHour: number): Promise<void>;
  /** As if so many hours had gone by since the day's begin. */
  compact(hour: number, more?: { seenDays?: SeenDays; signal?: AbortSignal }): Promise<string[]>;
  /** Rows of a connection in a table of rollups, of that day and later. */
  rows(table: string, id: number): Promise<number>;
  /** Quarters of an hour that lie in rows: of the server, and of tables. */
  inRows(id: number): Promise<number[]>;
  /** Those that lie in packed days: one of the server, and one of each database. */
  inDays(id: number): Promise<number[]>;
  /** Of the tier of quarters of an hour, in hours from the day's begin on. */
  filled(probe?: string): Promise<number | null>;
  /** By the quarter of an hour. */
  ask(id: number, fromHour: number, toHour: number): Promise<Series[]>;
  /** The same from samples. */
  truth(id: number, fromHour: number, toHour: number): Promise<Series[]>;
}

/** A counter that is reset, a gauge that is unknown at times, and holes of twenty minutes and of two hours. */
function serverRun(id: number, day: number, n: number): ProbeRun[] {
  const isHole = (n % 97 >= 40 && n % 97 < 44) || (n >= 60 && n < 82);
  if (isHole) return [];
  const rows = ['a', 'b'].map((kind, index) => ({
    kind,
    reads: ((n + 500) % 130) * 7 * (index + 1),
    load: n % 11 === 3 ? null : ((n * n + 500) % 17) / 4 + index,
    stats_reset: new Date(day + Math.floor((n + 500) / 130) * HOUR_MS).toISOString(),
  }));
  return [keptRun(SLOW_SERVER, { connection_id: id, at: day + n * EVERY + 20_000, rows })];
}

const tablesRuns = (id: number, day: number, n: number): ProbeRun[] =>
  ['shop', 'zoo'].map((database_name, index) => {
    const rows = [1, 2, 3].map((one) =>
      tableRow(one, {
        ins: (n + 500) * one * (index + 1),
        scans: Math.floor((n + 500) / 10) * one,
        size: 8192 * (one + Math.floor((n + 500) / 30)),
      }),
    );
    return keptRun(SLOW_TABLES, { connection_id: id, at: day + n * EVERY + 40_000, rows, database_name });
  });

const QUERIES: Partial<BucketsQuery>[] = [
  { column: 'reads', aggregate: 'sum' },
  { column: 'reads', aggregate: 'rate', where: { kind: 'a' } },
  ...(['avg', 'min', 'max', 'sum', 'last'] as const).map((aggregate) => ({ column: 'load', aggregate })),
  { column: 'load', aggregate: 'avg', where: { kind: 'b' } },
  { probe: SLOW_TABLES, column: 'n_tup_ins', aggregate: 'sum' },
  { probe: SLOW_TABLES, column: 'n_tup_ins', aggregate: 'rate', database_name: 'shop', where: { relid: 2 } },
  { probe: SLOW_TABLES, column: 'table_size', aggregate: 'avg' },
  { probe: SLOW_TABLES, column: 'table_size', aggregate: 'last', database_name: 'zoo', where: { relid: 3 } },
];

async function asked(
  db: Db,
  common: Pick<BucketsQuery, 'connection_ids' | 'from' | 'to'>,
): Promise<Series[]> {
  const own = { probe: SLOW_SERVER, column: 'reads', aggregate: 'sum' } as const;
  const count = (common.to - common.from) / (HOUR_MS / 4);
  const found: Series[] = [];
  for (const query of QUERIES)
    found.push(...(await buckets(db, { ...own, ...common, buckets: count, ...query })));
  return found;
}

/** With nothing taken for rolled up. */
async function fromSamples<T>(db: Db, read: () => Promise<T>): Promise<T> {
  const was = await db.rows<{ table_name: string; filled_until: string | null }>(
    sql`select table_name, filled_until::text from matriarch.tier_tables`,
  );
  await db.run(sql`update matriarch.tier_tables set filled_until = null where tier <> 'packed'`);
  const found = await read();
  for (const { table_name, filled_until } of was)
    await db.run(sql`
      update matriarch.tier_tables set filled_until = ${filled_until}::timestamptz
      where table_name = ${table_name}`);
  return found;
}

async function slowDays(): Promise<SlowDays> {
  const store = await storing();
  const { db } = store;
  const { now } = await db.one<{ now: number }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  );
  const day = dayOf(now) - 2 * DAY_MS;
  const ask = (id: number, fromHour: number, toHour: number) =>
    asked(db, { connection_ids: [id], from: day + fromHour * HOUR_MS, to: day + toHour * HOUR_MS });
  const rows = async (table: string, id: number) => {
    const { n } = await db.one<{ n: number }>(sql`
      select count(*) as n from metrics.${identifier(table)} t
      where t.connection_id = ${id} and t.collected_at >= ${new Date(day).toISOString()}::timestamptz`);
    return n;
  };
  return {
    ...store,
    day,
    ask,
    rows,
    inRows: async (id) => [await rows('slow_server__m15', id), await rows('slow_tables__m15', id)],
    inDays: async (id) => [await rows('slow_server__m15p', id), await rows('slow_tables__m15p', id)],
    async collect(id, fromHour, toHour) {
      const writer = store.writer({ probes: SLOW_PROBES });
      for (let n = fromHour * 12; n < toHour * 12; n += 1)
        for (const run of [...serverRun(id, day, n), ...tablesRuns(id, day, n)]) writer.add(run);
      await writer.flush();
      await writer.stop();
    },
    async compact(hour, more = {}) {
      const report = await runCompaction({ db, layouts: SLOW_LAYOUTS, now: day + hour * HOUR_MS, ...more });
      return report.problems;
    },
    async filled(probe = SLOW_SERVER.name) {
      const found = await db.maybe<{ at: number | null }>(sql`
        select (extract(epoch from filled_until) * 1000)::bigint as at
        from matriarch.tier_tables where probe = ${probe} and tier = 'm15'`);
      const at = found?.at ?? null;
      return at === null ? null : (at - day) / HOUR_MS;
    },
    truth: (...of) => fromSamples(db, () => ask(...of)),
  };
}

/** With a connection of which an hour before the day were collected, so that the tables are made. */
export async function begunSlowDays(): Promise<{ store: SlowDays; id: number }> {
  const store = await slowDays();
  const id = await store.leased();
  await store.collect(id, -4, -3);
  expect(await store.compact(-6)).toEqual([]);
  return { store, id };
}

const isNear = (a: number | null, b: number | null) =>
  a === null || b === null ? a === b : Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));

/** Rollups keep seven digits of fractions. */
export function expectNear(found: readonly Series[], should: readonly Series[]): void {
  expect(found.length).toBe(should.length);
  for (const [index, { values, coverage }] of found.entries()) {
    const old = should[index];
    const off = values.findIndex((value, n) => !isNear(value, old?.values[n] ?? null));
    expect({ ...QUERIES[index], off, now: values[off], was: old?.values[off] }).toEqual({
      ...QUERIES[index],
      off: -1,
      now: undefined,
      was: undefined,
    });
    expect(coverage).toBeCloseTo(old?.coverage ?? Number.NaN, 6);
  }
}

export const tiersOfSeries = (all: readonly Series[]) => [...new Set(all.map(({ tier }) => tier))];
