// What nothing reports is null and never 0: lag of a client that replays nothing, of a standby without a stream, WAL of a slot
// that reserves none; and a prepared transaction that blocks is shown with all that ends it.

import path from 'node:path';
import process from 'node:process';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ofRow } from '../probes/formula.ts';
import { metricOf } from '../probes/metrics.ts';
import { probe as activity } from '../probes/pg-stat-activity.ts';
import { type Major, startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import { probeNamed, rowsOf, runProbe, sessionOn } from '../testing/servers/probing.ts';
import { receiveWal } from '../testing/servers/wal-client.ts';
import { majorsOfKits } from '../testing/tier.ts';
import type { Session } from './session.ts';

async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function client(server: TestCluster, database = 'postgres'): Promise<pg.Client> {
  const { socketDir: host, port, superuser: user } = server;
  const one = new pg.Client({ host, port, user, database });
  await one.connect();
  onTestFinished(() => one.end());
  return one;
}

/** Follows the archive alone from now on. */
async function fromArchive(standby: TestCluster, archive: string): Promise<void> {
  await standby.query(`alter system set primary_conninfo = ''`);
  await standby.query(`alter system set restore_command = 'cp ${archive}/%f %p'`);
  await standby.shutdown();
  await standby.start();
}

describe.each(majorsOfKits())('on PostgreSQL %i', (major: Major) => {
  let primary: TestCluster;
  let standby: TestCluster;
  let session: Session;
  let archive: string;
  beforeAll(async () => {
    const settings = { archive_mode: true, max_prepared_transactions: 5, wal_sender_timeout: 0 };
    primary = await startCluster({ major, settings });
    archive = path.join(primary.socketDir, 'archive');
    const command = `mkdir -p ${archive} && cp %p ${archive}/%f`;
    await primary.query(`alter system set archive_command = '${command}'`);
    await primary.query('select pg_reload_conf()');
    await primary.query('create table t (id int primary key, v text)');
    await primary.query(`insert into t select g, 'v' from generate_series(1, 10) g`);
    standby = await startCluster({
      major,
      standbyOf: primary,
      settings: { max_prepared_transactions: 5, wal_retrieve_retry_interval: '100ms' },
    });
    session = await sessionOn(primary);
  });
  afterAll(async () => {
    await session?.client.close();
    await standby?.stop();
    await primary?.stop();
  });

  it('a client that replays nothing lags by what it has flushed', async () => {
    await primary.query(`select pg_create_physical_replication_slot('kit_receive', true)`);
    const [at] = await primary.query('select pg_current_wal_flush_lsn()::text as lsn');
    using _stopped = await receiveWal(primary, { slot: 'kit_receive', lsn: String(at?.lsn) });
    await primary.query(`select pg_logical_emit_message(false, 'kit', repeat('x', 5000000))`);
    // Writes out what is still in buffers: the position that lag is measured from counts it only then.
    await primary.query('select pg_switch_wal()');
    const [direct] = await primary.query(
      `select pg_wal_lsn_diff(pg_current_wal_lsn(), '${String(at?.lsn)}')::float8 as bytes`,
    );
    const row = await until(async () =>
      (await rowsOf(session, 'pg_stat_replication')).find(
        ({ application_name, flush_lsn }) => application_name === 'kit receives' && flush_lsn !== null,
      ),
    );
    expect(row.replay_lsn).toBeNull();
    expect(row.flush_lsn).toBe(at?.lsn);
    expect(row.lag_bytes).toBeGreaterThanOrEqual(Number(direct?.bytes));
    expect(row.lag_bytes).toBeGreaterThan(5_000_000);
  });

  it('a slot that reserves no WAL retains an unknown amount, not 0', async () => {
    await primary.query(`select pg_create_physical_replication_slot('kit_without_reserve')`);
    const [slot] = (await rowsOf(session, 'pg_replication_slots')).filter(
      ({ slot_name }) => slot_name === 'kit_without_reserve',
    );
    expect(slot).toMatchObject({ restart_lsn: null, retained_bytes: null });
    await primary.query(`select pg_drop_replication_slot('kit_without_reserve')`);
  });

  it('a standby that replays late and has replayed no commit is of unknown age', async () => {
    await standby.query('select pg_wal_replay_pause()');
    await standby.shutdown();
    await standby.start();
    await using onStandby = await sessionOf(standby);
    await until(async () => {
      const [row] = await rowsOf(onStandby.session, 'pg_stat_replication');
      return row?.receiver_status === 'streaming' && row.lag_bytes === 0 ? row : undefined;
    });
    const [streams] = await rowsOf(onStandby.session, 'pg_stat_replication');
    expect(streams?.replay_lag).toBe(0);
    await standby.query('select pg_wal_replay_pause()');
    await primary.query(`select pg_logical_emit_message(false, 'kit', repeat('x', 200000))`);
    await primary.query('select pg_switch_wal()');
    const row = await until(async () => {
      const [one] = await rowsOf(onStandby.session, 'pg_stat_replication');
      return Number(one?.lag_bytes) > 100_000 ? one : undefined;
    });
    const [none] = await standby.query('select pg_last_xact_replay_timestamp() as at');
    expect(none?.at).toBeNull();
    expect(row.replay_lag).toBeNull();
    await standby.query('select pg_wal_replay_resume()');
  });

  it('a standby without a receiver, whose primary has a clock that is ahead, is of unknown age, not of 0', async () => {
    await using onStandby = await sessionOf(standby);
    await primary.query(`insert into t values (98, 'replayed')`);
    await until(async () => (await standby.query('select id from t where id = 98'))[0]);
    await standby.query('select pg_wal_replay_pause()');
    await primary.query(`insert into t values (99, 'received alone')`);
    const late = await until(async () => {
      const [row] = await rowsOf(onStandby.session, 'pg_stat_replication');
      return Number(row?.lag_bytes) > 0 ? row : undefined;
    });
    // The process that would start another one is paused.
    process.kill(Number(late.pid));
    const real = probeNamed('pg_stat_replication');
    const ahead = (by: string) => (offered: Parameters<typeof real.sql>[0]) =>
      real
        .sql(offered)
        .replace('pg_catalog.pg_last_xact_replay_timestamp() end', `pg_catalog.now() + interval '${by}' end`);
    const ageWith = async (by: string) => {
      const outcome = await runProbe(onStandby.session, { ...real, sql: ahead(by) });
      return outcome.kind === 'ran' ? (outcome.rows[0] ?? {}) : {};
    };
    await until(async () => ((await ageWith('0 s')).pid === 0 ? true : undefined));
    expect(await ageWith('1 h')).toMatchObject({ pid: 0, replay_lag: null });
    expect(await ageWith('2 s')).toMatchObject({ pid: 0, replay_lag: 0 });
    expect(Number((await ageWith('-60 s')).replay_lag)).toBeGreaterThanOrEqual(60);
    await standby.query('select pg_wal_replay_resume()');
  });

  it('a standby that follows the archive alone is behind by an unknown amount, not by 0', async () => {
    await fromArchive(standby, archive);
    await primary.query(`insert into t values (100, 'archived')`);
    await primary.query('select pg_switch_wal()');
    await until(async () => {
      const rows = await standby.query('select id from t where id = 100');
      return rows[0];
    });
    await primary.query(`insert into t values (101, 'not archived yet')`);
    await using onStandby = await sessionOf(standby);
    const [row] = await rowsOf(onStandby.session, 'pg_stat_replication');
    expect(row).toMatchObject({ role: 'standby', pid: 0, replay_lag: null, lag_bytes: null });
  });

  it('a prepared transaction that blocks has its gid, owner, database and age', async () => {
    await primary.query('create role kit_owner superuser login');
    const owner = await client(primary);
    for (const statement of [
      'set session authorization kit_owner',
      'begin',
      'lock table t in row share mode',
      `prepare transaction 'kit weak'`,
      'begin',
      'lock table t in share row exclusive mode',
      `prepare transaction 'it''s strong'`,
    ])
      await owner.query(statement);
    const [table, row] = [await client(primary), await client(primary)];
    const waits = table.query(`update t set v = 'b' where id = 1`);
    const found = await until(async () => (await rowsOf(session, 'pg_locks_tree'))[0]);
    expect(found).toMatchObject({
      blocking_pid: 0,
      blocking_gid: `it's strong`,
      blocking_usename: 'kit_owner',
      blocking_datname: 'postgres',
    });
    expect(found.blocking_xact_seconds).toBeGreaterThan(0);
    expect(found.blocking_idle_seconds).toBeNull();
    await primary.query(`rollback prepared 'it''s strong'`);
    await waits;
    await row.query('begin');
    await row.query(`update t set v = 'c' where id = 2`);
    await row.query(`prepare transaction 'kit row'`);
    const waitsForRow = table.query(`update t set v = 'd' where id = 2`);
    const ofRow = await until(async () => (await rowsOf(session, 'pg_locks_tree'))[0]);
    expect(ofRow).toMatchObject({ locktype: 'transactionid', blocking_gid: 'kit row' });
    for (const gid of ['kit row', 'kit weak']) await primary.query(`rollback prepared '${gid}'`);
    await waitsForRow;
  });

  it('a password that was never good is not one that is good for ever', async () => {
    const untils = { kit_never: '-infinity', kit_ever: 'infinity', kit_once: '2020-02-03 00:00+00' };
    for (const [name, until] of Object.entries(untils))
      await primary.query(`create role ${name} login valid until '${until}'`);
    const found = (await rowsOf(session, 'pg_roles')).filter(({ rolname }) => String(rolname) in untils);
    expect(Object.fromEntries(found.map((row) => [row.rolname, row.rolvaliduntil]))).toEqual({
      kit_never: '0001-01-01T00:00:00Z',
      kit_ever: null,
      kit_once: '2020-02-03T00:00:00Z',
    });
  });

  it('sessions of a role that hides its activity are counted, and the mending makes it speak', async () => {
    await primary.query(`create role kit_silent login superuser`);
    await primary.query('alter role kit_silent set track_activities = off');
    const asRole = async () => {
      const one = await client(primary);
      await one.query('set session authorization kit_silent');
      return one;
    };
    const [works, idles] = [await asRole(), await asRole()];
    for (const one of [works, idles]) await one.query('set track_activities = off');
    const working = works.query('select pg_sleep(20)').catch(() => undefined);
    const active = await until(async () =>
      (await rowsOf(session, 'pg_active_sessions')).find(({ wait_event }) => wait_event === 'PgSleep'),
    );
    expect(active).toMatchObject({
      state: 'active',
      wait_event_type: 'Timeout',
      sessions: 1,
      query_id: null,
    });
    const outcome = await runProbe(session, probeNamed('pg_stat_activity'), 'postgres');
    const { rows, note, mend, cause } = outcome.kind === 'ran' ? outcome : expect.fail(outcome.kind);
    const silent = rows.filter(({ state }) => state === 'disabled');
    expect(silent).toHaveLength(2);
    expect(cause).toBe('incomplete');
    expect(note).toMatch(/^2 sessions hide their activity \(role postgres\): track_activities is off there/);
    expect(mend).toBe('alter role postgres in database postgres set track_activities = on;');
    await idles.end();
    const one = await runProbe(session, probeNamed('pg_stat_activity'), 'postgres');
    expect(one.kind === 'ran' && one.note).toMatch(/^1 session hides its activity/);
    const count = metricOf(activity, 'active_count')?.value ?? expect.fail('no metric');
    const counted = silent.map((row) => ofRow(count, (name) => row[name], Date.now()));
    expect(counted.toSorted()).toEqual([0, 1]);
    for (const statement of (mend ?? '').split('\n')) await primary.query(statement);
    await primary.query(
      `select pg_cancel_backend(${Number(silent.find((row) => row.wait_event === 'PgSleep')?.pid)})`,
    );
    await working;
  });
});

async function sessionOf(server: TestCluster) {
  const session = await sessionOn(server);
  return { session, [Symbol.asyncDispose]: () => session.client.close() };
}
