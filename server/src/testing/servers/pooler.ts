// PgBouncer in front of a server of a test, as an application has it: one database, one role for everybody, one session of the server.
// It is no package of npm: where it is not installed, tests that need it are skipped, and say so by their name.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { serverUser } from '../../datastore/os-user.ts';
import { asUser, CLEAN_ENV, makeDirectory, writePrivate } from '../../datastore/pg-files.ts';
import { LOOPBACK, onFreePort } from '../../datastore/ports.ts';
import { testDirectory } from './postgres.ts';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find((file) =>
  existsSync(file),
);

export const hasPooler = PROGRAM !== undefined;
/** For the names of tests. */
export const POOLER = hasPooler ? 'PgBouncer' : 'PgBouncer (skipped: run "apt-get install pgbouncer" first)';

export interface PoolerOptions {
  port: number;
  database: string;
  username: string;
  password: string;
  pool_mode: 'transaction' | 'statement' | 'session';
  pool_size?: number;
  /** Further lines of its section `pgbouncer`. */
  settings?: readonly string[];
}

export interface Pooler extends AsyncDisposable {
  readonly host: typeof LOOPBACK;
  readonly port: number;
  /** A session of an application over it. */
  client(): Promise<pg.Client>;
  stop(): Promise<void>;
}

function configOf(options: PoolerOptions, port: number): string {
  const { username, password, database, pool_mode, pool_size = 1, settings = [] } = options;
  const server = `host=${LOOPBACK} port=${options.port} user=${username} password=${password}`;
  return [
    '[databases]',
    `${database} = ${server} dbname=${database}`,
    '[pgbouncer]',
    `listen_addr = ${LOOPBACK}`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${pool_mode}`,
    `default_pool_size = ${pool_size}`,
    ...settings,
    '',
  ].join('\n');
}

async function answers(port: number, { database, username }: PoolerOptions): Promise<boolean> {
  const client = new pg.Client({ host: LOOPBACK, port, user: username, database });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

const MOST_TRIES = 100;
const PAUSE_MS = 100;

export async function startPooler(options: PoolerOptions): Promise<Pooler> {
  const user = serverUser();
  const directory = path.join(testDirectory('pooler'), 'files');
  makeDirectory(directory, user);
  const file = path.join(directory, 'pgbouncer.ini');
  let child: ChildProcess | undefined;
  const port = await onFreePort(null, async (free) => {
    writePrivate(file, configOf(options, free), user);
    child = spawn(PROGRAM ?? 'pgbouncer', ['-q', file], {
      ...asUser(user),
      cwd: directory,
      env: CLEAN_ENV,
      stdio: 'ignore',
    });
    for (let tries = 0; tries < MOST_TRIES && child.exitCode === null; tries += 1) {
      if (await answers(free, options)) return free;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    throw new Error('PgBouncer did not start');
  });
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  return {
    host: LOOPBACK,
    port,
    client: async () => {
      const { username, database } = options;
      const client = new pg.Client({ host: LOOPBACK, port, user: username, database });
      client.on('error', () => undefined);
      await client.connect();
      return client;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
