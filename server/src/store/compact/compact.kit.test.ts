// Compaction and rollups on a real datastore: what is read stays the same whether it is raw, packed or rolled up. Everyday
// one generated history instead of six.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identifier, sql } from '../../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { type BucketsQuery, buckets, type Series } from '../../testing/store/buckets.ts';
import { keptRun, SERVER, TABLES, tableRow } from '../../testing/store/kept-probes.ts';
import { ranking } from '../../testing/store/ranking.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { isProof } from '../../testing/tier.ts';
import { readRows } from '../format/stored-rows.ts';
import { lockLease, nameObjects } from '../layout/objects.queries.ts';
import { layoutOf, type TableLayout } from '../layout/table-layout.ts';
import type { ProbeRun, Row } from '../layout/types.ts';
import { newest } from '../read/newest.ts';
import { storeForecast } from '../upkeep/forecast.ts';
import { purgeDeleted } from '../upkeep/purge.ts';
import { runCompaction } from './compact.ts';
import { SeenDays } from './pack-days.ts';

const HOURS = 5;
const layouts = [SERVER, TABLES]
  .map(layoutOf)
  .filter((layout): layout is TableLayout => layout !== undefined);
let store: Storing;
/** A full hour, long over. */
let T: number;
let now: number;
beforeAll(async () => {
  store = await storing();
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  ));
  T = Math.floor(now / HOUR_MS) * HOUR_MS - 12 * HOUR_MS;
});
afterAll(() => store.close());

async function write(...runs: ProbeRun[]): Promise<void> {
  const writer = store.writer({ probes: [SERVER, TABLES] });
  for (const run of runs) writer.add(run);
  await writer.flush();
  await writer.stop();
}

const compact = () => runCompaction({ db: store.db, layouts, now });
const rawRows = async (table: string, id: number) =>
  (
    await store.db.one<{ n: number }>(
      sql`select count(*) as n from metrics.${identifier(table)} t where t.connection_id = ${id}`,
    )
  ).n;

/** Runs at irregular times, with holes shorter than an hour, resets and other lives of the server. */
const schedule = fc
  .array(
    fc.record({ gap: fc.constantFrom(1, 1, 1, 1, 1.5, 2, 4, 40), dice: fc.nat(100), more: fc.nat(50) }),
    {
      minLength: 60,
      maxLength: 260,
    },
  )
  .map((steps) => {
    let minute = 0.25;
    const runs = steps.map(({ gap, dice, more }) => {
      minute += gap;
      return { minute, dice, more };
    });
    return runs.filter((run) => run.minute < HOURS * 60);
  });

type Steps = { minute: number; dice: number; more: number }[];

function serverRuns(id: number, steps: Steps): ProbeRun[] {
  let [reads, life, reset] = [100, 1, T];
  return steps.map(({ minute, dice, more }) => {
    reads += more;
    if (dice > 97) [life, reads] = [life + 1, 7 + more];
    else if (dice > 94) [reads, reset] = [more, T + minute];
    const kinds = dice < 20 ? ['a'] : ['a', 'b'];
    const rows: Row[] = kinds.map((kind, index) => ({
      kind,
      reads: dice === 50 ? null : reads * (index + 1),
      load: dice % 7 === 3 ? null : (more + index) / 4,
      stats_reset: new Date(reset).toISOString(),
      flags: ['x', dice > 50 ? 'y"' : null],
      details: { dice: dice % 3 },
    }));
    return keptRun(SERVER, {
      connection_id: id,
      at: T + minute * MINUTE_MS,
      server_instance: `l${life}`,
      rows,
    });
  });
}

function tableRuns(id: number, steps: Steps, database_name: string): ProbeRun[] {
  const counts = [0, 10, 20, 30];
  return steps.map(({ minute, dice, more }) => {
    const moved = dice % 4;
    counts[moved] = dice > 96 ? more : (counts[moved] ?? 0) + more;
    const there = counts.flatMap((ins, index) => (index === 3 && dice > 80 ? [] : [{ ins, index }]));
    const rows = there.map(({ ins, index }) => {
      const row = tableRow(index + 1, { ins, scans: ins * 2, size: 8192 * Math.floor(ins / 40) });
      return dice === 33 && index === 1 ? { ...row, table_size: null, n_tup_ins: null } : row;
    });
    return keptRun(TABLES, { connection_id: id, at: T + minute * MINUTE_MS, rows, database_name });
  });
}

const QUERIES: Partial<BucketsQuery>[] = [
  { column: 'reads', aggregate: 'sum' },
  { column: 'reads', aggregate: 'rate', where: { kind: 'a' } },
  ...(['avg', 'min', 'max', 'sum', 'last'] as const).map((aggregate) => ({ column: 'load', aggregate })),
  { column: 'load', aggregate: 'avg', where: { kind: 'b' } },
  { column: 'load', aggregate: 'max', combine: 'max' },
  { probe: TABLES, column: 'n_tup_ins', aggregate: 'sum' },
  { probe: TABLES, column: 'n_tup_ins', aggregate: 'rate', database_name: 'shop' },
  { probe: TABLES, column: 'seq_scan', aggregate: 'sum', where: { relname: 't2' } },
  ...(['avg', 'min', 'max', 'sum', 'last'] as const).map((aggregate) => ({
    probe: TABLES,
    column: 'table_size',
    aggregate,
  })),
  { probe: TABLES, column: 'table_size', aggregate: 'avg', where: { relid: 3 } },
  { probe: TABLES, column: 'table_size', aggregate: 'last', where: { relid: 4 }, database_name: 'shop' },
];

async function ask(id: number, count: number): Promise<Series[]> {
  const common = { probe: SERVER, connection_ids: [id], from: T, to: T + HOURS * HOUR_MS, buckets: count };
  const found: Series[] = [];
  for (const query of QUERIES)
    found.push(...(await buckets(store.db, { column: 'reads', aggregate: 'sum', ...common, ...query })));
  return found;
}

const rounded = (all: readonly Series[]) =>
  all.map(({ values, coverage }) => ({
    values: values.map((value) => (value === null ? null : Number(value.toPrecision(9)))),
    coverage: Number(coverage.toFixed(6)),
  }));

const isNear = (a: number | null, b: number | null) =>
  a === null || b === null ? a === b : Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b));

/** Rollups keep seven digits of fractions. */
function expectNear(after: readonly Series[], before: readonly Series[]): void {
  for (const [index, { values, coverage }] of after.entries()) {
    const old = before[index];
    const off = values.findIndex((value, n) => !isNear(value, old?.values[n] ?? null));
    expect({ query: QUERIES[index], at: off, now: values[off], was: old?.values[off] }).toMatchObject({
      at: -1,
    });
    expect(coverage).toBeCloseTo(old?.coverage ?? Number.NaN, 6);
  }
}

/** 5 and 15 minutes and an hour. */
const BUCKETS = [HOURS * 12, HOURS * 4, HOURS];

describe('reading', () => {
  it('says the same of raw rows, of packed hours and of rollups', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(schedule, schedule, async (one, two) => {
        const id = await store.leased();
        await write(...serverRuns(id, one), ...tableRuns(id, one, 'shop'), ...tableRuns(id, two, 'zoo'));
        await store.db.run(sql`update matriarch.tier_tables set filled_until = null`);
        const before = [];
        for (const buckets of BUCKETS) before.push(await ask(id, buckets));
        expect((await compact()).problems).toEqual([]);
        expect(await rawRows('test_server', id)).toBe(0);
        const after: Series[][] = [];
        for (const buckets of BUCKETS) after.push(await ask(id, buckets));
        expect(rounded(after[0] ?? [])).toEqual(rounded(before[0] ?? []));
        for (const [index, one] of after.entries()) expectNear(one, before[index] ?? []);
        expect(new Set(after[0]?.map(({ tier }) => tier))).toEqual(new Set(['raw']));
        expect(after[1]?.filter(({ tier }) => tier === 'm15').length).toBeGreaterThan(15);
        expect(after[2]?.filter(({ tier }) => tier === 'h1').length).toBeGreaterThan(15);
        const nextDay = await runCompaction({ db: store.db, layouts, now: now + 36 * HOUR_MS });
        expect(nextDay.problems).toEqual([]);
        for (const table of ['test_server__m15', 'test_server__h1', 'test_tables__h1'])
          expect(await rawRows(table, id)).toBe(0);
        for (const [index, buckets] of BUCKETS.entries())
          expect(await ask(id, buckets)).toEqual(after[index]);
        await store.db.run(sql`update matriarch.tier_tables set filled_until = null`);
      }),
      { numRuns: isProof() ? 6 : 1, endOnFailure: true },
    );
  });
});

/** A run each minute of all hours. */
const steady = Array.from({ length: HOURS * 60 }, (_none, n) => ({ minute: n + 0.5, dice: 60, more: 1 }));

describe('compaction', () => {
  it('loses nothing, and does nothing when it is done again', async () => {
    const id = await store.leased();
    await write(...serverRuns(id, steady), ...tableRuns(id, steady, 'shop'));
    const slice = { connection_id: id, from: T, to: T + HOURS * HOUR_MS };
    const read = async () => {
      const found = [];
      for (const layout of layouts)
        found.push(
          await readRows(store.db, layout, { ...slice, database_name: layout.byDatabase ? 'shop' : '' }),
        );
      return found.map(({ samples, ticks }) => ({
        samples: [...samples].sort((a, b) => a.at - b.at || a.row_no - b.row_no),
        ticks: ticks
          .map((tick) => ({ ...tick, ids: [...tick.ids] }))
          .sort((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe)),
      }));
    };
    await compactOnce();
    const before = await read();
    const report = await compact();
    expect(report).toMatchObject({ problems: [] });
    expect(await read()).toEqual(before);
    expect(await rawRows('test_server', id)).toBe(0);
    expect(await compact()).toMatchObject({ hours: 0, rows: 0 });
    expect(await read()).toEqual(before);
  });

  /** Tables before the first reading. */
  async function compactOnce(): Promise<void> {
    await runCompaction({ db: store.db, layouts, now: T - HOUR_MS });
  }

  it('names what is rolled up only while no batch of the connection names anything', async () => {
    const id = await store.leased();
    await write(...serverRuns(id, steady));
    const family = { connection_id: id, kind: 'other', database_name: '' };
    const named = { family: 0, object_key: 'x', key: '{}', labels: '{}', seen: T };
    const waits = async () =>
      (
        await store.db.one<{ n: number }>(sql`
          select count(*) as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`)
      ).n;
    const compacting = await store.db.transaction(async (locking) => {
      await locking.run(lockLease(id));
      await locking.run(nameObjects([family], [named]));
      const running = compact();
      await expect.poll(waits, { timeout: 90_000, interval: 20 }).toBe(1);
      return { running };
    });
    expect(await compacting.running).toMatchObject({ problems: [] });
    const objects = await store.db.rows<{ object_id: number; kind: string }>(sql`
      select object_id, kind from metrics.objects where connection_id = ${id} order by object_id`);
    expect(objects.map(({ kind }) => kind)).toEqual(['other', SERVER.name, SERVER.name]);
  });

  it('keeps the ticks raw that tell the newest state', async () => {
    const id = await store.leased();
    await write(...tableRuns(id, steady, 'shop'));
    const ask = { probe: TABLES, connection_ids: [id] };
    const before = await newest(store.db, ask);
    await compact();
    expect(before).toHaveLength(4);
    expect(await newest(store.db, ask)).toEqual(before);
    expect(await rawRows('test_tables__ticks', id)).toBeGreaterThan(0);
  });

  it('leaves rankings as they were', async () => {
    const id = await store.leased();
    await write(...tableRuns(id, steady, 'shop'));
    const query = {
      probe: TABLES,
      column: 'n_tup_ins',
      connection_ids: [id],
      aggregate: 'sum',
      limit: 3,
    } as const;
    const ask = () => ranking(store.db, { ...query, from: T, to: T + 2 * HOUR_MS });
    // Whatever comes this late is in no rollup until its hours are compacted again.
    await store.db.run(sql`update matriarch.tier_tables set filled_until = null`);
    const before = await ask();
    expect(before).toMatchObject([{ object: { relname: 't1' }, tier: 'raw' }]);
    await compact();
    expect(await ask()).toEqual(before.map((one) => ({ ...one, tier: 'h1' })));
  });

  it('goes when its connection goes, and is in the forecast until then', async () => {
    const id = await store.leased();
    await write(...serverRuns(id, steady));
    await compact();
    const probes = await storeForecast(store.db, { now });
    expect(probes.map(({ probe }) => probe).sort()).toEqual(['test_server', 'test_tables']);
    expect(probes.every(({ size_bytes }) => size_bytes > 0)).toBe(true);
    const { db } = store;
    await db.run(sql`
      update matriarch.connections set deleted_at = now() - interval '1 minute' where id = ${id}`);
    await db.run(sql`update matriarch.connection_leases set expires_at = now() where connection_id = ${id}`);
    await purgeDeleted({ db, signal: new AbortController().signal });
    expect(await rawRows('test_server__packed', id)).toBe(0);
    expect(await rawRows('test_server__h1', id)).toBe(0);
  });

  it('takes rows that come late into their hour and its rollups', async () => {
    const id = await store.leased();
    const isLate = ({ minute }: { minute: number }) => minute > 70 && minute < 100;
    const all = serverRuns(id, steady);
    const late = all.filter((_run, index) => isLate(steady[index] ?? { minute: 0 }));
    await write(...all.filter((run) => !late.includes(run)));
    await compact();
    await packDays();
    const holes = await ask(id, HOURS);
    expect(holes[0]?.coverage).toBeLessThan(0.95);
    await write(...late);
    // Some that are there already come again, too.
    await write(...all.slice(0, 10));
    const mixed = rounded(await ask(id, HOURS * 12));
    expect((await compact()).problems).toEqual([]);
    expect(rounded(await ask(id, HOURS * 12))).toEqual(mixed);
    const inRows = await ask(id, HOURS);
    await packDays();
    expect(await rawRows('test_server__h1', id)).toBe(0);
    expect(await ask(id, HOURS)).toEqual(inRows);
    const [reads] = await ask(id, HOURS);
    expect(reads?.tier).toBe('h1');
    expect(reads?.coverage).toBeGreaterThan(0.99);
    expect(reads?.values.slice(0, 4)).toEqual([178.5, 180, 180, 180]);
  });

  /** A day and a half later, when all days of rollups are over. */
  async function packDays(): Promise<void> {
    const { problems } = await runCompaction({ db: store.db, layouts, now: now + 36 * HOUR_MS });
    expect(problems).toEqual([]);
  }

  it('drops days of raw rows that are all packed, and rollups by their own retention', async () => {
    const id = await store.leased();
    await write(...serverRuns(id, steady));
    const days = async (table: string) =>
      (
        await store.db.one<{ n: number }>(
          sql`select count(*) as n from pg_catalog.pg_inherits where inhparent = ${`metrics.${table}`}::text::regclass`,
        )
      ).n;
    await compact();
    const minutes = () => ask(id, HOURS * 60);
    const [fine] = await minutes();
    expect(fine?.tier).toBe('raw');
    const later = (n: number) => runCompaction({ db: store.db, layouts, now: now + n * 86_400_000 });
    expect((await later(2)).problems).toEqual([]);
    expect(await days('test_server')).toBe(0);
    expect(await days('test_server__packed')).toBeGreaterThan(0);
    await later(9);
    expect(await days('test_server__packed')).toBe(0);
    // Samples are gone, and rollups of minutes would be: what is coarser is told in finer buckets, and nothing is taken for a gap.
    const [coarse] = await minutes();
    expect(coarse?.tier).toBe('m15');
    expect(coarse?.whole).toBeCloseTo(fine?.whole ?? 0, 6);
    expect(coarse?.coverage).toBeCloseTo(fine?.coverage ?? 0, 6);
    expect(coarse?.values).not.toContain(null);
    expect(await days('test_server__m15p')).toBeGreaterThan(0);
    await later(130);
    expect(await days('test_server__m15')).toBe(0);
    expect(await days('test_server__m15p')).toBe(0);
    expect(await days('test_server__h1p')).toBeGreaterThan(0);
  });
});

it('writes nothing of its tables while there is nothing to do', async () => {
  const versions = () =>
    store.db.rows(sql`/* test.versions */
      select t.table_name, t.xmin::text as version from matriarch.tier_tables t order by t.table_name`);
  await compact();
  const before = await versions();
  expect(before.length).toBeGreaterThan(0);
  await compact();
  expect(await versions()).toEqual(before);
});

it('looks once a day for days of rollups to pack, and again where rows came late', async () => {
  const id = await store.leased();
  await write(...serverRuns(id, steady));
  const seenDays = new SeenDays();
  const later = now + 36 * HOUR_MS;
  const pack = () => runCompaction({ db: store.db, layouts, now: later, seenDays });
  expect((await pack()).problems).toEqual([]);
  expect(await rawRows('test_server__h1', id)).toBe(0);
  // The rows of a day that was seen stay where they are; nobody looks.
  await store.db.run(sql`/* test.unpacked */
    insert into metrics.test_server__h1 (connection_id, database_name, collected_at, runs, covered_seconds, object_ids)
    select ${id}, 'x', to_timestamp(${T / 1000}), 1, 1, '{}'`);
  await pack();
  expect(await rawRows('test_server__h1', id)).toBe(1);
  await store.db.run(sql`/* test.take_away */
    delete from metrics.test_server__h1 where database_name = 'x'`);
  await write(...serverRuns(id, [{ minute: 0.75, dice: 60, more: 1 }]));
  expect(await pack()).toMatchObject({ hours: 1, problems: [] });
  expect(await rawRows('test_server', id)).toBe(0);
  expect(await rawRows('test_server__h1', id)).toBe(0);
});
