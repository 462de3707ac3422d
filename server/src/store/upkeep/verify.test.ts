// What is wrong with packed hours and rollups is found; what is right is left alone.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { keptRun, SERVER, TABLES, tableRow } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { runCompaction } from '../compact/compact.ts';
import { layoutOf, type TableLayout } from '../layout/table-layout.ts';
import { runMaintenance } from './maintenance.ts';
import { verifyStore } from './verify.ts';

let store: Storing;
let now: number;
const probes = [SERVER, TABLES];
const layouts = probes.map(layoutOf).filter((layout): layout is TableLayout => layout !== undefined);

beforeAll(async () => {
  store = await storing();
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  ));
  await runMaintenance({ db: store.db, probes });
  const id = await store.leased();
  // Not at midnight: an hour is moved back by one below, and partitions hold days.
  const nine = Math.floor(now / HOUR_MS) * HOUR_MS - 9 * HOUR_MS;
  const begin = new Date(nine).getUTCHours() === 0 ? nine + HOUR_MS : nine;
  const writer = store.writer({ probes });
  for (let minute = 0; minute < 240; minute += 1) {
    const at = begin + minute * 60_000 + 30_000;
    const rows = [1, 2].map((kind) => ({ kind: `k${kind}`, reads: minute * kind, load: minute % 7 }));
    writer.add(keptRun(SERVER, { connection_id: id, at, rows }));
    const tables = [1, 2, 3].map((n) => tableRow(n, { ins: minute * (n - 1), size: 8192 * n }));
    writer.add(keptRun(TABLES, { connection_id: id, at, rows: tables, database_name: 'shop' }));
  }
  await writer.flush();
  await writer.stop();
});
afterAll(() => store.close());

const wrong = async (at = now) =>
  (await verifyStore(store.db, { layouts, now: at })).filter(({ problem }) => problem !== null);

const rollups = async () =>
  store.db.one(sql`
    select
      (select count(*) from metrics.test_server__h1) as rows,
      (select count(*) from metrics.test_server__h1p) as days,
      (select count(*) from metrics.objects) as objects`);

it('nothing is wrong with what was packed, in rows and in days', async () => {
  await runCompaction({ db: store.db, layouts, now });
  const before = await rollups();
  const checks = await verifyStore(store.db, { layouts, now });
  expect(checks.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(checks.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['test_server__packed: contents', 'test_server: rollups', 'test_tables: rollups']),
  );
  expect(await rollups()).toEqual(before);
  await runCompaction({ db: store.db, layouts, now: now + 36 * HOUR_MS });
  expect(await rollups()).toMatchObject({ rows: 0 });
  // What a look into the future has dropped.
  await runMaintenance({ db: store.db, probes });
  expect(await wrong()).toEqual([]);
});

it('a rollup that says something else is found', async () => {
  await store.db.run(sql`
    update matriarch.packed_layouts set names = array_replace(names, 'reads', 'raeds') where 'reads@o' = any (names)`);
  expect(await wrong()).toEqual([
    {
      what: 'test_server: rollups',
      problem: expect.stringMatching(/^connection \d+, .*Z: m15 of .* is not what/),
    },
  ]);
  await store.db.run(sql`
    update matriarch.packed_layouts set names = array_replace(names, 'raeds', 'reads') where 'reads@o' = any (names)`);
  expect(await wrong()).toEqual([]);
});

it('hours that cannot be unpacked, and rows of another hour, are found', async () => {
  await store.db.run(sql`
    update metrics.test_tables__packed
    set columns[1] = substring(columns[1] from 1 for 2)
    where collected_at = (select max(p.collected_at) from metrics.test_tables__packed p)`);
  await store.db.run(sql`
    update metrics.test_server__packed
    set collected_at = collected_at - interval '1 hour'
    where collected_at = (select min(p.collected_at) from metrics.test_server__packed p)`);
  const found = await wrong();
  expect(found).toContainEqual({
    what: 'test_server__packed: contents',
    problem: expect.stringMatching(
      /^1 packed hours are wrong: connection 1, .* holds what is of another hour\.$/,
    ),
  });
  expect(found).toContainEqual({
    what: 'test_tables__packed: contents',
    problem: expect.stringMatching(
      /^1 packed hours are wrong: connection 1 database shop, .* cannot be unpacked/,
    ),
  });
});
