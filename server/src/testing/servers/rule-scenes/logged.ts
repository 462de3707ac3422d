// Trouble that a server writes into its log, for the proof of rules that judge it.
import { appendFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import type { RuleName } from '../../../alerting/rules/catalog.gen.ts';
import { openClient } from '../client.ts';
import { deadlock } from '../deadlock.ts';
import type { TestCluster } from '../postgres.ts';
import { run, segments } from './scene.ts';

export interface LoggedScene {
  /** Those that fire. */
  rules: readonly RuleName[];
  /** Instead of the built-in one, where the trouble itself would take too long or too much. */
  threshold?: number;
  /** So long it has to last, in seconds. */
  lasts?: number;
  make(server: TestCluster): Promise<unknown>;
}

export const LOGGED_SETTINGS = {
  deadlock_timeout: '100ms',
  log_lock_waits: true,
  archive_mode: true,
  archive_command: 'true',
  max_wal_size: '32MB',
};

/** Each statement fails. */
async function fails(server: TestCluster, statement: string, times = 1): Promise<void> {
  for (let n = 0; n < times; n += 1) await server.query(statement).catch(() => undefined);
}

async function signIn({ host, port }: TestCluster, password: string): Promise<void> {
  const client = new pg.Client({ host, port, user: 'mon', password, database: 'postgres' });
  await client.connect().catch(() => undefined);
  await client.end().catch(() => undefined);
}

async function waitForLock(server: TestCluster): Promise<void> {
  await run(server, 'create table held (id int)');
  const [holder, waiter] = await Promise.all([openClient(server, 'holder'), openClient(server, 'waiter')]);
  await holder.query('begin; lock table held');
  const waiting = waiter.begin('select count(*) from held');
  await server.query('select pg_sleep(0.5)');
  await holder.query('commit');
  await waiting;
  await Promise.all([holder.end(), waiter.end()]);
}

/** The second block of a table is none that PostgreSQL wrote. */
async function corrupt(server: TestCluster): Promise<void> {
  await run(server, 'create table damaged as select 1 as n', 'checkpoint');
  const [row] = await server.query("select pg_relation_filepath('damaged') as file");
  appendFileSync(path.join(server.directory, String(row?.file)), Buffer.alloc(8192, 0x5a));
  await fails(server, 'select count(*) from damaged');
}

async function restart(server: TestCluster): Promise<void> {
  await server.kill();
  await server.start();
}

/** A checkpoint does not find the control file. */
async function panic(server: TestCluster): Promise<void> {
  const file = path.join(server.directory, 'global/pg_control');
  const client = await openClient(server, 'checkpoint');
  renameSync(file, `${file}.away`);
  await client.begin('checkpoint');
  renameSync(`${file}.away`, file);
  await client.end();
  await restart(server);
}

export const LOGGED_SCENES: readonly LoggedScene[] = [
  // At least seven of them are of one minute.
  { rules: ['log_deadlocks_per_minute'], make: (server) => deadlock(server, 14) },
  { rules: ['log_lock_wait'], threshold: 0.1, make: waitForLock },
  {
    rules: ['log_failed_sign_ins'],
    make: (server) => Promise.all(Array.from({ length: 21 }, () => signIn(server, 'wrong'))),
  },
  {
    rules: ['log_disk_full'],
    make: (server) => fails(server, "copy (select generate_series(1, 100000)) to '/dev/full'"),
  },
  { rules: ['log_errors_above_usual'], make: (server) => fails(server, 'selec 1', 51) },
  { rules: ['log_checkpoints_too_frequent'], threshold: 0, make: (server) => run(server, ...segments(12)) },
  {
    rules: ['log_archive_failed'],
    lasts: 600,
    make: (server) =>
      run(
        server,
        "alter system set archive_command = 'false'",
        'select pg_reload_conf()',
        ...segments(1),
        'select pg_sleep(1)',
      ),
  },
  { rules: ['log_data_corruption'], make: corrupt },
  { rules: ['log_crash'], make: restart },
  { rules: ['log_panic', 'log_crash'], make: panic },
];
