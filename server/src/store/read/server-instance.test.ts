// Migrates an older store, in which server_instance was still called incarnation: it must read exactly as it did before.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../datastore/migrate.ts';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { testDirectory } from '../../testing/servers/postgres.ts';
import { buckets } from '../../testing/store/buckets.ts';
import { keptRun, SERVER } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { runCompaction } from '../compact/compact.ts';
import { readRows } from '../format/stored-rows.ts';
import { layoutOf, type TableLayout } from '../layout/table-layout.ts';
import { ensureTables } from '../layout/tables.ts';
import { openSpoolHome } from '../spool/home.ts';
import { sampleLines } from '../write/samples/encode.ts';
import { encodeEntries } from '../write/samples/spool-codec.ts';

const layout = layoutOf(SERVER) ?? expect.fail();
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

/** Every 50 minutes another server answers, whose counter is far ahead. */
const lifeAt = (minute: number) => Math.floor(minute / 50);
const runAt = (connection_id: number, minute: number) =>
  keptRun(SERVER, {
    connection_id,
    at: T + minute * MINUTE_MS,
    server_instance: `life ${lifeAt(minute)}`,
    rows: [{ kind: 'a', reads: lifeAt(minute) * 1_000_000 + minute, load: minute % 7, stats_reset: null }],
  });

async function write(id: number, [from, to]: readonly [number, number]): Promise<void> {
  const writer = store.writer({ probes: [SERVER] });
  for (let minute = from; minute < to; minute += 1) writer.add(runAt(id, minute));
  await writer.flush();
  await writer.stop();
}

const increases = (id: number, count: number) =>
  buckets(store.db, {
    probe: SERVER,
    column: 'reads',
    connection_ids: [id],
    from: T,
    to: T + 8 * HOUR_MS,
    buckets: count,
    aggregate: 'sum',
  });

const stored = (id: number) =>
  readRows(store.db, layout, { connection_id: id, database_name: '', from: T, to: T + 8 * HOUR_MS });

/** All that the store says: rows, and buckets of the finest and the coarsest tier. */
const everything = async (id: number) => ({
  rows: (await stored(id)).samples,
  fine: await increases(id, 96),
  hours: await increases(id, 8),
});

/** As the version before left it. */
async function undo(): Promise<void> {
  await store.db.run(sql`/* test.older */
    alter table metrics.test_server rename column server_instance to incarnation`);
  await store.db.run(sql`/* test.older */
    update matriarch.packed_layouts set names = array_replace(names, '@server_instance', '@inc')`);
  await store.db.run(sql`/* test.older */
    delete from matriarch.migrations where name like '%_server_instance.sql'`);
}

it('a store of the version before reads the same once it is migrated: raw, packed and rolled up', async () => {
  const id = await store.leased();
  await write(id, [0, 480]);
  const half = await runCompaction({ db: store.db, layouts: [layout], now: T + 6 * HOUR_MS });
  expect(half.problems).toEqual([]);
  expect((await stored(id)).raw).toHaveLength(240);
  const before = await everything(id);
  expect(before.rows).toHaveLength(480);
  expect(new Set(before.rows.map((row) => row.server_instance)).size).toBe(10);
  expect(before.hours.map(({ tier }) => tier)).toEqual(['h1']);
  await undo();
  await expect(stored(id)).rejects.toThrow('server_instance');
  expect(await migrate(store.url, silentLog)).toEqual([
    expect.stringMatching(/^\d{4}_server_instance\.sql$/),
  ]);
  expect((await ensureTables(store.db, [SERVER])).problems.size).toBe(0);
  expect(await everything(id)).toEqual(before);
  // What was raw goes the same way.
  expect((await runCompaction({ db: store.db, layouts: [layout], now })).problems).toEqual([]);
  const { raw, samples } = await stored(id);
  expect([raw.length, samples.length]).toEqual([0, 480]);
  expect(await increases(id, 96)).toEqual(before.fine);
  expect((await increases(id, 8))[0]?.values).toEqual(before.hours[0]?.values);
});

it('a spool file that the version before left is stored, with the instance of the server', async () => {
  const id = await store.leased();
  const root = testDirectory('spool');
  const open = async () => {
    const home = await openSpoolHome({
      root,
      maxBytes: 64 * 1024 * 1024,
      minFreeBytes: 0,
      clock: systemClock,
      log: silentLog,
    });
    return typeof home === 'string' ? expect.fail(home) : home;
  };
  const columns = layout.table.columns.map((column) =>
    column.name === 'server_instance' ? { ...column, name: 'incarnation' } : column,
  );
  const older: TableLayout = { ...layout, table: { ...layout.table, columns } };
  const at = now - MINUTE_MS;
  const head = { connection_id: id, database_name: '', at };
  const lines = sampleLines(layout, { ...head, server_instance: 'life 1' }, [{ kind: 'a', reads: 7 }]);
  const entry = { ...head, epoch: 1, layout: older, bytes: 100, lines, ticks: [] };
  const before = await open();
  await before.batches.append(encodeEntries([entry]), { connections: [id], from: at, to: at });
  await before.stop();
  expect(readdirSync(path.join(root, '1')).filter((name) => name.endsWith('.spool'))).toHaveLength(1);

  const spool = await open();
  const writer = store.writer({ probes: [SERVER], spool });
  const rows = () =>
    store.db.rows(sql`/* test.spooled */
      select reads, server_instance is not null as is_known
      from metrics.test_server where connection_id = ${id}`);
  try {
    await expect.poll(rows, { timeout: 90_000 }).toEqual([{ reads: 7, is_known: true }]);
  } finally {
    await writer.stop();
    await spool.stop();
  }
});
