// Who waits for whom, how far commands are, and who holds the horizon back: made to happen, then read.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Major, startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import { directly, rowsOf, sessionOn } from '../testing/servers/probing.ts';
import { majorsOfKits } from '../testing/tier.ts';
import type { Session } from './session.ts';

async function client(server: TestCluster, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const one = new pg.Client({ connectionString: server.url, ...options });
  await one.connect();
  onTestFinished(() => one.end());
  return one;
}

async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe.each(majorsOfKits())('on PostgreSQL %i', (major: Major) => {
  let primary: TestCluster;
  let session: Session;
  beforeAll(async () => {
    primary = await startCluster({ major, settings: { max_prepared_transactions: 5 } });
    await primary.query('create table t (id int primary key, v text)');
    await primary.query(`insert into t select g, 'v' from generate_series(1, 1000) g`);
    await primary.query('create table other (i int)');
    session = await sessionOn(primary);
  });
  afterAll(async () => {
    await session?.client.close();
    await primary?.stop();
  });

  it('pg_wraparound has every database, and names who holds the horizon back', async () => {
    const holder = await client(primary, { application_name: 'kit holder' });
    await holder.query('begin isolation level repeatable read');
    await holder.query('select 1');
    await holder.query('insert into t values (30000)');
    for (let n = 0; n < 5; n += 1) await primary.query(`insert into other values (${n})`);
    await primary.query(
      'begin; insert into other values (9); prepare transaction $$kit$$'.replace('$$kit$$', "'kit'"),
    );
    const rows = await rowsOf(session, 'pg_wraparound');
    expect(rows.map(({ datname }) => datname).sort()).toEqual(['postgres', 'template0', 'template1']);
    const [direct] = await directly(
      primary,
      `select age(datfrozenxid) as xid_age, mxid_age(datminmxid) as mxid_age from pg_database where datname = 'template0'`,
    );
    const template = rows.find(({ datname }) => datname === 'template0');
    expect(Math.abs(Number(template?.xid_age) - Number(direct?.xid_age))).toBeLessThan(5);
    expect(template?.mxid_age).toBe(direct?.mxid_age);
    expect(template).toMatchObject({ autovacuum_freeze_max_age: 200_000_000 });
    expect(template?.xid_freeze_ratio).toBeCloseTo(Number(template?.xid_age) / 200_000_000, 9);
    await until(async () => {
      const found = (await rowsOf(session, 'pg_wraparound')).find(({ datname }) => datname === 'postgres');
      return found?.holder_kind === 'session' && String(found.holder).endsWith('kit holder')
        ? found
        : undefined;
    });
    await holder.query('rollback');
    const prepared = await until(async () => {
      const found = (await rowsOf(session, 'pg_wraparound')).find(({ datname }) => datname === 'postgres');
      return found?.holder_kind === 'prepared transaction' ? found : undefined;
    });
    expect(prepared).toMatchObject({ holder: 'kit', holder_pid: null });
    expect(Number(prepared.holder_xmin_age)).toBeGreaterThan(0);
    expect(prepared.prepared_transactions).toBe(1);
    expect(Number(prepared.prepared_seconds)).toBeGreaterThan(0);
    expect(rows.map(({ prepared_seconds }) => Number(prepared_seconds) > 0)).toContain(false);
    await primary.query(`rollback prepared 'kit'`);
  });

  it('pg_locks_tree shows chains with their root, and nothing while nobody waits', async () => {
    expect(await rowsOf(session, 'pg_locks_tree')).toEqual([]);
    const [root, middle, last] = await Promise.all(
      ['kit root', 'kit middle', 'kit last'].map((application_name) => client(primary, { application_name })),
    );
    if (!root || !middle || !last) throw new Error('no clients');
    const pidOf = async (one: pg.Client) =>
      (await one.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
    const [rootPid, middlePid, lastPid] = [await pidOf(root), await pidOf(middle), await pidOf(last)];
    await root.query('begin');
    await root.query(`update t set v = 'hunter2 password=hunter2' where id = 1`);
    await middle.query('begin');
    await middle.query('lock table other in access exclusive mode');
    const waits = middle.query(`update t set v = 'b' where id = 1`);
    const waitsToo = last.query('select * from other');
    const rows = await until(async () => {
      const found = await rowsOf(session, 'pg_locks_tree');
      return found.length === 2 ? found : undefined;
    });
    const [first] = rows.filter(({ pid }) => pid === middlePid);
    const [second] = rows.filter(({ pid }) => pid === lastPid);
    expect(first).toMatchObject({
      blocking_pid: rootPid,
      root_pid: rootPid,
      depth: 1,
      locktype: 'transactionid',
      mode: 'ShareLock',
      datname: 'postgres',
      application_name: 'kit middle',
      query: `update t set v = 'b' where id = 1`,
      blocking_application_name: 'kit root',
      blocking_state: 'idle in transaction',
      blocking_query: `update t set v = 'hunter2 password=********' where id = 1`,
    });
    expect(first?.lock_object).toMatch(/^transaction \d+$/);
    expect(first?.blocking_idle_seconds).toBeGreaterThan(0);
    expect(second).toMatchObject({
      blocking_pid: middlePid,
      root_pid: rootPid,
      depth: 2,
      locktype: 'relation',
      mode: 'AccessShareLock',
      lock_object: 'public.other',
      blocking_idle_seconds: null,
    });
    expect(second?.wait_seconds).toBeGreaterThan(0);
    await root.query('rollback');
    await waits;
    await middle.query('rollback');
    await waitsToo;
  });

  it('pg_stat_progress shows a running copy', async () => {
    const one = await client(primary);
    const [started] = await directly(primary, 'select 1 as one');
    expect(started?.one).toBe(1);
    const copies = one.query(
      `copy (select g, pg_sleep(0.05) from generate_series(1, 2000) g) to '/dev/null'`,
    );
    const row = await until(async () => (await rowsOf(session, 'pg_stat_progress'))[0]);
    expect(row).toMatchObject({
      command: 'COPY TO',
      datname: 'postgres',
      unit: 'bytes',
      total: null,
      percent: null,
    });
    expect(row.details).toMatchObject({ command: 'COPY TO', type: 'FILE', pid: row.pid });
    await primary.query(`select pg_cancel_backend(${Number(row.pid)})`);
    expect(await copies).toContain('canceling statement');
    expect(await rowsOf(session, 'pg_stat_progress')).toEqual([]);
  });
});
