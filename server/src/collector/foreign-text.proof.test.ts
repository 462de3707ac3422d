// A server whose databases are in other encodings: names and statements in them are no UTF-8, and cost nothing but themselves.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { connectTarget } from '../monitored/connect.ts';
import { readConnectionUrl } from '../monitored/connection-url.ts';
import { newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { type Major, startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import { testSettings } from '../testing/servers/target.ts';
import { endMajors } from '../testing/tier.ts';
import { readServerOnce } from './read-once.ts';

async function sessionIn(cluster: TestCluster, database: string): Promise<pg.Client> {
  const client = new pg.Client({ host: cluster.socketDir, port: cluster.port, user: 'postgres', database });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

const plainOf = (major: Major) =>
  `template template0 lc_collate 'C' lc_ctype 'C' ${major > 14 ? 'locale_provider libc' : ''}`;

async function foreignServer(major: Major): Promise<TestCluster> {
  const cluster = await startCluster({ major, settings: { 'pg_stat_statements.track': 'all' } });
  onTestFinished(() => cluster.stop());
  const PLAIN = plainOf(major);
  await cluster.query(`create role mon login password 'mon'`);
  await cluster.query('grant pg_monitor to mon');
  await cluster.query('create extension if not exists pg_stat_statements');
  await cluster.query(`create database l1 ${PLAIN} encoding 'LATIN1'`);
  await cluster.query(`create database raw ${PLAIN} encoding 'SQL_ASCII'`);
  const latin = await sessionIn(cluster, 'l1');
  await latin.query('create table "tablé" (a int4 primary key)');
  await latin.query(`create database "café" ${PLAIN} encoding 'LATIN1'`);
  await latin.query('create role "rené"');
  await latin.query('create role "renè"');
  await latin.end();
  const raw = await sessionIn(cluster, 'raw');
  await raw.query(
    `do $$ begin execute 'select 1 as "' || convert_from('\\xe9ff'::bytea, 'SQL_ASCII') || '"'; end $$`,
  );
  await raw.end();
  await cluster.query('select 4711 as counted');
  return cluster;
}

it.each(endMajors)(
  'reads all else, and says what it is about, on PostgreSQL %i',
  async (major) => {
    const cluster = await foreignServer(major);
    const [holder, waiter] = [await sessionIn(cluster, 'l1'), await sessionIn(cluster, 'l1')];
    onTestFinished(async () => {
      await cluster.kill();
    });
    await holder.query('begin; lock table "tablé"');
    holder.query(`select pg_sleep(600), 'é'`).catch(() => undefined);
    waiter.query(`select 'é' from "tablé" where 'x' <> 'é'`).catch(() => undefined);
    const house = await newHouse();
    const id = await house.connect(cluster, { username: 'mon', password: 'mon' });
    house.start();
    const wanted = [
      'pg_stat_activity',
      'pg_locks_tree',
      'pg_database',
      'pg_wraparound',
      'pg_roles',
      'pg_settings',
    ];
    await pollMoved(house, async () => {
      const all = await house.snapshots(id);
      return wanted.filter((name) => !all.some(({ probe }) => probe === name)).length;
    }).toBe(0);
    await pollMoved(
      house,
      async () => (await house.snapshot(id, 'pg_costly_statements', 'postgres'))?.outcome,
    ).toBe('ran');
    await pollMoved(house, async () => (await house.snapshot(id, 'pg_stat_all_tables', 'l1'))?.outcome).toBe(
      'ran',
    );
    const all = await house.snapshots(id);
    expect(
      all.filter(({ outcome }) => outcome === 'failed').map(({ probe, reason }) => `${probe}: ${reason}`),
    ).toEqual([]);
    const rowsOf = async (name: string, database?: string) => {
      const { rows } = (await house.snapshot(id, name, database)) ?? {};
      return (rows ?? []) as Record<string, unknown>[];
    };
    const activity = await rowsOf('pg_stat_activity');
    expect(activity.map(({ query }) => query)).toContain(`select pg_sleep(600), '\ufffd'`);
    expect((await rowsOf('pg_locks_tree')).length).toBeGreaterThan(0);
    const databases = (await rowsOf('pg_database')).map(({ datname }) => String(datname));
    expect(databases).toEqual(
      expect.arrayContaining(['l1', 'raw', 'postgres', expect.stringMatching(/^caf\ufffd \(oid \d+\)$/)]),
    );
    const { reason } = (await house.snapshot(id, 'pg_database')) ?? {};
    expect(reason).toMatch(/^One name is in another encoding/);
    const roles = (await house.facts(id, 'pg_roles')).map(({ item_key }) => item_key);
    expect(roles.filter((item) => item.includes('ren\ufffd (oid'))).toHaveLength(2);
    const costly = await house.snapshot(id, 'pg_costly_statements', 'postgres');
    expect(costly).toMatchObject({
      outcome: 'ran',
      cause: 'incomplete',
      reason: expect.stringMatching(/no text/),
    });
    await cluster.query(String(costly?.mend));
    // What is the same in every database is read elsewhere; that one is not knocked at.
    const skipped = all.filter(
      ({ database_name, outcome }) => database_name.startsWith('caf') && outcome === 'skipped',
    );
    expect(new Set(skipped.map((one) => one.reason))).toEqual(
      new Set([expect.stringMatching(/in another encoding than UTF-8, so it cannot be named/)]),
    );
  },
  240_000,
);

async function costlyOf(cluster: TestCluster, database: string) {
  const house = await newHouse();
  const id = await house.connect(cluster, { username: 'mon', password: 'mon', database });
  const collector = house.start();
  const costly = () => house.snapshot(id, 'pg_costly_statements', database);
  await pollMoved(house, async () => (await costly())?.outcome).toBe('ran');
  return { house, id, costly, collector };
}

it.each(endMajors)(
  'reads a database in MULE_INTERNAL, of which a server makes no UTF-8, on PostgreSQL %i',
  async (major) => {
    const cluster = await startCluster({ major, settings: { 'pg_stat_statements.track': 'all' } });
    onTestFinished(() => cluster.stop());
    await cluster.query(`create role mon login password 'mon'`);
    await cluster.query('grant pg_monitor to mon');
    await cluster.query('create extension if not exists pg_stat_statements');
    await cluster.query(`create database mule ${plainOf(major)} encoding 'MULE_INTERNAL'`);
    const settings = testSettings(cluster, { database: 'mule' });
    const client = await connectTarget(settings);
    await client.query('create table public.plain (a int4 primary key)');
    await client.close();
    const refused = () => readFileSync(cluster.logFile, 'utf8').match(/FATAL: .*MULE_INTERNAL/g)?.length ?? 0;
    const { house, id, costly, collector } = await costlyOf(cluster, 'postgres');
    await pollMoved(
      house,
      async () => (await house.snapshot(id, 'pg_stat_all_tables', 'mule'))?.outcome,
    ).toBe('ran');
    const failed = (await house.snapshots(id)).filter(({ outcome }) => outcome === 'failed');
    expect(failed).toEqual([]);
    // The first attempt, and none after it.
    expect(refused()).toBeLessThanOrEqual(1);
    const before = await costly();
    expect(before).toMatchObject({ cause: 'incomplete', reason: expect.stringMatching(/cannot convert/) });
    // Of a session that starts after it, nothing is counted there; the collector's own are older.
    await collector.stop();
    await cluster.query(String(before?.mend));
    const later = await connectTarget(settings);
    await later.query('select count(*) from public.plain');
    await later.close();
    await cluster.query('select query from pg_stat_statements');
  },
  240_000,
);

it('says that the encoding of the database lacks characters of others, and what gives the texts', async () => {
  const cluster = await startCluster({ settings: { 'pg_stat_statements.track': 'all' } });
  onTestFinished(() => cluster.stop());
  await cluster.query(`create role mon login password 'mon'`);
  await cluster.query('grant pg_monitor to mon');
  await cluster.query(`create database l1 ${plainOf(18)} encoding 'LATIN1'`);
  const latin = await sessionIn(cluster, 'l1');
  await latin.query('create extension pg_stat_statements');
  await latin.end();
  await cluster.query(`create database u8 ${plainOf(18)} encoding 'UTF8'`);
  await cluster.query('drop extension if exists pg_stat_statements');
  const counted = await sessionIn(cluster, 'u8');
  await counted.query('select 1 as "日本"');
  await counted.end();
  const again = await sessionIn(cluster, 'l1');
  onTestFinished(() => again.end());
  await expect(again.query('select query from pg_stat_statements')).rejects.toMatchObject({ code: '22P05' });
  const { costly } = await costlyOf(cluster, 'l1');
  const before = await costly();
  expect(before).toMatchObject({ cause: 'incomplete', reason: expect.stringMatching(/database in UTF8/) });
  await again.query(String(before?.mend));
  await again.query('select query from pg_stat_statements');
});

it('a checkup reads statements where the server returns their texts, and says why it does not elsewhere', async () => {
  const cluster = await foreignServer(18);
  const read = async () => {
    const url = `postgres://mon:mon@127.0.0.1:${cluster.port}/postgres`;
    const { signal } = new AbortController();
    return readServerOnce(readConnectionUrl(url), { seconds: 0, signal, progress: () => undefined });
  };
  const troubles = (await read()).troubles.get('pg_costly_statements') ?? [];
  expect(troubles[0]).toMatchObject({
    database_name: 'postgres',
    because: expect.stringContaining('not in the encoding of this database'),
    mend: expect.stringContaining('pg_stat_statements_reset'),
  });
  const raw = await sessionIn(cluster, 'raw');
  await raw.query('create extension pg_stat_statements');
  await raw.end();
  const { known, troubles: none } = await read();
  expect(none.get('pg_costly_statements')).toBeUndefined();
  const texts = known.readings
    .get('pg_costly_statements')
    ?.flatMap(({ rows }) => rows.map((row) => row.query_text));
  expect(texts?.join()).toContain('pg_catalog');
}, 60_000);
