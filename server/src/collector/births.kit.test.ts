// What is made between two readings of a real server is counted whole: a statement that runs once, a table that is filled at once,
// an index, a function, a sequence, a slot, a database. Nothing of what was there before the first reading is counted.
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import type { Probe } from '../probes/types.ts';
import type { Collecting } from '../testing/collecting.ts';
import { newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { type BucketsQuery, buckets } from '../testing/store/buckets.ts';
import { majorsOfKits } from '../testing/tier.ts';

const SECONDS = 10;
const NAMES = [
  'pg_stat_statements',
  'pg_stat_all_tables',
  'pg_stat_all_indexes',
  'pg_statio_all_sequences',
  'pg_stat_user_functions',
  'pg_stat_database',
  'pg_replication_slots',
] as const;
type Name = (typeof NAMES)[number];

const probes = new Map<string, Probe>(
  NAMES.map((name) => [
    name,
    { ...(catalog.find((one) => one.name === name) ?? expect.fail()), intervalSeconds: SECONDS },
  ]),
);
const probeOf = (name: Name) => probes.get(name) ?? expect.fail();

/** Resolves once each of the probes was read that often in that database. */
async function readings(house: Collecting, id: number, count: number): Promise<void> {
  const seen = new Map<string, Set<string>>();
  const least = async () => {
    for (const { probe, database_name, collected_at, outcome } of await house.snapshots(id)) {
      const key = database_name === '' ? probe : `${probe} ${database_name}`;
      const own = seen.get(key) ?? new Set<string>();
      seen.set(key, own);
      if (collected_at && outcome === 'ran') own.add(collected_at);
    }
    return Math.min(...NAMES.map((name) => seen.get(`${name} postgres`)?.size ?? seen.get(name)?.size ?? 0));
  };
  await pollMoved(house, least).toBeGreaterThan(count);
}

type Run = (text: string) => Promise<pg.QueryResult>;

/** What a session has done is counted in full once it is over. */
async function within(url: string, database: string, work: (run: Run) => Promise<void>): Promise<void> {
  const client = new pg.Client(url.replace(/\/postgres$/, `/${database}`));
  await client.connect();
  await work((text) => client.query(text));
  await client.end();
}

/** Everything that can be made between two readings, used at once. */
async function make(run: Run): Promise<void> {
  await run('select pg_sleep(0.01), 4711 as once');
  for (let n = 0; n < 77; n += 1) await run('select 1, 2, 3, 4, 5, 6, 7 as many_times');
  await run('create table filled (a int primary key, b serial)');
  await run('insert into filled select generate_series(1, 12345)');
  await run('create index lookup on old ((a + 1))');
  await run('set enable_seqscan = off');
  await run('select a from old where a + 1 = 9');
  await run(`create function f() returns int language plpgsql as 'begin return 1; end'`);
  await run('select f(), f(), f()');
  await run(`select pg_create_logical_replication_slot('s', 'test_decoding')`);
  // What is not on the disk is not decoded.
  await run('set synchronous_commit = on');
  await run('insert into old values (-1)');
  await run(`select count(*) from pg_logical_slot_get_changes('s', null, null)`);
  await run('create database born');
}

it.each(majorsOfKits())('PostgreSQL %i', { timeout: 300_000 }, async (major) => {
  const cluster = await startCluster({
    major,
    settings: { track_functions: 'all', wal_level: 'logical', autovacuum: 'off' },
  });
  onTestFinished(() => cluster.stop());
  await cluster.query('create extension pg_stat_statements');
  await cluster.query('create table old (a int primary key)');
  await cluster.query('insert into old select generate_series(1, 5000)');
  const house = await newHouse();
  const id = await house.connect(cluster);
  const from = house.clock.now() - 60_000;
  house.start({ probes: [...probes.values()] });
  await readings(house, id, 1);
  await within(cluster.url, 'postgres', make);
  await within(cluster.url, 'born', async (run) => {
    await run('create table young (a int)');
    await run('insert into young select generate_series(1, 321)');
    await run('select 1, 2, 3, 4, 5, 6, 7, 8, 9 as inside');
  });
  const isRead = async () => (await house.snapshot(id, 'pg_stat_all_tables', 'born'))?.outcome;
  await pollMoved(house, isRead).toBe('ran');
  await readings(house, id, 2);

  const increase = async (name: Name, column: string, query: Partial<BucketsQuery> = {}) => {
    const window = { from, to: house.clock.now() + 1000, buckets: 1 };
    const own = { probe: probeOf(name), connection_ids: [id], aggregate: 'sum', ...window } as const;
    const found = await buckets(house.db, { ...own, column, ...query });
    return found.reduce<number | null>((sum, { whole }) => (whole === null ? sum : (sum ?? 0) + whole), null);
  };
  const texts = await house.db.rows<{ queryid: string; query_text: string }>(sql`
    select q.queryid::text as queryid, q.query_text from metrics.queries q where q.connection_id = ${id}`);
  const calls = (text: RegExp) => {
    const known = texts.find(({ query_text }) => text.test(query_text)) ?? expect.fail(String(text));
    return increase('pg_stat_statements', 'calls', { where: { queryid: known.queryid } });
  };
  expect(await calls(/as once/)).toBe(1);
  expect(await calls(/as many_times/)).toBe(77);
  expect(await calls(/as inside/)).toBe(1);
  const rows = (relname: string) => increase('pg_stat_all_tables', 'n_tup_ins', { where: { relname } });
  expect(await rows('filled')).toBe(12_345);
  expect(await rows('young')).toBe(321);
  expect(await rows('old')).toBe(1);
  expect(await increase('pg_stat_all_indexes', 'idx_scan', { where: { indexrelname: 'lookup' } })).toBe(1);
  expect(await increase('pg_stat_user_functions', 'calls', { where: { funcname: 'f' } })).toBe(3);
  expect(
    await increase('pg_statio_all_sequences', 'blks_hit', { where: { relname: 'filled_b_seq' } }),
  ).toBeGreaterThan(1000);
  const [slot] = await cluster.query('select total_txns::int4 from pg_stat_replication_slots');
  expect(slot?.total_txns).toBeGreaterThan(0);
  expect(await increase('pg_replication_slots', 'total_txns')).toBe(slot?.total_txns);
  expect(
    await increase('pg_stat_database', 'tup_inserted', { database_name: 'born' }),
  ).toBeGreaterThanOrEqual(321);
  // Catalogs that all databases share were counted before the database was there.
  expect(
    await increase('pg_stat_all_tables', 'seq_scan', { where: { relid: 1262 }, database_name: 'born' }),
  ).toBeLessThan(50);
});
