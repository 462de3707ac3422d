// The embedded datastore: real PostgreSQL from npm in <dataDir>/postgres, on loopback, with a random superuser
// password. Guards: one process per data directory, never another major version's files, never a second server
// beside one that is still running, one that ends by itself is started again, and stop() leaves no process behind.
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { systemClock } from '../kernel/clock.ts';
import { UsageError } from '../kernel/errors.ts';
import type { Part } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { chooseDirectory, refuseHalfRestored } from './cluster-directory.ts';
import { type DataDir, openDataDir } from './data-dir.ts';
import { stopOrphan } from './orphan.ts';
import { type OsUser, ownerOf, serverUser } from './os-user.ts';
import { configuredNumber, createCluster, logSize, logTail, rotateLog, writePrivate } from './pg-files.ts';
import { type Server, type Setting, startServer } from './pg-process.ts';
import { LOOPBACK, onFreePort } from './ports.ts';
import { removeSockets, socketDirectory } from './socket-directory.ts';
import { Supervisor } from './supervisor.ts';

export interface EmbeddedOptions {
  dataDir: string;
  log: Log;
  /** Told one sentence at each step that takes a while. */
  progress: (sentence: string) => void;
  signal?: AbortSignal;
}

export interface Embedded extends Part {
  /** postgres://…@127.0.0.1/matriarch as the superuser; with `?host=` of the socket where there is one. */
  superuserUrl: Secret;
  host: '127.0.0.1';
  port: number;
  database: 'matriarch';
  /** The data directory's real path. */
  dataDir: string;
  /** This start made the cluster. */
  freshlyCreated: boolean;
  /** server_version_num, such as 180004. */
  versionNum: number;
  /** The postmaster's pid; another one after a death. */
  readonly pid: number;
  /** Resolves with the reason when PostgreSQL ended so often that it is not started again. */
  failed: Promise<string>;
  /** What goes on while it is not there, as a sentence; undefined while it is. */
  readonly outage: string | undefined;
}

const HOST = LOOPBACK;
const DATABASE = 'matriarch';
const SUPERUSER = 'postgres';
const HBA = [
  `host all all ${HOST}/32 scram-sha-256`,
  `host replication all ${HOST}/32 scram-sha-256`,
  'local all all scram-sha-256',
];
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;
const LOG_CHECK_MS = 10 * 60 * 1000;

/** For a metrics store of moderate size beside its collector on one machine: many small COPYs, time-ordered. */
export const STORE_SETTINGS = {
  max_connections: 100,
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': 5000,
  track_io_timing: true,
  track_wal_io_timing: true,
  track_functions: 'pl',
  shared_buffers: '128MB',
  huge_pages: false,
  wal_compression: true,
  max_wal_size: '1GB',
  random_page_cost: 1.1,
  jit: false,
} as const satisfies Record<string, Setting>;

const SETTINGS = {
  ...STORE_SETTINGS,
  listen_addresses: HOST,
  unix_socket_permissions: '0700',
  cluster_name: 'matriarch',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] %q%u@%d %a ',
  log_min_messages: 'warning',
  log_checkpoints: false,
} as const satisfies Record<string, Setting>;

function readPassword(file: string, clusterExists: boolean): Secret {
  if (existsSync(file)) return new Secret(readFileSync(file, 'utf8').trim());
  if (clusterExists) {
    throw new UsageError(
      `${file}, the embedded PostgreSQL's password, is missing: bring it back from a backup.`,
    );
  }
  const password = new Secret(randomBytes(24).toString('base64url'));
  writePrivate(file, `${password.reveal()}\n`, null);
  return password;
}

function lastPort(directory: string): number | null {
  const file = path.join(directory, 'matriarch.conf');
  return existsSync(file) ? configuredNumber(readFileSync(file, 'utf8'), 'port') : null;
}

function clientConfig(password: Secret, port: number, database: string): pg.ClientConfig {
  return { host: HOST, port, user: SUPERUSER, password: password.reveal(), database };
}

/** Creates the database when missing (a first start may have been killed in between) and reads the version. */
async function ensureDatabase(password: Secret, port: number): Promise<number> {
  const client = new pg.Client(clientConfig(password, port, 'postgres'));
  await client.connect();
  try {
    const found = await client.query<{ present: boolean; version_num: number }>(
      `/* datastore.look */
       select exists (select from pg_catalog.pg_database where datname = $1) as present,
         pg_catalog.current_setting('server_version_num')::int as version_num`,
      [DATABASE],
    );
    const [row] = found.rows;
    if (!row?.present) await client.query(`/* datastore.create */ create database ${DATABASE}`);
    return row?.version_num ?? 0;
  } finally {
    await client.end();
  }
}

interface Prepared {
  binaries: Binaries;
  user: OsUser | null;
  password: Secret;
  directory: string;
  /** Where the socket for our own sessions is; undefined where there can be none. */
  sockets: string | undefined;
  freshlyCreated: boolean;
}

async function prepare(home: DataDir, progress: (sentence: string) => void): Promise<Prepared> {
  const usual = path.join(home.path, 'postgres');
  const user = existsSync(usual) ? ownerOf(usual) : serverUser();
  const binaries = findBinaries({ user, progress });
  const { directory, exists, link } = chooseDirectory({
    dataDir: home.path,
    major: binaries.major,
    user,
    progress,
  });
  if (!exists) refuseHalfRestored(directory);
  const password = readPassword(path.join(home.path, 'postgres.password'), exists);
  if (exists) await stopOrphan(directory, progress);
  else {
    progress(`Creating a PostgreSQL ${binaries.major} datastore in ${directory}`);
    await createCluster({ binaries, directory, user, superuser: SUPERUSER, password, sync: true });
    if (link !== null) symlinkSync(directory, link);
  }
  const sockets = await socketDirectory(directory);
  return { binaries, user, password, directory, sockets, freshlyCreated: !exists };
}

interface Launch {
  logFile: string;
  progress: (sentence: string) => void;
  signal: AbortSignal | undefined;
}

function launchOn(port: number, prepared: Prepared, { signal, ...launch }: Launch): Promise<Server> {
  const probe = clientConfig(prepared.password, port, 'postgres');
  removeSockets(prepared.directory);
  const settings = { ...SETTINGS, port, unix_socket_directories: prepared.sockets ?? '' };
  const wanted = { ...prepared, ...launch, settings, hba: HBA, probe };
  return startServer(signal ? { ...wanted, signal } : wanted);
}

interface Launched {
  server: Server;
  port: number;
  logFile: string;
}

/** Starts on the port of last time, or on another when somebody has taken it meanwhile. */
async function launch(prepared: Prepared, home: DataDir, options: EmbeddedOptions): Promise<Launched> {
  const { progress, signal } = options;
  const logFile = path.join(home.path, 'postgres.log');
  rotateLog(logFile, LOG_LIMIT_BYTES, copyFileSync);
  return onFreePort(lastPort(prepared.directory), async (port) => {
    const server = await launchOn(port, prepared, { logFile, progress, signal });
    return { server, port, logFile };
  });
}

/** Keeps it running. Everybody knows its port by now, so it is started again on that and no other. */
function supervise(prepared: Prepared, { server, port, logFile }: Launched, log: Log): Supervisor {
  let logStart = 0;
  return new Supervisor({
    server,
    restart: async (signal) => {
      await stopOrphan(prepared.directory);
      rotateLog(logFile, LOG_LIMIT_BYTES, copyFileSync);
      logStart = logSize(logFile);
      return launchOn(port, prepared, { logFile, progress: () => undefined, signal });
    },
    lastWords: () => logTail(logFile, logStart),
    logFile,
    clock: systemClock,
    log,
  });
}

function urlOf({ password, sockets }: Prepared, port: number): Secret {
  const url = `postgres://${SUPERUSER}:${password.reveal()}@${HOST}:${port}/${DATABASE}`;
  // Not by URLSearchParams: a space would become a plus, which is a plus in a URL of PostgreSQL.
  return new Secret(sockets === undefined ? url : `${url}?host=${encodeURIComponent(sockets)}`);
}

async function start(home: DataDir, options: EmbeddedOptions): Promise<Embedded> {
  const prepared = await prepare(home, options.progress);
  const launched = await launch(prepared, home, options);
  const { server, port, logFile } = launched;
  let versionNum: number;
  try {
    versionNum = await ensureDatabase(prepared.password, port);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const rotation = setInterval(() => rotateLog(logFile, LOG_LIMIT_BYTES, copyFileSync), LOG_CHECK_MS).unref();
  const supervisor = supervise(prepared, launched, options.log);
  const { freshlyCreated } = prepared;
  options.log.info({
    event: 'embedded.started',
    port,
    pid: server.pid,
    version_num: versionNum,
    fresh: freshlyCreated,
  });
  return {
    name: 'embedded PostgreSQL',
    superuserUrl: urlOf(prepared, port),
    host: HOST,
    port,
    database: DATABASE,
    dataDir: home.path,
    freshlyCreated,
    versionNum,
    get pid() {
      return supervisor.pid;
    },
    failed: supervisor.failed,
    get outage() {
      return supervisor.outage;
    },
    stop: async () => {
      clearInterval(rotation);
      await supervisor.stop();
      home.release();
    },
  };
}

/** Locks the data directory, makes the cluster at the first time, starts it. Throws UsageError with a sentence. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const home = await openDataDir(options.dataDir);
  try {
    return await start(home, options);
  } catch (error) {
    home.release();
    throw error;
  }
}
