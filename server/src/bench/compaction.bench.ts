// P6, and P8 in spirit: bytes a sample of table statistics (ten counters, three gauges; half of the tables idle) and of
// a server's counters, as they lie raw, packed and rolled up, and how long one series over 24 h takes from each. Prints
// figures, judges nothing.
// The data end at midnight (UTC) and are packed as of that moment, so that a day that is not over has as many hours as it can.
// Run: npm run bench -- compaction [tables] [hours] [seconds between samples]

import process from 'node:process';
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { identifier, sql } from '../kernel/sql.ts';
import { DAY_MS, HOUR_MS } from '../kernel/units.ts';
import { type ColumnKind, defineProbe, type Probe } from '../probes/types.ts';
import { runCompaction } from '../store/compact/compact.ts';
import { plain } from '../store/layout/engine/plain.ts';
import { dayOf } from '../store/layout/engine/types.ts';
import { layoutOf, type TableLayout } from '../store/layout/table-layout.ts';
import {
  hotOf,
  packedName,
  packedRollupName,
  packedTiersOf,
  rollupName,
  tiersOf,
} from '../store/layout/tiers.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { diceOf } from '../testing/dice.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { type BucketsQuery, buckets } from '../testing/store/buckets.ts';
import { keptRun } from '../testing/store/kept-probes.ts';
import { withBenchDatastore } from './bench-datastore.ts';
import { print } from './print.ts';

const TABLES = Number(process.argv[2] ?? 100);
const HOURS = Number(process.argv[3] ?? 51);
const SECONDS = Number(process.argv[4] ?? 60);
const SAMPLES_AN_HOUR = 3600 / SECONDS;
/** Servers with samples; the first has the tables as well. */
const SERVERS = 20;
const READS = 20;
/** Slow reads are repeated less often. */
const MOST_MS = 3000;

const column = (name: string, kind: ColumnKind) => ({
  name,
  type: 'bigint' as const,
  kind,
  description: name,
});
const COUNTERS = Array.from({ length: 10 }, (_none, n) => `c${n}`);
const GAUGES = Array.from({ length: 3 }, (_none, n) => `g${n}`);
const values = [
  ...COUNTERS.map((name) => column(name, 'counter')),
  ...GAUGES.map((name) => column(name, 'gauge')),
];
const common = {
  intervalSeconds: SECONDS,
  retentionDays: 7,
  sql: () => 'select',
  description: 'Made up.',
} as const;
const OBJECTS = defineProbe({
  ...common,
  name: 'bench_tables',
  level: 'D',
  keeps: 'objects',
  columns: [column('relid', 'key'), { ...column('relname', 'label'), type: 'text' }, ...values],
});
const SAMPLES = defineProbe({
  ...common,
  name: 'bench_server',
  level: 'S',
  keeps: 'samples',
  columns: values,
});
const probes: Probe[] = [OBJECTS, SAMPLES];
const layouts = probes.flatMap((probe) => layoutOf(probe) ?? []);

/** What busy tables do: rows by the hundred, some counters far more than others, sizes that creep. */
function tables(): () => Record<string, unknown>[] {
  const random = diceOf(7);
  const rows = Array.from({ length: TABLES }, (_none, index) => ({
    relid: 16_384 + index,
    relname: `table_${index}`,
    ...Object.fromEntries(COUNTERS.map((name) => [name, Math.floor(random() * 1e9)])),
    ...Object.fromEntries(GAUGES.map((name) => [name, Math.floor(random() * 1e6)])),
  })) satisfies Record<string, number | string>[];
  const state = rows.map((row): Record<string, number | string> => ({ ...row }));
  return () =>
    state.map((row, index) => {
      if (index % 2 === 1) return { ...row };
      for (const [position, name] of COUNTERS.entries())
        row[name] = Number(row[name]) + Math.floor(random() ** 3 * 10 ** (position % 4));
      for (const name of GAUGES)
        if (random() < 0.3) row[name] = Number(row[name]) + Math.floor(random() * 100) - 40;
      return { ...row };
    });
}

const DATABASE = 'shop';

async function fill(db: Database, begin: number): Promise<void> {
  await db.run(sql`insert into matriarch.users (id, username) values (1, 'owner')`);
  await db.run(sql`
    insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored)
    select n, 1, 'c' || n, 'h', 5432, 'd', 'u', true
    from generate_series(1, ${SERVERS}::integer) n`);
  await db.run(sql`
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    select n, 'bench', 1, now() + interval '1 hour'
    from generate_series(1, ${SERVERS}::integer) n`);
  const next = tables();
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock, probes });
  for (let tick = 0; tick < HOURS * SAMPLES_AN_HOUR; tick += 1) {
    const at = begin + tick * SECONDS * 1000 + (tick % 7) * 3;
    const rows = next();
    writer.add(keptRun(OBJECTS, { connection_id: 1, at, rows, database_name: DATABASE }));
    for (let id = 1; id <= SERVERS; id += 1)
      writer.add(keptRun(SAMPLES, { connection_id: id, at, rows: rows.slice(2 * id - 2, 2 * id - 1) }));
    if ((tick + 1) % SAMPLES_AN_HOUR === 0) await writer.flush();
  }
  await writer.stop();
}

async function bytesOf(db: Database, table: string): Promise<number> {
  const names = (await plain.partitions(db, [table])).map(({ name }) => name);
  for (const name of names) await db.run(sql`vacuum full metrics.${identifier(name)}`);
  return (await plain.sizes(db, [table])).reduce((sum, { size_bytes }) => sum + size_bytes, 0);
}

async function timed(db: Database, query: BucketsQuery): Promise<string> {
  const times: number[] = [];
  let tier = '';
  const end = systemClock.monotonic() + MOST_MS;
  for (let n = 0; n < READS && (n === 0 || systemClock.monotonic() < end); n += 1) {
    const began = systemClock.monotonic();
    const [found] = await buckets(db, query);
    times.push(systemClock.monotonic() - began);
    tier = found?.tier ?? '';
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${tier})`;
}

const asked = (begin: number, buckets: number): [string, BucketsQuery][] => {
  const of = { connection_ids: [1], from: begin + HOUR_MS, to: begin + 25 * HOUR_MS, buckets };
  return [
    ['server counter', { ...of, probe: SAMPLES, column: 'c3', aggregate: 'rate' }],
    ['server gauge', { ...of, probe: SAMPLES, column: 'g1', aggregate: 'avg' }],
    [
      'counter of one table',
      { ...of, probe: OBJECTS, column: 'c3', aggregate: 'rate', where: { relid: 16_384 } },
    ],
    [
      'gauge of one table',
      { ...of, probe: OBJECTS, column: 'g1', aggregate: 'avg', where: { relid: 16_384 } },
    ],
    ['counter of all tables', { ...of, probe: OBJECTS, column: 'c3', aggregate: 'rate' }],
    ['gauge of all tables', { ...of, probe: OBJECTS, column: 'g1', aggregate: 'avg' }],
  ];
};

/** Rows are raw for two to three hours. */
const RAW_HOURS = 2.5;
const KEPT_HOURS = 7 * 24;
const YEAR_DAYS = 365;
/** Rollups lie in rows until their day is over and the job has come by. */
const ROW_DAYS = 1.2;

/** Raw and packed samples, and what the rollups of a year take, as a share of the raw rows of that year. */
async function sizes(db: Database, raw: ReadonlyMap<string, number>, inRows: ReadonlyMap<string, number>) {
  for (const probe of probes) {
    const layout = layoutOf(probe);
    if (!layout) continue;
    const samples = HOURS * SAMPLES_AN_HOUR * values.length * (layout.keeps === 'objects' ? TABLES : SERVERS);
    const hot = raw.get(probe.name) ?? 0;
    const packed = await bytesOf(db, packedName(layout));
    print(`${probe.name}: ${samples} samples in ${HOURS} h`);
    print(`  raw     ${(hot / samples).toFixed(2)} bytes/sample`);
    print(`  packed  ${(packed / samples).toFixed(2)} bytes/sample`);
    const kept = (RAW_HOURS * hot + (KEPT_HOURS - RAW_HOURS) * packed) / KEPT_HOURS;
    print(
      `  kept    ${(kept / samples).toFixed(2)} bytes/sample over seven days, of which the newest hours are raw`,
    );
    let year = 0;
    for (const tier of packedTiersOf(layout)) {
      const rows = inRows.get(rollupName(layout, tier)) ?? 0;
      const days = await bytesOf(db, packedRollupName(layout, tier));
      year += (days / HOURS) * 24 * Math.min(tier.retentionDays, YEAR_DAYS) + (rows / HOURS) * 24 * ROW_DAYS;
      const share = (bytes: number) => `${((100 * bytes) / hot).toFixed(1)} %`;
      print(`  ${tier.name.padEnd(7)} ${share(rows)} of raw in rows, ${share(days)} packed, span for span`);
    }
    const share = (of: number) => ((100 * year) / ((of / HOURS) * 24 * YEAR_DAYS)).toFixed(1);
    print(`  rollups of a year: ${share(hot)} % of a year raw, ${share(packed)} % of a year packed`);
  }
}

const WANTED_PERCENT = 50;

/** Bytes that a day so far takes in packed days, which lie among those of other days. */
async function packedSoFar(db: Database, table: string, day: number): Promise<number> {
  const { bytes } = await db.one<{ bytes: number }>(sql`
    select coalesce(sum(pg_column_size(t.*)), 0)::double precision as bytes
    from metrics.${identifier(table)} t
    where t.collected_at >= ${new Date(day).toISOString()}::timestamptz`);
  return bytes;
}

/** Rollups in rows by table, as if all hours had them; what they and packed parts of the day that is not over take is printed. */
async function unfinished(
  db: Database,
  { layout, day, raw }: { layout: TableLayout; day: number; raw: number },
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const parts: string[] = [];
  let all = 0;
  for (const tier of tiersOf(layout)) {
    const name = rollupName(layout, tier);
    const { hours } = await db.one<{ hours: number }>(sql`
      select count(distinct date_trunc('hour', collected_at))::integer as hours
      from metrics.${identifier(name)}`);
    // Those of days that were over are packed already.
    const rows = hours === 0 ? 0 : (await bytesOf(db, name)) * (HOURS / hours);
    sizes.set(name, rows);
    const isPacked = packedTiersOf(layout).includes(tier);
    const packed = isPacked ? await packedSoFar(db, packedRollupName(layout, tier), day) : 0;
    const own = rows / HOURS + packed / 24;
    all += own;
    parts.push(`${tier.name} ${((100 * own * HOURS) / raw).toFixed(0)} %`);
  }
  const percent = (100 * all * HOURS) / raw;
  print(
    `${layout.probe}, every ${SECONDS} s: rollups of the unfinished day: ${percent.toFixed(0)} % of raw rows (wanted ${WANTED_PERCENT}), of which ${parts.join(', ')}`,
  );
  return sizes;
}

async function rollupRows(db: Database, end: number, raw: ReadonlyMap<string, number>) {
  const sizes = new Map<string, number>();
  for (const layout of layouts) {
    const of = { layout, day: end - DAY_MS, raw: raw.get(layout.probe) ?? 0 };
    for (const [name, bytes] of await unfinished(db, of)) sizes.set(name, bytes);
  }
  return sizes;
}

async function reads(db: Database, begin: number, what: string): Promise<void> {
  print(`one series of 24 h by the quarter of an hour, ${what}`);
  for (const [name, query] of asked(begin, 96)) print(`  ${name}: ${await timed(db, query)}`);
  print(`one series of 24 h by the hour, ${what}`);
  for (const [name, query] of asked(begin, 24)) print(`  ${name}: ${await timed(db, query)}`);
}

async function run(db: Database): Promise<void> {
  const end = dayOf(systemClock.now());
  const begin = end - HOURS * HOUR_MS;
  // The last moment at which none of them takes the day for over.
  const before = end - 1 + Math.min(...layouts.map((layout) => hotOf(layout).hot_ms));
  await fill(db, begin);
  const raw = new Map<string, number>();
  for (const probe of probes) {
    const table = layoutOf(probe)?.table.name ?? '';
    raw.set(probe.name, await bytesOf(db, table));
  }
  await db.run(sql`analyze`);
  // 288 buckets of 5 minutes have no rollup to read from, 24 of an hour have.
  print('one series of 24 h, raw');
  for (const [name, query] of asked(begin, 288)) print(`  ${name}: ${await timed(db, query)}`);
  const began = systemClock.monotonic();
  const report = await runCompaction({ db, layouts, now: before });
  const took = systemClock.monotonic() - began;
  print(
    `packing ${report.rows} rows of ${report.hours} hours took ${(took / 1000).toFixed(1)} s; ${report.problems.join(' ')}`,
  );
  const inRows = await rollupRows(db, end, raw);
  await db.run(sql`analyze`);
  print('one series of 24 h, packed');
  for (const [name, query] of asked(begin, 288)) print(`  ${name}: ${await timed(db, query)}`);
  await reads(db, begin, 'the last day not over');
  const later = systemClock.monotonic();
  const { days } = await runCompaction({ db, layouts, now: end + 12 * HOUR_MS });
  print(`packing ${days} days of rollups took ${((systemClock.monotonic() - later) / 1000).toFixed(1)} s`);
  // The last hours of objects stay raw.
  await sizes(db, raw, inRows);
  await db.run(sql`analyze`);
  await reads(db, begin, 'rollups packed');
}

const directory = makeRunDirectory();
try {
  await withBenchDatastore(directory, undefined, run);
} finally {
  removeRunDirectory(directory);
}
