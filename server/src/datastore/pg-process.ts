// One PostgreSQL cluster as a child process: create, start, stop. Knows nothing of what the cluster is for.
// Guards: the server runs as an unprivileged user with a clean environment, outside our terminal's process group
// (so Ctrl-C reaches only us and we stop it last), and ends by itself where the system can do that for us.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { sleep, systemClock } from '../kernel/clock.ts';
import { UsageError } from '../kernel/errors.ts';
import type { Binaries } from './binaries.ts';
import type { OsUser } from './os-user.ts';
import { asUser, CLEAN_ENV, logSize, logTail, writeConfig } from './pg-files.ts';

export type Setting = string | number | boolean;

export interface ServerOptions {
  binaries: Binaries;
  /** The cluster (PGDATA), a real path. */
  directory: string;
  /** Who runs it; null for ourselves. */
  user: OsUser | null;
  logFile: string;
  /** Everything the caller wants set, `port` and `listen_addresses` included. */
  settings: Record<string, Setting>;
  /** Lines of pg_hba.conf. */
  hba: readonly string[];
  /** How to prove that it answers. */
  probe: pg.ClientConfig;
  progress?: (sentence: string) => void;
  signal?: AbortSignal;
  /** Further variables of its environment. */
  env?: Record<string, string>;
}

export interface Server {
  pid: number;
  /** Resolves when the postmaster is gone, wanted or not. */
  exited: Promise<void>;
  /** In what way it ended: `was killed by SIGKILL`, `ended with status 1`. */
  how(): string;
  /** Fast shutdown; after `fastMs` immediate (recovers at the next start), then kill. */
  stop(fastMs?: number): Promise<void>;
}

/** Starting failed because somebody else holds the port. */
export class PortTaken extends Error {}

const SETPRIV = '/usr/bin/setpriv';
const RETRY_SHARED_MEMORY_MS = 15_000;
const SHARED_MEMORY_IN_USE = /shared memory block .* is still in use/;
const PORT_IN_USE = /could not bind IPv4 address|could not create any TCP\/IP sockets|Address already in use/;

/** With setpriv the kernel sends a fast-shutdown signal to PostgreSQL when we die, even by kill -9. */
function commandLine(program: string, args: string[]): [string, string[]] {
  if (process.platform !== 'linux' || !existsSync(SETPRIV)) return [program, args];
  return [SETPRIV, ['--pdeathsig', 'INT', '--', program, ...args]];
}

function launch(options: ServerOptions): ChildProcess {
  const [command, args] = commandLine(options.binaries.postgres, ['-D', options.directory]);
  const log = openSync(options.logFile, 'a', 0o600);
  try {
    return spawn(command, args, {
      ...asUser(options.user),
      cwd: options.directory,
      env: { ...CLEAN_ENV, ...options.env },
      stdio: ['ignore', log, log],
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

function exitOf(child: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.once('error', () => resolve());
  return promise;
}

/** The postmaster's own word on its state: line 8 of postmaster.pid. */
function reportsReady(directory: string, pid: number): boolean {
  try {
    const lines = readFileSync(path.join(directory, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && /^(ready|standby)/.test(lines[7] ?? '');
  } catch {
    return false;
  }
}

async function answers(probe: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({ connectionTimeoutMillis: 2000, ...probe });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('/* datastore.ready */ select 1');
    return true;
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    if (code !== undefined && code !== '57P03') throw error;
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

type StartOutcome = 'ready' | 'exited' | 'aborted';

async function awaitReady(child: ChildProcess, options: ServerOptions): Promise<StartOutcome> {
  const { directory, probe, progress, signal } = options;
  const started = systemClock.monotonic();
  let nextWord = 1000;
  while (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    if (signal?.aborted) return 'aborted';
    if (reportsReady(directory, child.pid) && (await answers(probe))) return 'ready';
    const elapsed = systemClock.monotonic() - started;
    if (elapsed >= nextWord) {
      progress?.(`PostgreSQL is starting (${Math.round(elapsed / 1000)} s; after a crash it first recovers)`);
      nextWord += 5000;
    }
    await sleep(15);
  }
  return 'exited';
}

async function stopChild(child: ChildProcess, exited: Promise<void>, fastMs: number): Promise<void> {
  const steps = [
    { signal: 'SIGINT', waitMs: fastMs },
    { signal: 'SIGQUIT', waitMs: 1500 },
    { signal: 'SIGKILL', waitMs: 2000 },
  ] as const;
  for (const { signal, waitMs } of steps) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    const timer = new AbortController();
    await Promise.race([exited, sleep(waitMs, timer.signal)]);
    timer.abort();
  }
}

function serverOf(child: ChildProcess, exited: Promise<void>): Server {
  let stopping: Promise<void> | undefined;
  return {
    pid: child.pid ?? 0,
    exited,
    how: () =>
      child.signalCode === null ? `ended with status ${child.exitCode}` : `was killed by ${child.signalCode}`,
    stop: (fastMs = 2500) => {
      stopping ??= stopChild(child, exited, fastMs);
      return stopping;
    },
  };
}

function startFailure(options: ServerOptions, tail: string): Error {
  if (PORT_IN_USE.test(tail)) return new PortTaken(tail);
  const words = tail === '' ? 'It wrote nothing to its log.' : `The end of its log says:\n${tail}`;
  return new UsageError(
    `PostgreSQL did not start in ${options.directory} (log: ${options.logFile}). ${words}`,
  );
}

/** Writes the configuration, starts the server and resolves once it answers queries. */
export async function startServer(options: ServerOptions): Promise<Server> {
  writeConfig(options);
  const giveUpAt = systemClock.monotonic() + RETRY_SHARED_MEMORY_MS;
  for (;;) {
    const logStart = logSize(options.logFile);
    const child = launch(options);
    const exited = exitOf(child);
    const server = serverOf(child, exited);
    let outcome: StartOutcome;
    try {
      outcome = await awaitReady(child, options);
    } catch (error) {
      await server.stop();
      throw error;
    }
    if (outcome === 'ready') return server;
    await server.stop();
    if (outcome === 'aborted') throw new UsageError('The start of PostgreSQL was interrupted.');
    const tail = logTail(options.logFile, logStart);
    const again = SHARED_MEMORY_IN_USE.test(tail) && systemClock.monotonic() < giveUpAt;
    if (!again) throw startFailure(options, tail);
    await sleep(300);
  }
}
