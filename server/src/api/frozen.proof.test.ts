// The datastore frozen in the middle of everything: every process of a real server stopped, its connections open.
// Guards: every operation answers within the time that is promised, no session that did not answer is used again, and
// all is well within seconds of its return.

import { expect, it, onTestFinished } from 'vitest';
import { allRoutes } from '../app/routes.ts';
import { migrate } from '../datastore/migrate.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Operation } from '../kernel/contract.ts';
import { Database } from '../kernel/db.ts';
import { SILENT_AFTER_MS } from '../kernel/heartbeat.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { startWholeApi } from '../testing/rooms/whole.ts';
import { startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import { syncCatalogs } from '../testing/servers/template.ts';

/** What a busy machine may add to a bound that is otherwise held to. */
const BUSY_MS = 20_000;
const MAX = 4;

async function ownDatastore() {
  const cluster = await startCluster();
  onTestFinished(() => cluster.stop());
  const url = new Secret(cluster.url);
  await migrate(url, silentLog);
  const db = new Database({ url, log: silentLog, applicationName: 'frozen test', max: MAX });
  return { cluster, db, url };
}

async function start() {
  const { cluster, db, url } = await ownDatastore();
  const database = { db, url, name: 'postgres', close: () => db.stop() };
  await syncCatalogs(db);
  const test = await startWholeApi({ database });
  onTestFinished(async () => {
    cluster.resume();
    await test.close();
  });
  const operations = allRoutes(test.services).map(({ operation }) => operation);
  return { ...test, cluster, operations };
}

const lineOf = ({ method, path, paramsExample = {} }: Operation, connection: number) => {
  const values: Record<string, unknown> = { ...paramsExample };
  const used = new Set<string>();
  const filled = path.replace(/\{([^}]+)\}/g, (_match, name: string) => {
    used.add(name);
    const isConnection = /connection|server/.test(path);
    return String(isConnection ? connection : (values[name] ?? connection));
  });
  const rest = Object.entries(values).filter(([name]) => !used.has(name));
  return `${method} ${filled}?${new URLSearchParams(rest.map(([name, value]) => [name, String(value)]))}`;
};

const sessions = async (cluster: TestCluster): Promise<unknown[]> =>
  (
    await cluster.query(`select pid from pg_stat_activity
      where application_name = 'frozen test' and query not like '%heartbeat%'`)
  ).map(({ pid }) => pid);

it('answers every operation in time, and again within seconds of the return', async () => {
  const { cluster, operations, call, actors } = await start();
  expect(SILENT_AFTER_MS).toBeLessThanOrEqual(5500);
  const asked = operations.filter(({ access }) => access !== 'public');
  const options = (operation: Operation) => ({
    token: actors.superuser.session,
    ...(operation.body && { body: operation.bodyExample }),
  });
  const ask = async (operation: Operation) => {
    const started = systemClock.monotonic();
    const { status, error } = await call(lineOf(operation, actors.own_connection), options(operation));
    return { id: operation.id, status, error, ms: systemClock.monotonic() - started };
  };
  // Twice as many at once as the pool has sessions, so that some wait for one.
  const reads = asked.filter(({ method }) => method === 'GET');
  expect((await Promise.all(reads.map(ask))).filter(({ status }) => status === 503)).toEqual([]);
  const before = await sessions(cluster);
  expect(before.length).toBe(MAX);
  cluster.pause();
  const answers = await Promise.all(asked.map(ask));
  expect(answers.filter(({ ms }) => ms > SILENT_AFTER_MS + BUSY_MS)).toEqual([]);
  // Nothing is kept any more by now: whoever needs the datastore says that it is away, at once.
  const again = await Promise.all(asked.filter(({ usesDatastore }) => usesDatastore !== false).map(ask));
  const expected = (id: string) =>
    operations.find((operation) => operation.id === id)?.datastoreFaultIs500 ? 500 : 503;
  expect(again.filter(({ id, status }) => status !== expected(id))).toEqual([]);
  expect(again.filter(({ error }) => !/datastore/.test(error ?? ''))).toEqual([]);
  expect((await call('GET /health')).status).toBe(503);
  expect((await call('GET /api/v1/openapi.json')).status).toBe(200);
  cluster.resume();
  await expect.poll(async () => (await call('GET /health')).status, { timeout: 90_000 }).toBe(200);
  const after = await Promise.all(reads.map(ask));
  expect(after.filter(({ status }) => status === 500 || status === 503)).toEqual([]);
  const left = await sessions(cluster);
  expect(left.filter((pid) => before.includes(pid))).toEqual([]);
  expect(left.length).toBeLessThanOrEqual(MAX);
}, 120_000);

it('gives up a transaction in its middle, and nothing of it remains', async () => {
  const { cluster, db } = await ownDatastore();
  onTestFinished(() => db.stop());
  const add = (name: string) =>
    sql`/* test.add */ insert into matriarch.users (username) values (${name}) returning id`;
  await db.one(add('before'));
  const started = systemClock.monotonic();
  const half = db.transaction(async (tx) => {
    await tx.one(add('within'));
    cluster.pause();
    await tx.one(add('frozen'));
  });
  await expect(half).rejects.toMatchObject({ code: 'unavailable' });
  expect(systemClock.monotonic() - started).toBeLessThan(SILENT_AFTER_MS + BUSY_MS);
  const refused = systemClock.monotonic();
  await expect(db.rows(sql`/* test.any */ select 1`)).rejects.toMatchObject({ code: 'unavailable' });
  expect(systemClock.monotonic() - refused).toBeLessThan(BUSY_MS);
  cluster.resume();
  const names = () =>
    db.rows<{ username: string }>(sql`/* test.names */ select username from matriarch.users`);
  await expect.poll(() => names().catch(() => 'away'), { timeout: 90_000 }).toEqual([{ username: 'before' }]);
}, 120_000);

it('gives up one session that has died, and lets a slow statement finish', async () => {
  const { db, cluster } = await ownDatastore();
  onTestFinished(() => db.stop());
  const pid = sql`/* test.pid */ select pg_backend_pid() as pid`;
  const { pid: victim } = await db.one<{ pid: number }>(pid);
  process.kill(victim, 'SIGSTOP');
  onTestFinished(() => void process.kill(victim, 'SIGCONT'));
  const started = systemClock.monotonic();
  await expect(db.one(pid)).rejects.toMatchObject({ code: 'unavailable' });
  expect(systemClock.monotonic() - started).toBeLessThan(SILENT_AFTER_MS + BUSY_MS);
  expect((await db.one<{ pid: number }>(pid)).pid).not.toBe(victim);
  const slow = await db.one<{ done: boolean }>(
    sql`/* test.slow */ select pg_sleep(${SILENT_AFTER_MS / 1000 + 1}) is not null as done`,
  );
  expect(slow.done).toBe(true);
  expect((await cluster.query('select 1 as one'))[0]).toEqual({ one: 1 });
}, 120_000);
