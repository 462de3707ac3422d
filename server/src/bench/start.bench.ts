// P12: how long the whole program takes to start on a datastore that runs already: the first time, on an empty one, when it
// makes all tables; and again, until it answers /health and until something that it read from a server since then is
// stored. Beside it what a command takes that only prints. Prints figures, judges nothing.
// Run: npm run bench -- start [rounds]
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import pg from 'pg';
import { sleep } from '../kernel/clock.ts';
import { Secret } from '../kernel/secret.ts';
import { collecting } from '../testing/collecting.ts';
import { startIn, type TestCluster } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { print } from './print.ts';
import { programEnvironment, programFile, programFlags } from './program-environment.ts';

const ROUNDS = 5;
const LOOK_MS = 4;

const env = await programEnvironment();
const program = await programFile();
const flags = await programFlags();

async function freePort(): Promise<number> {
  const server = createServer();
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const address = server.address();
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  await closed.promise;
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface Started {
  /** Milliseconds from its start to the first answer of /health, and until `isDone` says so. */
  healthy_ms: number;
  done_ms: number;
}

/** Costs next to nothing, which a request that fails does not: it is asked each time, beside a program that starts. */
function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => resolve(true));
  socket.once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

async function isHealthy(port: number): Promise<boolean> {
  if (!(await accepts(port))) return false;
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`)).ok;
  } catch {
    return false;
  }
}

/** Starts the program, waits, and stops it. */
async function started(args: readonly string[], isDone: () => Promise<boolean>): Promise<Started> {
  const port = await freePort();
  const began = performance.now();
  const all = [program, 'start', '--port', String(port), '--log-level', 'warn', ...args];
  const child = spawn(process.execPath, [...flags, ...all], { stdio: ['ignore', 'ignore', 'inherit'], env });
  const ended = Promise.withResolvers<void>();
  child.once('exit', () => ended.resolve());
  try {
    while (!(await isHealthy(port))) {
      if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}`);
      await sleep(LOOK_MS);
    }
    const healthy_ms = performance.now() - began;
    while (!(await isDone())) await sleep(LOOK_MS);
    return { healthy_ms, done_ms: performance.now() - began };
  } finally {
    child.kill('SIGTERM');
    await ended.promise;
  }
}

/** Milliseconds until a command that only prints has ended. */
async function printing(): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [...flags, program, '--version'], { stdio: 'ignore', env });
  const ended = Promise.withResolvers<void>();
  child.once('exit', () => ended.resolve());
  await ended.promise;
  return performance.now() - began;
}

const newestRun = `select max(attempted_at)::timestamptz > $1 as is_new from metrics.current_snapshots
  where probe = 'pg_connectivity' and collected_at is not null`;

const hasReadSince = (eye: pg.Client, from: Date) => async () =>
  (await eye.query<{ is_new: boolean | null }>(newestRun, [from])).rows[0]?.is_new === true;

async function round(datastore: TestCluster, watched: TestCluster, n: number) {
  const name = `start_${n}`;
  await datastore.query(`create database ${name}`);
  const url = new URL(datastore.url);
  url.pathname = `/${name}`;
  const home = await mkdtemp(path.join(tmpdir(), 'matriarch-start-'));
  const keyFile = path.join(home, 'secret.key');
  const args = ['--datastore-url', url.toString(), '--data-dir', home, '--secret-key-file', keyFile];
  const eye = new pg.Client({ connectionString: url.toString() });
  await eye.connect();
  try {
    const empty = await started(args, async () => true);
    const house = await collecting(new Secret(url.toString()), keyFile);
    await house.connect(watched);
    await house.stop();
    // The one before has its tables and its first samples, as a program that was stopped yesterday has.
    await started(args, hasReadSince(eye, new Date()));
    const again = await started(args, hasReadSince(eye, new Date()));
    return { empty, again, printing_ms: await printing() };
  } finally {
    await eye.end();
    await rm(home, { recursive: true, force: true });
  }
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const line = (name: string, values: readonly number[], wanted = '') =>
  print(
    `  ${name.padEnd(46)} ${median(values).toFixed(0).padStart(5)} ms (${values.map((value) => value.toFixed(0)).join(', ')})${wanted}`,
  );

const rounds = Number(process.argv[2] ?? ROUNDS);
const directory = makeRunDirectory();
try {
  await using datastore = await startIn(directory, { major: 18 });
  await using watched = await startIn(directory, { major: 17 });
  // The first one compiles what the others find compiled.
  await printing();
  const all: Awaited<ReturnType<typeof round>>[] = [];
  for (let n = 0; n < rounds; n += 1) all.push(await round(datastore, watched, n));
  line(
    'matriarch --version',
    all.map(({ printing_ms }) => printing_ms),
  );
  line(
    'an empty datastore, until /health',
    all.map(({ empty }) => empty.healthy_ms),
    '; wanted 500',
  );
  line(
    'started again, until /health',
    all.map(({ again }) => again.healthy_ms),
  );
  line(
    'started again, until data is stored',
    all.map(({ again }) => again.done_ms),
    '; wanted 1000',
  );
} finally {
  removeRunDirectory(directory);
}
