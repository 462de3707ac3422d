// Scenes of events that are rarer than those of log-scenes.ts: what a session, its socket or a file of settings must be brought to.

import { once } from 'node:events';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import type pg from 'pg';
import type { Major, TestCluster } from '../servers/cluster.ts';
import { type LogScene, says, session, until } from './log-scene.ts';

/** The first bytes of a client that speaks something else. */
async function said(server: TestCluster, bytes: Buffer): Promise<void> {
  const socket = connect(server.port, server.host);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.end(bytes);
  socket.resume();
  await once(socket, 'close');
}

const startup = (length: number, protocol: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(length, 0);
  bytes.writeInt32BE(protocol, 4);
  return bytes;
};

/** In one step: each process of the server reads the file when it comes to it. */
function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** What these settings say at a reload, and not after it. */
async function reloaded(server: TestCluster, lines: string, shown: string): Promise<void> {
  const file = path.join(server.directory, 'postgresql.conf');
  const before = readFileSync(file, 'utf8');
  replaceFile(file, `${before}${lines}`);
  await server.query('select pg_reload_conf()');
  await expectInLog(path.join(server.directory, 'log', 'server.log'), shown);
  replaceFile(file, before);
  await server.query('select pg_reload_conf()');
}

async function expectInLog(file: string, text: string): Promise<void> {
  for (let looks = 0; looks < 600; looks += 1) {
    if (readFileSync(file, 'latin1').includes(text)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`this was never logged: ${text}`);
}

const STATEMENTS: LogScene[] = [
  says(
    'constraint_violation',
    'create table scene.apart (n int, exclude using btree (n with =))',
    'insert into scene.apart values (1), (1)',
  ),
  says('feature_not_supported', 'select * from elsewhere.public.orders'),
  says('limit_exceeded', `select ${'1, '.repeat(1700)}1`),
  says('internal_error', `select array_in('{1}'::cstring, 999999::oid, -1)`),
  says(
    'routine_error',
    `create function scene.silent() returns int language plpgsql as 'begin end'`,
    'select scene.silent()',
  ),
  says(
    'resources_exhausted',
    `set work_mem = '64kB'`,
    `set temp_file_limit = '100kB'`,
    'select count(*) from (select i from generate_series(1, 50000) i order by -i) s',
  ),
  says('out_of_memory', 'select pg_advisory_lock(i) from generate_series(1, 100000) i'),
  says(
    'foreign_data_error',
    'create extension postgres_fdw',
    `create server far foreign data wrapper postgres_fdw options (host '127.0.0.1', port '1')`,
    'create user mapping for current_user server far',
    'create foreign table scene.far (n int) server far',
    'select * from scene.far',
  ),
  says('statement_logged', `set log_statement = 'all'`, 'select 1'),
  says('statement_duration', 'set log_duration = on', 'select 1'),
  says(
    'plan',
    `load 'auto_explain'`,
    'set auto_explain.log_min_duration = 0',
    'select count(*) from scene.parent',
  ),
];

const SESSIONS: LogScene[] = [
  {
    shows: ['idle_session_timeout'],
    async play(server) {
      const client = await session(server, { application_name: 'idles' });
      await client.query(`set idle_session_timeout = '20ms'`).catch(() => undefined);
      await until(server, `not exists (select from pg_stat_activity where application_name = 'idles')`);
    },
  },
  {
    shows: ['transaction_timeout'],
    since: 17,
    async play(server) {
      const client = await session(server, { application_name: 'takes long' });
      await client.query(`set transaction_timeout = '20ms'`);
      await client.query('begin; select pg_sleep(5)').catch(() => undefined);
      await until(server, `not exists (select from pg_stat_activity where application_name = 'takes long')`);
    },
  },
  {
    shows: ['database_refuses'],
    play: async (server) => void (await session(server, { database: 'template0' }).catch(() => undefined)),
  },
  {
    shows: ['protocol_violation'],
    play: (server) => said(server, startup(5, 196_608)),
  },
  {
    shows: ['replication_command'],
    async play(server) {
      const config = { application_name: 'replicates', options: '-c log_replication_commands=on' };
      const client = await session(server, { ...config, replication: 'database' } as pg.ClientConfig);
      await client.query('IDENTIFY_SYSTEM');
      await client.end();
    },
  },
  {
    shows: ['background_worker_ended'],
    async play(server) {
      const launcher = `from pg_stat_activity where backend_type = 'logical replication launcher'`;
      const [row] = await server.query(`select pid ${launcher}`);
      await server.query(`select pg_terminate_backend(pid) ${launcher}`);
      await until(server, `not exists (select ${launcher} and pid = ${Number(row?.pid)})`);
    },
  },
];

const LOCKS: LogScene[] = [
  {
    shows: ['autovacuum_skipped'],
    async play(server) {
      const holder = await session(server);
      await holder.query('begin; lock table scene.parent');
      await server.query('vacuum (skip_locked) scene.parent');
      await holder.end();
    },
  },
];

const SETTINGS: LogScene[] = [
  {
    shows: ['configuration_error'],
    play: (server) => reloaded(server, '\nwork_mem = much\n', 'contains errors'),
  },
  {
    shows: ['restart_required'],
    play: (server) => reloaded(server, '\nmax_connections = 77\n', 'cannot be changed without restarting'),
  },
];

export const moreLogScenes = (major: Major): LogScene[] =>
  [...STATEMENTS, ...SESSIONS, ...LOCKS, ...SETTINGS].filter(({ since = 14 }) => since <= major);

export const REPLICATION_LOG_SETTINGS = {
  logging_collector: true,
  log_directory: 'log',
  log_filename: 'server.log',
  log_line_prefix: '%m [%p] %e %u@%d ',
  log_checkpoints: true,
  log_recovery_conflict_waits: true,
  deadlock_timeout: '50ms',
  max_standby_streaming_delay: '500ms',
};

export const STANDBY_SHOWS = [
  ...['standby_streaming', 'recovery_conflict', 'recovery_conflict_wait'],
  ...['restartpoint_starting', 'restartpoint_complete', 'streaming_ended', 'promoted'],
];

/** A transaction of the standby needs rows that the primary clears away. */
export async function playConflict(primary: TestCluster, standby: TestCluster): Promise<void> {
  const reader = await session(standby);
  await reader.query('begin isolation level repeatable read; select count(*) from held');
  await primary.query('delete from held');
  await primary.query('vacuum held');
  await until(standby, '(select sum(confl_snapshot) > 0 from pg_stat_database_conflicts)');
  await reader.end().catch(() => undefined);
}

export const PRIMARY_SHOWS = ['subscription_worker', 'subscription_failed'];

/** A subscriber, another database of the publisher, loses the table that it is sent. */
export async function playSubscription(server: TestCluster): Promise<void> {
  await server.query('create table fed (n int)');
  await server.query('create publication feeds for table fed');
  await server.query(`select pg_create_logical_replication_slot('fed', 'pgoutput')`);
  await server.query('create database fed');
  const subscriber = await session(server, { database: 'fed' });
  await subscriber.query('create table fed (n int)');
  const { port, superuser, password } = server;
  await subscriber.query(
    `create subscription fed connection 'host=127.0.0.1 port=${port} user=${superuser} password=${password} dbname=postgres'
    publication feeds with (create_slot = false, slot_name = 'fed', copy_data = false)`,
  );
  await until(server, `exists (select from pg_replication_slots where slot_name = 'fed' and active)`);
  await subscriber.query('drop table fed');
  await server.query('insert into fed values (1)');
  await expectInLog(path.join(server.directory, 'log', 'server.log'), 'logical replication target relation');
  await subscriber.query('alter subscription fed disable');
  await subscriber.end();
}
