// Which engine a datastore has, and what each makes of a table: on a real datastore, with stand-ins for the extensions.
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../kernel/db.ts';
import { silentLog } from '../../../kernel/log.ts';
import { sql } from '../../../kernel/sql.ts';
import { type TestDatabase, testDatabase } from '../../../testing/servers/database.ts';
import { countedDb } from '../../../testing/store/counted-db.ts';
import { SERVER, TABLES } from '../../../testing/store/kept-probes.ts';
import { installStandIn } from '../../../testing/store/store-extensions.ts';
import { ensureTables } from '../tables.ts';
import { engineOf, openEngine } from './open.ts';

let test: TestDatabase;
beforeEach(async () => {
  test = await testDatabase({ choosesEngine: true });
  onTestFinished(() => test.close());
});
const ensure = async () => (await ensureTables(test.db, [SERVER, TABLES])).problems;

it('is plain where no extension is, whatever else is asked for', async () => {
  expect((await openEngine(test.db)).name).toBe('plain');
  await expect(openEngine(test.db, { engine: 'citus' })).rejects.toThrow(
    'store.engine is citus, but the datastore does not have that extension. Run CREATE EXTENSION citus in it, or set store.engine to auto.',
  );
  await expect(openEngine(test.db, { engine: 'timescaledb' })).rejects.toThrow(
    'CREATE EXTENSION timescaledb',
  );
  expect(engineOf(test.db).name).toBe('plain');
});

it('is not known before somebody has looked', async () => {
  const db = new Database({ url: test.url, log: silentLog, applicationName: 'matriarch test', max: 1 });
  onTestFinished(() => db.stop());
  expect(() => engineOf(db)).toThrow('openEngine comes first');
  await openEngine(db);
  expect(engineOf(db).name).toBe('plain');
});

it('cuts tables on Citus as the setting says, and those that follow as the first one', async () => {
  await installStandIn(test.db, 'citus', 'public');
  const shards = async () =>
    (await test.db.one<{ n: number }>(sql`select max(k.shardcount) as n from pg_dist_colocation k`)).n;
  await ensureTables(test.db, [SERVER], await openEngine(test.db, { shard_count: 4 }));
  expect(await shards()).toBe(4);
  await ensureTables(test.db, [TABLES], await openEngine(test.db));
  expect(await shards()).toBe(4);
});

it('is the extension that is there, unless plain is asked for', async () => {
  await installStandIn(test.db, 'timescaledb', 'public');
  expect((await openEngine(test.db, { engine: 'plain' })).name).toBe('plain');
  expect((await openEngine(test.db)).name).toBe('timescaledb');
  expect(engineOf(test.db).name).toBe('timescaledb');
});

it('has to be told which of two', async () => {
  await installStandIn(test.db, 'timescaledb', 'public');
  await installStandIn(test.db, 'citus', 'public');
  await expect(openEngine(test.db)).rejects.toThrow('The datastore has both Citus and TimescaleDB.');
  expect((await openEngine(test.db, { engine: 'citus' })).name).toBe('citus');
});

it('stays what the tables were made for', async () => {
  await openEngine(test.db);
  expect(await ensure()).toEqual(new Map());
  await installStandIn(test.db, 'citus', 'public');
  expect((await openEngine(test.db)).name).toBe('plain');
  await expect(openEngine(test.db, { engine: 'citus' })).rejects.toThrow(
    'store.engine is citus, but the metrics of this datastore were made for plain PostgreSQL. Set store.engine to auto, or take an empty datastore.',
  );
});

it('says what is missing when the extension went', async () => {
  await installStandIn(test.db, 'timescaledb', 'public');
  await openEngine(test.db);
  expect(await ensure()).toEqual(new Map());
  await expect(openEngine(test.db, { engine: 'plain' })).rejects.toThrow('were made for TimescaleDB');
  await test.db.run(sql`drop extension timescaledb cascade`);
  await expect(openEngine(test.db)).rejects.toThrow(
    'The metrics of this datastore were made for TimescaleDB, whose extension is missing.',
  );
});

it('distributes every table by connection while it is empty, and what is joined with it as reference', async () => {
  await installStandIn(test.db, 'citus', 'public');
  const engine = await openEngine(test.db);
  await openEngine(test.db);
  const texts: string[] = [];
  await ensureTables(countedDb(test.db, texts), [TABLES], engine);
  const own = texts.filter((text) =>
    /create_table|pack_table|shard_count|distribute_table|register_table/.test(text),
  );
  expect(own.map((text) => /store\.(\w+)/.exec(text)?.[1])).toEqual([
    'create_table',
    'pack_table',
    'shard_count',
    'distribute_table',
    'register_table',
  ]);
  const found = await test.db.rows<{ name: string; method: string }>(sql`
    select d.logicalrelid::text as name, d.partmethod::text as method from pg_dist_partition d order by 2`);
  expect(found).toEqual([
    { name: 'test_tables__ticks', method: 'h' },
    { name: 'packed_layouts', method: 'n' },
  ]);
  // What Citus refuses of a table that is distributed.
  await expect(
    test.db.run(sql`alter table metrics."test_tables__ticks" alter column "seq_scan" set storage main`),
  ).rejects.toThrow('currently unsupported');
});

it('makes hypertables of the length of our partitions', async () => {
  await installStandIn(test.db, 'timescaledb', 'elsewhere');
  const engine = await openEngine(test.db);
  expect(await ensure()).toEqual(new Map());
  await engine.createTable(test.db, {
    name: 'test_tables__m15',
    packed: false,
    columns: [
      { name: 'connection_id', type: 'integer', notNull: true },
      { name: 'collected_at', type: 'timestamp with time zone', notNull: true },
    ],
    key: ['connection_id', 'collected_at'],
  });
  expect(
    await test.db.rows(sql`
      select h.t::text as name, extract(epoch from h.length)::integer / 86400 as days from elsewhere.hypertables h order by 1`),
  ).toEqual([
    { name: 'test_server', days: 1 },
    { name: 'test_tables__m15', days: 30 },
    { name: 'test_tables__ticks', days: 1 },
  ]);
});

it('is in other tests the one that their server runs', async () => {
  const other = await testDatabase();
  onTestFinished(() => other.close());
  const { preloaded } = await other.db.one<{ preloaded: string }>(
    sql`select current_setting('shared_preload_libraries') as preloaded`,
  );
  const runs = ['citus', 'timescaledb'].find((name) => preloaded.split(/,\s*/).includes(name));
  expect(engineOf(other.db).name).toBe(runs ?? 'plain');
});
