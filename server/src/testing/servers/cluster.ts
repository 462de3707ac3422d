// A PostgreSQL server for tests: its own directory below the run's directory, fast and forgetful (fsync off), on
// loopback and on a socket that only the superuser's tests use. Guards: whatever starts here lies below the run's
// directory, so the end of the run finds and stops it even when a test forgot or was interrupted.
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { type Binaries, findBinaries, platformPackage } from '../../datastore/binaries.ts';
import { type OsUser, serverUser } from '../../datastore/os-user.ts';
import { makeDirectory, writePrivate } from '../../datastore/pg-files.ts';
import { type Server, type Setting, startServer } from '../../datastore/pg-process.ts';
import { LOOPBACK, onFreePort } from '../../datastore/ports.ts';
import { Secret } from '../../kernel/secret.ts';
import { continueProcesses, pauseProcesses, stopWithChildren } from '../faults/pause.ts';
import { freshCluster } from './fresh-cluster.ts';
import { copyForStandby } from './standby.ts';
import type { TlsFiles } from './tls-files.ts';

/** Where the programs of PostgreSQL 19 are, of which npm has no package yet: tests run on it too where this is set. */
const PROGRAMS_19 = process.env.MATRIARCH_TEST_POSTGRES_19;

export type Major = 14 | 15 | 16 | 17 | 18 | 19;
/** Those that npm brings. */
export const PACKAGED_MAJORS = [14, 15, 16, 17, 18] as const satisfies readonly Major[];
export const MAJORS: readonly Major[] =
  PROGRAMS_19 === undefined ? PACKAGED_MAJORS : [...PACKAGED_MAJORS, 19];

/** What a test needs to know of a server; plain data, so it can travel between threads. */
export interface TestServer {
  major: Major;
  host: '127.0.0.1';
  port: number;
  superuser: 'postgres';
  password: string;
  /** postgres://postgres:…@127.0.0.1:port/postgres */
  url: string;
  /** Directory of the UNIX socket, on which the superuser needs no password whatever `hba` says. */
  socketDir: string;
  directory: string;
  logFile: string;
  pid: number;
}

export interface ClusterOptions {
  major?: Major;
  settings?: Record<string, Setting>;
  /** Lines of pg_hba.conf for TCP; passwords (SCRAM) for everybody when absent, over TLS only when `tls` is given. */
  hba?: readonly string[];
  /** Certificate and key to serve; see makeTlsFiles. */
  tls?: Pick<TlsFiles, 'cert' | 'key'>;
  /** Other programs than those of npm, such as a copy that lacks something. */
  binaries?: Binaries;
  /** Makes a streaming physical standby of that running server. */
  standbyOf?: TestServer;
}

export interface TestCluster extends TestServer, AsyncDisposable {
  /** Runs statements as the superuser over the socket. */
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Freezes every process of the server (SIGSTOP): connections open, nothing answers. */
  pause(): void;
  resume(): void;
  /** Stops the server and keeps its files; start() brings it back on the same port. */
  shutdown(): Promise<void>;
  start(): Promise<void>;
  /** Ends every process at once, as a power cut would. */
  kill(): Promise<void>;
  /** Stops the server and removes its files. Safe to call twice. */
  stop(): Promise<void>;
}

const SUPERUSER = 'postgres';

const FAST = {
  listen_addresses: LOOPBACK,
  fsync: false,
  synchronous_commit: false,
  full_page_writes: false,
  shared_buffers: '16MB',
  max_wal_size: '256MB',
  max_connections: 200,
  huge_pages: false,
  shared_preload_libraries: 'pg_stat_statements',
  // A server that serves many files forgets no statement of a test in the middle of it.
  'pg_stat_statements.max': 20_000,
  // Segments below the data directory go with it, also when the server was killed.
  dynamic_shared_memory_type: 'mmap',
  timezone: 'UTC',
  log_timezone: 'UTC',
} as const satisfies Record<string, Setting>;

/**
 * Memory that a session has freed stays with it, and comes in large pages: tests begin thousands of sessions, and a sixth of all
 * that a run computes went into giving them memory by pages of 4 kB.
 */
const ROOMY = {
  GLIBC_TUNABLES: [
    'glibc.malloc.hugetlb=1',
    'glibc.malloc.mmap_threshold=67108864',
    'glibc.malloc.trim_threshold=268435456',
    'glibc.malloc.top_pad=4194304',
  ].join(':'),
};

interface Files {
  home: string;
  directory: string;
  socketDir: string;
  logFile: string;
}

function makeFiles(runDirectory: string, major: Major, user: OsUser | null): Files {
  const home = mkdtempSync(path.join(runDirectory, `pg${major}-`));
  chmodSync(home, 0o711);
  const socketDir = path.join(home, 's');
  makeDirectory(socketDir, user);
  return { home, directory: path.join(home, 'data'), socketDir, logFile: path.join(home, 'server.log') };
}

function tlsSettings(
  tls: ClusterOptions['tls'],
  directory: string,
  user: OsUser | null,
): Record<string, Setting> {
  if (!tls) return {};
  for (const [from, name] of [
    [tls.cert, 'server.crt'],
    [tls.key, 'server.key'],
  ] as const) {
    writePrivate(path.join(directory, name), readFileSync(from, 'utf8'), user);
  }
  return { ssl: true, ssl_cert_file: 'server.crt', ssl_key_file: 'server.key' };
}

function hbaLines({ hba, tls }: ClusterOptions): string[] {
  const type = tls ? 'hostssl' : 'host';
  const standard = [`${type} all all ${LOOPBACK}/32 scram-sha-256`];
  return [`local all ${SUPERUSER} trust`, `local replication ${SUPERUSER} trust`, ...(hba ?? standard)];
}

async function socketQuery(server: TestServer, sql: string, values: unknown[] = []) {
  const { socketDir: host, port } = server;
  const client = new pg.Client({ host, port, user: SUPERUSER, database: 'postgres' });
  await client.connect();
  try {
    const result = await client.query<Record<string, unknown>>(sql, values);
    return result.rows;
  } finally {
    await client.end();
  }
}

/** Without a trace in the statistics of statements. */
async function setPassword({ socketDir: host, port, password }: TestServer): Promise<void> {
  const client = new pg.Client({
    host,
    port,
    user: SUPERUSER,
    database: 'postgres',
    options: '-c pg_stat_statements.track=none',
  });
  await client.connect();
  try {
    await client.query(`alter role ${SUPERUSER} password '${password}'`);
  } finally {
    await client.end();
  }
}

function handle(
  first: { facts: TestServer; server: Server },
  start: () => Promise<Server>,
  home: string,
): TestCluster {
  const { facts } = first;
  let server: Server | null = first.server;
  const shutdown = async (fastMs?: number) => {
    const stopping = server;
    server = null;
    if (!stopping) return;
    continueProcesses(stopping.pid);
    await stopWithChildren(stopping.pid, () => stopping.stop(fastMs));
  };
  const stop = async () => {
    await shutdown(1500);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
  const withPid = (act: (pid: number) => void) => () => {
    if (server) act(server.pid);
  };
  return {
    ...facts,
    get pid() {
      return server?.pid ?? 0;
    },
    query: (sql, values) => socketQuery(facts, sql, values),
    pause: withPid(pauseProcesses),
    resume: withPid(continueProcesses),
    shutdown,
    start: async () => {
      server ??= await start();
    },
    kill: async () => {
      const killed = server;
      server = null;
      if (!killed) return;
      pauseProcesses(killed.pid, 'SIGKILL');
      await killed.exited;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const namedBinaries = (major: Major, directory: string): Binaries => ({
  initdb: path.join(directory, 'initdb'),
  postgres: path.join(directory, 'postgres'),
  pgCtl: path.join(directory, 'pg_ctl'),
  ...{ major, version: String(major) },
});

/** The programs of a major version, as npm brings them. */
export function binariesOf(major: Major): Binaries {
  if (major === 19) return namedBinaries(major, PROGRAMS_19 ?? '');
  const packageName = major === 18 ? platformPackage() : `pg${major}`;
  return findBinaries({ packageName, user: serverUser() });
}

/** Starts a server of its own below `runDirectory`. */
export async function startIn(runDirectory: string, options: ClusterOptions): Promise<TestCluster> {
  const major = options.standbyOf?.major ?? options.major ?? 18;
  const user = serverUser();
  const binaries = options.binaries ?? binariesOf(major);
  const files = makeFiles(runDirectory, major, user);
  const { directory, socketDir, logFile, home } = files;
  const password = options.standbyOf?.password ?? randomUUID();
  try {
    if (options.standbyOf) await copyForStandby(options.standbyOf, directory, user);
    else {
      const secret = new Secret(password);
      const made = { binaries, directory, user, superuser: SUPERUSER, password: secret, sync: false };
      await freshCluster(runDirectory, made);
    }
    const tls = tlsSettings(options.tls, directory, user);
    const startOn = (port: number) =>
      startServer({
        binaries,
        directory,
        user,
        logFile,
        settings: { ...FAST, unix_socket_directories: socketDir, port, ...tls, ...options.settings },
        hba: hbaLines(options),
        env: ROOMY,
        probe: { host: socketDir, port, user: SUPERUSER, database: 'postgres' },
      });
    const { server, port } = await onFreePort(null, async (free) => ({
      server: await startOn(free),
      port: free,
    }));
    const url = `postgres://${SUPERUSER}:${password}@${LOOPBACK}:${port}/postgres`;
    const names = { major, host: LOOPBACK, superuser: SUPERUSER, password } as const;
    const facts = { ...names, port, url, socketDir, directory, logFile, pid: server.pid };
    if (!options.standbyOf) await setPassword(facts);
    return handle({ facts, server }, () => startOn(port), home);
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
}
