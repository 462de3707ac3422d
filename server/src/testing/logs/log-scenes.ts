// What makes a server write each kind of line: one scene an event, played on one server after the other.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Major, TestCluster } from '../servers/cluster.ts';
import { type LogScene, says, session, statements, until } from './log-scene.ts';

const waitsForLock = `exists (select from pg_locks where not granted)`;

const LOCKS: LogScene[] = [
  {
    shows: ['deadlock'],
    async play(server) {
      const [one, two] = await Promise.all([session(server), session(server)]);
      for (const [client, id] of [
        [one, 1],
        [two, 2],
      ] as const)
        await client.query(`begin; update scene.parent set n = n + 1 where id = ${id}`);
      await Promise.allSettled([
        one.query('update scene.parent set n = n + 1 where id = 2'),
        two.query('update scene.parent set n = n + 1 where id = 1'),
      ]);
      await Promise.all([one.end(), two.end()]);
    },
  },
  {
    shows: ['lock_wait', 'lock_acquired'],
    async play(server) {
      const [holder, waiter] = await Promise.all([session(server), session(server)]);
      await holder.query('begin; lock table scene.parent');
      const waiting = waiter.query('select count(*) from scene.parent');
      await until(server, waitsForLock);
      // Longer than deadlock_timeout, after which the wait is logged.
      await server.query('select pg_sleep(0.5)');
      await holder.query('commit');
      await waiting;
      await Promise.all([holder.end(), waiter.end()]);
    },
  },
  {
    shows: ['lock_timeout', 'lock_not_available'],
    async play(server) {
      const holder = await session(server);
      await holder.query('begin; lock table scene.parent');
      await statements(server, [
        `set lock_timeout = '20ms'`,
        'select count(*) from scene.parent',
        'begin',
        'lock table scene.parent nowait',
        'rollback',
      ]);
      await holder.end();
    },
  },
  {
    // From 18 on, the failure is logged with its holder as well.
    shows: ['lock_not_available'],
    async play(server) {
      const holder = await session(server);
      await holder.query('begin; update scene.parent set n = n + 1');
      await statements(server, [
        'set log_lock_failures = on',
        'select n from scene.parent for update nowait',
      ]);
      await holder.end();
    },
  },
  {
    shows: ['serialization_failure'],
    async play(server) {
      const [one, two] = await Promise.all([session(server), session(server)]);
      await one.query('begin isolation level repeatable read; select n from scene.parent');
      await two.query('update scene.parent set n = n + 1 where id = 1');
      await one.query('update scene.parent set n = n + 1 where id = 1').catch(() => undefined);
      await Promise.all([one.end(), two.end()]);
    },
  },
];

const SESSIONS: LogScene[] = [
  {
    shows: ['user_cancel'],
    async play(server) {
      const client = await session(server);
      const asleep = client.query('select pg_sleep(60)').catch(() => undefined);
      await until(
        server,
        `(select bool_or(pg_cancel_backend(pid)) from pg_stat_activity where query = 'select pg_sleep(60)')`,
      );
      await asleep;
      await client.end();
    },
  },
  {
    shows: ['session_terminated'],
    async play(server) {
      const client = await session(server);
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await server.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await until(server, `not exists (select from pg_stat_activity where pid = ${rows[0]?.pid})`);
    },
  },
  {
    shows: ['idle_in_transaction_timeout'],
    async play(server) {
      const client = await session(server);
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await client.query(`set idle_in_transaction_session_timeout = '20ms'`);
      await client.query('begin').catch(() => undefined);
      await until(server, `not exists (select from pg_stat_activity where pid = ${rows[0]?.pid})`);
    },
  },
  {
    shows: ['connection_lost_in_transaction'],
    async play(server) {
      const client = await session(server, { application_name: 'goes away' });
      await client.query('begin');
      await new Promise<void>((resolve) => {
        client.once('end', () => resolve());
        // As a program that dies: the socket is closed without a word.
        Reflect.get(client, 'connection').stream.destroy();
      });
      await until(server, `not exists (select from pg_stat_activity where application_name = 'goes away')`);
    },
  },
  {
    shows: ['authentication_failed', 'database_missing', 'too_many_connections'],
    async play(server) {
      await session(server, { password: 'wrong' }).catch(() => undefined);
      await session(server, { database: 'not_there' }).catch(() => undefined);
      await statements(server, [`create role one_only login connection limit 0 password 'p'`]);
      await session(server, { user: 'one_only', password: 'p' }).catch(() => undefined);
    },
  },
];

/** How often the server has said that it accepts connections. */
const readies = ({ directory }: TestCluster) =>
  readFileSync(path.join(directory, 'log', 'server.log'), 'latin1').split('is ready to accept connections')
    .length;

const SERVER: LogScene[] = [
  {
    shows: ['configuration_reloaded', 'parameter_changed'],
    async play(server) {
      await server.query(`alter system set work_mem = '5MB'`);
      await server.query('select pg_reload_conf()');
      await until(server, `current_setting('work_mem') = '5MB'`);
    },
  },
  {
    shows: ['checkpoint_starting', 'checkpoint_complete'],
    play: async (server) => void (await server.query('checkpoint')),
  },
  {
    shows: ['archive_failed'],
    async play(server) {
      await server.query('select pg_switch_wal()');
      await until(server, '(select failed_count > 0 from pg_stat_archiver)');
    },
  },
  {
    shows: ['autovacuum', 'autoanalyze'],
    async play(server) {
      await server.query('create table scene.thinned as select i as n from generate_series(1, 1000) i');
      await server.query('delete from scene.thinned where n % 2 = 0');
      await until(
        server,
        `(select autovacuum_count > 0 and autoanalyze_count > 0 from pg_stat_user_tables where relname = 'thinned')`,
      );
    },
  },
  {
    shows: ['process_crashed', 'crash_recovery', 'server_ready'],
    async play(server) {
      const client = await session(server);
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const ready = readies(server);
      process.kill(Number(rows[0]?.pid), 'SIGKILL');
      // By its log and without a session: one that is ended in the middle of a line has it in one format and not in the next.
      for (let looks = 0; looks < 1200 && readies(server) === ready; looks += 1)
        await new Promise((resolve) => setTimeout(resolve, 50));
      if (readies(server) > ready) return;
      throw new Error('the server did not come back');
    },
  },
];

export const LOG_SCENES: readonly LogScene[] = [
  says('syntax_error', 'selec 1'),
  says('undefined_table', 'select * from nowhere'),
  says('undefined_column', 'select nothing from scene.parent'),
  says('undefined_function', 'select no_such_function(1)'),
  says('undefined_object', 'drop role no_such_role'),
  says('duplicate_object', 'create schema scene'),
  says('ambiguous_or_invalid_statement', 'select id from scene.parent a, scene.parent b'),
  says('permission_denied', 'set role reader', 'select * from scene.parent'),
  says('unique_violation', 'insert into scene.parent values (1, 0)'),
  says('foreign_key_violation', 'insert into scene.child values (99)'),
  says('not_null_violation', 'insert into scene.parent values (3, null)'),
  says('check_violation', 'insert into scene.parent values (4, -1)'),
  says('invalid_input', `select 'x'::int`),
  says('raised_by_code', `do $$ begin raise exception 'no more stock'; end $$`),
  says('transaction_aborted', 'begin', 'selec 1', 'select 1', 'rollback'),
  says('transaction_state', 'savepoint nowhere'),
  says('read_only_transaction', 'begin read only', 'create table scene.no ()', 'rollback'),
  says('prepared_statement_error', 'execute not_prepared'),
  says('dependent_objects', 'drop table scene.parent'),
  says('object_in_use', 'drop database postgres'),
  says('statement_timeout', `set statement_timeout = '20ms'`, 'select pg_sleep(5)'),
  says('slow_statement', `select pg_sleep(0.3), 'hidden-literal'`),
  says(
    'temp_file',
    `set work_mem = '64kB'`,
    'select count(*) from (select i from generate_series(1, 50000) i order by -i) s',
  ),
  ...LOCKS,
  ...SESSIONS,
  ...SERVER,
];

/** What the scenes need. */
export const LOG_SCENES_SETUP = [
  'create schema scene',
  'create table scene.parent (id int primary key, n int not null check (n >= 0))',
  'insert into scene.parent values (1, 0), (2, 0)',
  'create table scene.child (parent int references scene.parent)',
  'create role reader',
];

/** For runs of autovacuum: their ANALYZE has a setting of its own since 19. */
export const everyRunLogged = (major: Major) => ({
  log_autovacuum_min_duration: 0,
  ...(major >= 19 && { log_autoanalyze_min_duration: 0 }),
});

export const LOG_SCENES_SETTINGS = {
  logging_collector: true,
  log_directory: 'log',
  log_filename: 'server.log',
  log_line_prefix: '%m [%p] %e %u@%d ',
  log_connections: true,
  log_disconnections: true,
  log_checkpoints: true,
  log_lock_waits: true,
  deadlock_timeout: '100ms',
  log_temp_files: 0,
  log_min_duration_statement: '250ms',
  log_autovacuum_min_duration: 0,
  autovacuum: true,
  autovacuum_naptime: '1s',
  autovacuum_vacuum_threshold: 10,
  autovacuum_analyze_threshold: 10,
  wal_level: 'replica',
  archive_mode: true,
  archive_command: 'false',
};

/** What the server writes by these settings, whatever is played. */
export const ALWAYS_WRITTEN = [
  'connection_received',
  'connection_authenticated',
  'connection_authorized',
  'disconnection',
  'deadlock_while_waiting',
  'recovery_progress',
  'server_listening',
  'server_starting',
  'server_stopping',
  'server_stopped',
];
