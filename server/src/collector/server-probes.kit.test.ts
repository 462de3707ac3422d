// The probes of a server where they matter: on a busy primary, on its standby, for roles with more and fewer rights.
import { appendFileSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hbaWithSecret, SECRETIVE } from '../testing/servers/hba-with-secret.ts';
import { type Major, startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import {
  type As,
  directly,
  probeNamed,
  rowsOf,
  runProbe,
  serverProbes,
  sessionOn,
} from '../testing/servers/probing.ts';
import { majorsOfKits } from '../testing/tier.ts';
import type { Session } from './session.ts';

const MONITOR: As = { username: 'kit_monitor', password: 'monitor' };
const BARE: As = { username: 'kit_bare', password: 'bare' };
/** Only a superuser may read these, unless somebody says so. */
const GRANTED = ['pg_hba_file_rules', 'pg_ident_file_mappings'];
/** These take pg_monitor. */
const MONITORED = ['pg_wal_directory'];

const SETUP = [
  `create role ${MONITOR.username} login password '${MONITOR.password}' in role pg_monitor`,
  `create role ${BARE.username} login password '${BARE.password}'`,
  `alter role ${BARE.username} set work_mem = '8MB'`,
  `alter role ${BARE.username} in database postgres set app.api_token = 'hunter2'`,
  `create table t (id int primary key, v text)`,
  `insert into t select g, 'v' from generate_series(1, 1000) g`,
  `create publication kit_publication for table t`,
  `select pg_create_logical_replication_slot('kit_logical', 'pgoutput')`,
  `create subscription kit_subscription
     connection 'host=publisher.example port=6543 user=u password=hunter2 dbname=postgres'
     publication p with (connect = false, slot_name = none, enabled = false)`,
  `select pg_create_physical_replication_slot('kit_lost', true)`,
];
const SPOCK = [
  'create schema kit_spock',
  'create table kit_spock.node (node_id oid, node_name name)',
  'create table kit_spock.local_node (node_id oid)',
  'create table kit_spock.node_interface (if_id oid, if_nodeid oid, if_name name, if_dsn text)',
  `create table kit_spock.subscription (
     sub_name name, sub_origin oid, sub_target oid, sub_enabled boolean, sub_origin_if oid, sub_slot_name name)`,
  `insert into kit_spock.node_interface values (7, 1, 'n1', 'host=n1.example port=6432 dbname=app password=hunter2')`,
  `insert into kit_spock.node values (1, 'n1'), (4000000000, 'n2')`,
  'insert into kit_spock.local_node values (4000000000)',
  `insert into kit_spock.subscription values ('sub_n2_n1', 1, 4000000000, true, 7, 'spk_app_n1_sub')`,
];
const LOSE_WAL = Array.from({ length: 5 }, (_, n) => [
  `insert into t values (${2000 + n})`,
  'select pg_switch_wal()',
]).flat();

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

const LONG_AGO = new Date('2020-01-02T03:04:05Z');

const expectNoSecrets = (rows: unknown) => expect(JSON.stringify(rows)).not.toContain('hunter2');

describe.each(majorsOfKits())('on PostgreSQL %i', (major: Major) => {
  let primary: TestCluster;
  let standby: TestCluster;
  let session: Session;
  let onStandby: Session;
  beforeAll(async () => {
    primary = await startCluster({
      major,
      hba: hbaWithSecret(major),
      settings: {
        wal_level: 'logical',
        max_slot_wal_keep_size: '1MB',
        max_prepared_transactions: 5,
        // Without a command its files wait.
        archive_mode: true,
      },
    });
    for (const statement of SETUP) await primary.query(statement);
    for (const statement of [...LOSE_WAL, 'checkpoint']) await primary.query(statement);
    standby = await startCluster({
      major,
      standbyOf: primary,
      settings: {
        hot_standby_feedback: true,
        max_prepared_transactions: 5,
        wal_receiver_status_interval: '1s',
        wal_retrieve_retry_interval: '100ms',
      },
    });
    session = await sessionOn(primary);
    onStandby = await sessionOn(standby);
  });
  afterAll(async () => {
    await session?.client.close();
    await onStandby?.client.close();
    await standby?.stop();
    await primary?.stop();
  });

  describe('primary and standby, with and without rights', () => {
    const everybody: { session: Session; as: As | undefined }[] = [];
    beforeAll(async () => {
      for (const server of [primary, standby])
        for (const as of [undefined, MONITOR, BARE])
          everybody.push({ session: await sessionOn(server, as), as });
    });
    afterAll(async () => {
      for (const one of everybody) await one.session.client.close();
    });

    it.each(serverProbes)('$name fails nowhere', async (probe) => {
      for (const { session: one, as } of everybody) {
        const outcome = await runProbe(one, probe, as?.username);
        const mayRun =
          !(as && GRANTED.includes(probe.name)) && !(as === BARE && MONITORED.includes(probe.name));
        const isTooOld = major * 10_000 < (probe.requires?.version_num ?? 0);
        if (isTooOld) expect(outcome).toMatchObject({ kind: 'skipped', mend: null });
        else if (mayRun) expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: 'ran' });
        else
          expect(outcome).toMatchObject({
            kind: 'skipped',
            mend: expect.stringMatching(`${probe.name}|(?:^|:\n)grant pg_monitor`),
          });
        expectNoSecrets(outcome);
      }
    });
  });

  it.each(GRANTED)('%s runs after what its coverage says', async (name) => {
    const probe = probeNamed(name);
    if (major * 10_000 < (probe.requires?.version_num ?? 0)) return;
    const before = await sessionOn(primary, MONITOR);
    const skipped = await runProbe(before, probe, MONITOR.username);
    await before.client.close();
    if (skipped.kind !== 'skipped' || skipped.mend === null) throw new Error('not skipped');
    await primary.query(skipped.mend);
    const after = await sessionOn(primary, MONITOR);
    expect(await runProbe(after, probe, MONITOR.username)).toMatchObject({ kind: 'ran' });
    await after.client.close();
  });

  it('pg_hba_file_rules are the rules of the view, lines with errors too, and secrets masked', async () => {
    appendFileSync(path.join(primary.directory, 'pg_hba.conf'), 'host all all nonsense\n');
    const rows = await rowsOf(session, 'pg_hba_file_rules');
    const direct = await directly(
      primary,
      `select line_number, type, database, user_name, address, netmask, auth_method, error
       from pg_hba_file_rules order by line_number`,
    );
    expect(direct.filter(({ error }) => error !== null)).toHaveLength(1);
    const sorted = [...rows].sort((a, b) => Number(a.line_number) - Number(b.line_number));
    expect(sorted).toMatchObject(direct);
    expect(sorted.map(({ rule_number }) => rule_number)).toEqual(
      direct.map(({ error }, index) => (error === null ? index + 1 : null)),
    );
    const { method, secret } = SECRETIVE(major);
    const [secretive] = rows.filter(({ auth_method }) => auth_method === method);
    expect(secretive?.options).toContain(`${secret}=********`);
    expectNoSecrets(rows);
  });

  it('pg_stat_activity shows others, blanks secrets and leaves our own sessions out', async () => {
    const other = await client(primary, { application_name: 'kit other' });
    await other.query('begin');
    await other.query(`create role kit_new password 'hunter2'`);
    const rows = await rowsOf(session, 'pg_stat_activity');
    const [row] = rows.filter(({ application_name }) => application_name === 'kit other');
    expect(row).toMatchObject({
      datname: 'postgres',
      usename: 'postgres',
      state: 'idle in transaction',
      query: `create role kit_new password '********'`,
      backend_type: 'client backend',
    });
    const [direct] = await directly(
      primary,
      `select pid, client_port, host(client_addr) as client_addr, backend_xid::text::int as backend_xid
       from pg_stat_activity where application_name = 'kit other'`,
    );
    expect(row).toMatchObject(direct ?? {});
    expect(rows.some(({ application_name }) => application_name === 'matriarch')).toBe(false);
    const mine = await primary.query(`select pid from pg_stat_activity where application_name = 'matriarch'`);
    expect(mine.length).toBeGreaterThan(0);
    expectNoSecrets(rows);
    await other.query('rollback');
  });

  it('pg_stat_replication shows the standby, its lag, and the receiver on the other side', async () => {
    const sender = await until(async () =>
      (await rowsOf(session, 'pg_stat_replication')).find(({ state }) => state === 'streaming'),
    );
    expect(sender).toMatchObject({ role: 'primary', receiver_pid: null, sender_host: null });
    await until(async () => {
      const [row] = await rowsOf(session, 'pg_stat_replication');
      return row?.lag_bytes === 0 ? row : undefined;
    });
    await standby.query('select pg_wal_replay_pause()');
    await primary.query('insert into t select g from generate_series(10000, 12000) g');
    const lagging = await until(async () => {
      const [row] = await rowsOf(onStandby, 'pg_stat_replication');
      return Number(row?.lag_bytes) > 50_000 ? row : undefined;
    });
    expect(lagging).toMatchObject({
      role: 'standby',
      receiver_status: 'streaming',
      sender_port: primary.port,
      received_tli: 1,
    });
    expect(lagging.pid).toBe(lagging.receiver_pid);
    const [direct] = await directly(
      standby,
      `select pid, slot_name as receiver_slot_name, sender_host, receive_start_lsn::text as receive_start_lsn
       from pg_stat_wal_receiver`,
    );
    expect(lagging).toMatchObject(direct ?? {});
    const [seen] = await rowsOf(session, 'pg_stat_replication');
    expect(seen?.lag_bytes).toBeGreaterThan(50_000);
    await standby.query('select pg_wal_replay_resume()');
  });

  it('a standby without receiver has one row with pid 0', async () => {
    const [was] = await standby.query(
      `select quote_literal(current_setting('primary_conninfo')) as conninfo`,
    );
    await standby.query(
      `alter system set primary_conninfo = 'host=nowhere.invalid port=5999 password=hunter2'`,
    );
    await standby.query('select pg_reload_conf()');
    const row = await until(async () => {
      const rows = await rowsOf(onStandby, 'pg_stat_replication');
      return rows[0]?.pid === 0 ? rows[0] : undefined;
    });
    expect(row).toMatchObject({ role: 'standby', receiver_pid: null, sender_host: null });
    expect(row.replay_lsn).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/);
    const [role] = await rowsOf(onStandby, 'pg_node_role');
    expect(role).toMatchObject({
      is_streaming_standby: false,
      upstream_host: 'nowhere.invalid',
      upstream_port: 5999,
    });
    expectNoSecrets([row, role]);
    await standby.query(`alter system set primary_conninfo = ${String(was?.conninfo)}`);
    await standby.query('select pg_reload_conf()');
    await until(async () => {
      const rows = await rowsOf(onStandby, 'pg_stat_replication');
      return rows[0]?.pid === 0 ? undefined : rows[0];
    });
  });

  it('pg_replication_slots has lost slots too, and what the others retain', async () => {
    const rows = await rowsOf(session, 'pg_replication_slots');
    const [lost] = rows.filter(({ slot_name }) => slot_name === 'kit_lost');
    expect(lost).toMatchObject({
      slot_type: 'physical',
      active: false,
      wal_status: 'lost',
      retained_bytes: null,
    });
    const [direct] = await directly(
      primary,
      `select slot_name, active, wal_status, restart_lsn::text as restart_lsn, two_phase from pg_replication_slots
       where slot_name = 'kit_lost'`,
    );
    expect(lost).toMatchObject(direct ?? {});
    if (major >= 17) expect(lost).toMatchObject({ invalidation_reason: 'wal_removed' });
    await primary.query(`select pg_create_physical_replication_slot('kit_kept', true)`);
    await primary.query('insert into t select g from generate_series(20000, 21000) g');
    const [kept] = (await rowsOf(session, 'pg_replication_slots')).filter(
      (row) => row.slot_name === 'kit_kept',
    );
    expect(kept?.retained_bytes).toBeGreaterThan(50_000);
    await primary.query(`select pg_drop_replication_slot('kit_kept')`);
  });

  it('pg_stat_subscription has a subscription without worker, and never its password', async () => {
    const rows = await rowsOf(session, 'pg_stat_subscription');
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      subname: 'kit_subscription',
      pid: 0,
      worker_type: null,
      datname: 'postgres',
      subenabled: false,
      apply_error_count: major >= 15 ? 0 : null,
      confl_insert_exists: major >= 18 ? 0 : null,
    });
  });

  it('pg_node_role tells a primary that publishes and subscribes from its standby', async () => {
    const role = await until(async () => {
      const [row] = await rowsOf(session, 'pg_node_role');
      return row?.has_binary_standbys ? row : undefined;
    });
    expect(role).toMatchObject({
      is_in_recovery: false,
      timeline_id: 1,
      binary_standby_count: 1,
      is_streaming_standby: false,
      upstream_host: null,
      received_lsn: null,
      publication_count: 1,
      subscription_count: 1,
      active_subscription_count: 0,
      has_spock: false,
      spock_node_name: null,
      primary_role: 'binary_primary',
      role_flags: ['binary_primary', 'logical_bidirectional', 'logical_publisher', 'logical_subscriber'],
      publisher_host: 'publisher.example',
      publisher_port: 6543,
      has_active_logical_slots: false,
      active_logical_slot_count: 0,
    });
    expect(role.role_details).toMatchObject({
      standbys: [{ state: 'streaming' }],
      publications: ['kit_publication'],
      subscriptions: [
        {
          name: 'kit_subscription',
          enabled: false,
          active: false,
          publications: ['p'],
          publisher_host: 'publisher.example',
          publisher_port: '6543',
          publisher_database: 'postgres',
        },
      ],
      logical_slots: [{ name: 'kit_logical', database: 'postgres', active: false }],
      server_address: '127.0.0.1',
      server_port: primary.port,
    });
    const [follower] = await rowsOf(onStandby, 'pg_node_role');
    expect(follower).toMatchObject({
      is_in_recovery: true,
      timeline_id: 1,
      is_streaming_standby: true,
      upstream_port: primary.port,
      primary_role: 'binary_standby',
    });
    expect(follower?.replayed_lsn).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/);
    expectNoSecrets([role, follower]);
  });

  it('pg_node_role knows a node of spock, with its subscriptions', async () => {
    for (const statement of SPOCK) await primary.query(statement);
    const { capabilities } = session;
    const columns = new Map(capabilities.columns);
    for (const name of ['node', 'local_node', 'subscription'])
      columns.set(`@spock.${name}`, new Set(['node_id']));
    const schemas = new Map([...capabilities.extensionSchemas, ['spock', '"kit_spock"'] as const]);
    const faked = { ...session, capabilities: { ...capabilities, columns, extensionSchemas: schemas } };
    const [role] = await rowsOf(faked, 'pg_node_role');
    expect(role).toMatchObject({
      has_spock: true,
      spock_node_id: 4_000_000_000,
      spock_node_name: 'n2',
      spock_subscription_count: 1,
      primary_role: 'spock_node',
      role_details: {
        spock_subscriptions: [
          {
            name: 'sub_n2_n1',
            enabled: true,
            origin: 'n1',
            origin_id: 1,
            target: 'n2',
            target_id: 4_000_000_000,
          },
        ],
      },
    });
    expectNoSecrets(role);
    columns.set('@spock.node_interface', new Set(['if_id', 'if_dsn']));
    columns.set('@spock.subscription', new Set(['sub_origin_if', 'sub_slot_name']));
    const [more] = await rowsOf(faked, 'pg_node_role');
    expect(more?.role_details).toMatchObject({
      spock_subscriptions: [
        {
          name: 'sub_n2_n1',
          slot_name: 'spk_app_n1_sub',
          publisher_host: 'n1.example',
          publisher_port: '6432',
          publisher_database: 'app',
        },
      ],
    });
    expectNoSecrets(more);
    await primary.query('delete from kit_spock.local_node');
    const [none] = await rowsOf(faked, 'pg_node_role');
    expect(none).toMatchObject({ has_spock: true, spock_node_id: null, primary_role: 'binary_primary' });
  });

  it('pg_stat_io, pg_stat_wal and pg_stat_checkpointer count as the views do', async () => {
    const read = async () => {
      const io = major < 16 ? [] : await rowsOf(session, 'pg_stat_io');
      const [wal] = await rowsOf(session, 'pg_stat_wal');
      const [checkpointer] = await rowsOf(session, 'pg_stat_checkpointer');
      return { io, wal, checkpointer };
    };
    const { io, wal, checkpointer } = await read();
    const slru = io.filter(({ backend_type }) => backend_type === 'slru');
    if (major >= 16)
      expect(slru.map(({ object }) => object)).toEqual(
        expect.arrayContaining(['transaction', 'subtransaction', 'multixact_offset', 'notify', 'other']),
      );
    else
      expect(await runProbe(session, probeNamed('pg_stat_io'))).toMatchObject({
        kind: 'skipped',
        cause: 'not_applicable',
        reason: `This needs PostgreSQL 16; the server runs ${major}.`,
      });
    const others = io.filter(({ backend_type }) => backend_type !== 'slru');
    for (const { reads, read_bytes, object } of others)
      if (object !== 'wal' && read_bytes !== null)
        expect(Number(read_bytes)).toBeGreaterThanOrEqual(8192 * Number(reads));
    if (major >= 16) expect(others.some(({ read_bytes }) => Number(read_bytes) > 0)).toBe(true);
    const [made] = await directly(
      primary,
      `select wal_records::float8 as records, stats_reset from pg_stat_wal`,
    );
    expect(Number(wal?.wal_records)).toBeGreaterThan(1000);
    expect(Number(wal?.wal_records)).toBeLessThanOrEqual(Number(made?.records));
    expect(wal).toMatchObject({ archived_count: 0, failed_count: 0, last_archived_wal: null });
    expect(Number(wal?.wal_write)).toBeGreaterThan(0);
    expect(Number(checkpointer?.num_requested)).toBeGreaterThan(0);
    expect(Number(checkpointer?.buffers_written)).toBeGreaterThan(0);
    expect(checkpointer?.slru_written === null).toBe(major < 18);
  });

  it('pg_wal_directory counts the files, and those that wait for the archiver', async () => {
    const [row] = await rowsOf(session, 'pg_wal_directory');
    const [direct] = await directly(
      primary,
      `select count(*)::int as files, sum(size)::float8 as bytes from pg_ls_waldir()`,
    );
    const [waits] = await directly(
      primary,
      `select count(*)::int as files from pg_ls_archive_statusdir() where name like '%.ready'`,
    );
    expect(row).toEqual({
      wal_files: direct?.files,
      wal_size_bytes: direct?.bytes,
      is_archiving: true,
      archive_ready_files: waits?.files,
      archive_oldest_ready_time: expect.any(String),
    });
    const ready = path.join(primary.directory, 'pg_wal/archive_status/0000000100000000000000FF.ready');
    appendFileSync(ready, '');
    utimesSync(ready, LONG_AGO, LONG_AGO);
    const [waiting] = await rowsOf(session, 'pg_wal_directory');
    rmSync(ready);
    expect(waiting).toMatchObject({ archive_ready_files: Number(waits?.files) + 1 });
    expect(Date.parse(String(waiting?.archive_oldest_ready_time))).toBe(LONG_AGO.getTime());
  });

  it('pg_wal_directory knows that a server which does not archive has nothing waiting', async () => {
    const ready = path.join(standby.directory, 'pg_wal/archive_status/0000000100000000000000FF.ready');
    appendFileSync(ready, '');
    const [row] = await rowsOf(onStandby, 'pg_wal_directory');
    rmSync(ready);
    expect(Number(row?.wal_files)).toBeGreaterThan(0);
    expect(row).toMatchObject({
      is_archiving: false,
      archive_ready_files: null,
      archive_oldest_ready_time: null,
    });
  });

  it('pg_db_role_setting has settings of roles and databases, with secrets masked', async () => {
    const rows = await rowsOf(session, 'pg_db_role_setting');
    expect(rows).toEqual([
      { datname: null, rolname: BARE.username, name: 'work_mem', setting: '8MB' },
      { datname: 'postgres', rolname: BARE.username, name: 'app.api_token', setting: '********' },
    ]);
  });

  it('pg_tablespace has the sizes the server tells', async () => {
    const rows = await rowsOf(session, 'pg_tablespace');
    expect(rows.map(({ spcname }) => spcname)).toEqual(['pg_default', 'pg_global']);
    const [direct] = await directly(primary, `select pg_tablespace_size('pg_global')::float8 as bytes`);
    expect(rows[1]?.tablespace_size_bytes).toBe(direct?.bytes);
  });
});
