// Trouble of a server that has no standby.
import type { TestCluster } from '../postgres.ts';
import { endAll, named, numberIn, type Room, run, type Scene, segments, set, several } from './scene.ts';

const sessions: Scene[] = [
  {
    rules: [
      'blocked_queries',
      'lock_wait_time',
      'long_running_queries',
      'long_running_transaction',
      'idle_in_transaction',
    ],
    probes: ['pg_stat_activity'],
    later: 3700,
    async make({ primary }) {
      await run(primary, 'create table held (id int)');
      const [holder, ...waiters] = await several(7, primary);
      await holder?.query('begin');
      await holder?.query('lock table held');
      const waiting = waiters.map((one) => one.begin('select count(*) from held'));
      return async () => {
        await holder?.query('rollback');
        await Promise.all(waiting);
        await endAll([...(holder ? [holder] : []), ...waiters]);
        await run(primary, 'drop table held');
      };
    },
    isThere: (rows) => rows.filter((row) => row.wait_event_type === 'Lock').length === 6,
  },
  {
    rules: ['connection_utilization', 'connections_exhausted'],
    probes: ['pg_stat_activity', 'pg_server_info'],
    async make({ primary }) {
      const clients = await several(22, primary);
      return () => endAll(clients);
    },
    isThere: (rows) => rows.filter((row) => row.backend_type === 'client backend').length >= 22,
  },
  {
    rules: ['prepared_transaction_age'],
    probes: ['pg_wraparound'],
    thresholds: { prepared_transaction_age: 0 },
    async make({ primary }) {
      await run(primary, 'create table promised (id int)');
      await run(primary, "begin; insert into promised values (1); prepare transaction 'kit'");
      return () => run(primary, "rollback prepared 'kit'", 'drop table promised');
    },
    isThere: (rows) => Number(named(rows, 'datname', 'postgres')?.prepared_transactions) > 0,
  },
];

async function cannotArchive({ primary }: Room): Promise<() => Promise<unknown>> {
  const mend = await set(primary, { archive_command: 'false' });
  await run(primary, ...segments(1));
  return mend;
}

const activity: Scene[] = [
  {
    rules: ['deadlocks_detected'],
    probes: ['pg_stat_database'],
    grows: true,
    async make({ primary }) {
      await run(primary, 'create table one (id int)', 'create table two (id int)');
      const [a, b] = await several(2, primary);
      if (!a || !b) throw new Error('no clients');
      for (const each of [a, b]) await each.query('begin');
      await a.query('lock table one');
      await b.query('lock table two');
      await Promise.all([a.begin('lock table two'), b.begin('lock table one')]);
      await endAll([a, b]);
      return () => run(primary, 'drop table one, two');
    },
    isThere: (rows, before) => numberIn(rows, 'deadlocks') > numberIn(before, 'deadlocks'),
  },
  {
    rules: ['temp_files_created'],
    isDear: true,
    probes: ['pg_stat_database'],
    grows: true,
    async make({ primary }) {
      const [client] = await several(1, primary);
      await client?.query("set work_mem = '64kB'");
      await client?.query(`do $$ begin
        for n in 1..101 loop
          perform count(*) from (select g from generate_series(1, 5000) g order by md5(g::text)) s;
        end loop;
      end $$`);
      await client?.end();
      return async () => undefined;
    },
    isThere: (rows, before) => numberIn(rows, 'temp_files') > numberIn(before, 'temp_files') + 100,
  },
  {
    rules: ['slow_query_count'],
    isDear: true,
    probes: ['pg_stat_statements'],
    grows: true,
    first: ({ primary }) => sleep(primary),
    async make({ primary }) {
      await sleep(primary);
      return async () => undefined;
    },
    isThere: (rows) =>
      rows.filter(({ calls, total_exec_time }) => Number(calls) === 2 && Number(total_exec_time) > 2000)
        .length > 10,
  },
  {
    rules: ['checkpoint_warning'],
    isDear: true,
    probes: ['pg_stat_checkpointer'],
    grows: true,
    async make({ primary }) {
      await run(primary, ...Array.from({ length: 51 }, () => 'checkpoint'));
      return async () => undefined;
    },
    isThere: (rows, before) => numberIn(rows, 'num_requested') > numberIn(before, 'num_requested') + 50,
  },
  {
    rules: ['wal_archive_failed'],
    probes: ['pg_stat_wal'],
    grows: true,
    make: cannotArchive,
    isThere: (rows, before) => numberIn(rows, 'failed_count') > numberIn(before, 'failed_count'),
  },
  {
    rules: ['archive_delayed'],
    probes: ['pg_wal_directory'],
    later: 2000,
    make: cannotArchive,
    isThere: ([row]) => Number(row?.archive_ready_files) > 0,
  },
];

/** Eleven statements that are told apart by how many columns they have. */
async function sleep(server: TestCluster): Promise<void> {
  const clients = await several(11, server);
  const statement = (n: number) => `select pg_sleep(1.05)${', 1'.repeat(n)}`;
  await Promise.all(clients.map((one, n) => one.query(statement(n))));
  await endAll(clients);
}

const objects: Scene[] = [
  {
    rules: ['dead_tuple_ratio', 'table_bloat_ratio', 'autovacuum_not_running'],
    probes: ['pg_stat_all_tables'],
    lasts: 3700,
    async make({ primary }) {
      await run(
        primary,
        'create table worn (id int) with (autovacuum_enabled = off)',
        'insert into worn select generate_series(1, 10000)',
        'delete from worn where id % 10 < 6',
      );
      return () => run(primary, 'vacuum worn');
    },
    isThere: (rows) => Number(named(rows, 'relname', 'worn')?.n_dead_tup) >= 6000,
  },
  {
    rules: ['invalid_index'],
    probes: ['pg_index_health'],
    lasts: 1801,
    async make({ primary }) {
      await run(primary, 'create table twice (id int)', 'insert into twice values (1), (1)');
      await primary.query('create unique index concurrently broken on twice (id)').catch(() => undefined);
      return () => run(primary, 'drop table twice');
    },
    isThere: (rows) => named(rows, 'finding', 'invalid') !== undefined,
  },
  {
    rules: ['sequence_usage_high', 'sequence_usage_critical'],
    probes: ['pg_sequence_usage'],
    async make({ primary }) {
      await run(
        primary,
        'create table numbered (id int generated always as identity (start 2147483000), v int)',
        'insert into numbered (v) values (1)',
      );
      return () => run(primary, 'alter table numbered alter id type bigint');
    },
    isThere: (rows) => Number(named(rows, 'sequencename', 'numbered_id_seq')?.exhausted_percent) > 99,
  },
  {
    rules: ['settings_pending_restart'],
    isDear: true,
    probes: ['pg_settings'],
    lasts: 86_400,
    async make({ primary }) {
      await set(primary, { max_worker_processes: '9' });
      // Sessions that are open take no notice of a reset: the value in force has to be said.
      return () => set(primary, { max_worker_processes: '8' });
    },
    isThere: (rows) => named(rows, 'name', 'max_worker_processes')?.pending_restart === true,
  },
  {
    rules: ['collation_version_mismatch'],
    probes: ['pg_database'],
    from: 15,
    async make({ primary }) {
      await run(
        primary,
        "create database sorted template template0 locale_provider icu icu_locale 'en-US' locale 'C'",
        "update pg_database set datcollversion = '0' where datname = 'sorted'",
      );
      return () => run(primary, 'alter database sorted refresh collation version');
    },
    isThere: (rows) => named(rows, 'datname', 'sorted')?.collation_differs === true,
  },
  {
    rules: ['subscription_worker_down'],
    probes: ['pg_stat_subscription'],
    async make({ primary }) {
      await run(
        primary,
        "create subscription kit connection 'host=127.0.0.1 port=1' publication p with (connect = false)",
        'alter subscription kit enable',
      );
      return () =>
        run(
          primary,
          'alter subscription kit disable',
          'alter subscription kit set (slot_name = none)',
          'drop subscription kit',
        );
    },
    isThere: (rows) => named(rows, 'subname', 'kit')?.is_stopped === true,
  },
];

export const SCENES: readonly Scene[] = [...sessions, ...activity, ...objects];
