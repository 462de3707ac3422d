// One side of the comparison in footprint.bench.ts: the collector of one copy of the program, as a process of its own, with its datastore
// and the servers that it reads, all under the same steady load. Guards: what the bench itself does is left out of every figure; connections
// are stored by the copy that reads them, whose schema may be another one; whatever was started is ended, also where the start fails.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { sleep } from '../kernel/clock.ts';
import type { Collecting } from '../testing/collecting.ts';
import { MAJORS, startIn, type TestCluster } from '../testing/servers/cluster.ts';
import { socketUrl } from '../testing/servers/socket-url.ts';
import { programEnvironment, programFile, programFlags } from './program-environment.ts';
import { type Relay, startRelay } from './relay.ts';
import { type CpuReading, processMs, readCpu } from './server-cpu.ts';
import { ROLE, startWatched, type WatchedServer } from './watched-server.ts';

/** As many connections to one server keep their sessions. */
const BY_SERVER = 8;
const FEWEST_SERVERS = 3;
const TABLES = 25;
const TOUCHED = 4;

export interface Wish {
  /** The checkout whose program is measured. */
  root: string;
  count: number;
  /** All parts of the program, as it is started; else the collector alone. */
  isWhole: boolean;
  /** Where a profile of the program's processor time is written. */
  profiles?: string;
}

export interface Totals {
  collector_ms: number;
  datastore: CpuReading;
  servers: readonly CpuReading[];
  /** Statements on the datastore, and on all servers. */
  kept_statements: number;
  statements: number;
  trips: number;
  opened: number;
  stored_bytes: number;
  runs: number;
  rows: number;
}

export interface StatementUse {
  text: string;
  calls: number;
  ms: number;
}

export interface Side {
  /** Resolves once every database of every connection was read. */
  complete(): Promise<void>;
  totals(): Promise<Totals>;
  /** Sessions on all servers now. */
  sessions(): Promise<number>;
  memory(): { now_mb: number; most_mb: number };
  /** Times between two answers of each server to the 30 s probe, in seconds, ascending. */
  gaps(): Promise<number[]>;
  /** Response times that were stored in the last so many seconds, in ms, ascending. */
  responses(seconds: number): Promise<number[]>;
  /** Since they were counted from zero: on the datastore, and on all servers. */
  statementUse(): Promise<{ datastore: StatementUse[]; servers: StatementUse[] }>;
  countFromZero(): Promise<void>;
  stop(): Promise<void>;
}

interface BenchServers {
  store: TestCluster;
  /** The bench's session on the datastore. */
  eye: pg.Client;
  servers: readonly WatchedServer[];
  relays: readonly Relay[];
  child: ChildProcess;
}

async function clientOn(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'bench' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Ends it, if it has not ended by itself. */
async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  if (child.kill('SIGTERM')) await once(child, 'exit');
}

/** Resolves when it says that it runs. */
async function untilRunning(child: ChildProcess, root: string): Promise<void> {
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`The program of ${root} ended (${code ?? signal}) before it ran. What it said is above.`);
  });
  let said = '';
  // The first where it has no API, the second where it has one.
  while (child.stdout && !/is running|is ready/.test(said))
    said += String((await Promise.race([once(child.stdout, 'data'), ended]))[0]);
  ended.catch(() => undefined);
  child.stdout?.resume();
}

/** The program itself; its datastore is ready. */
async function startProgram(
  { root, isWhole, profiles }: Wish,
  url: string,
  keyFile: string,
): Promise<ChildProcess> {
  const home = path.join(path.dirname(keyFile), 'data');
  const script = await programFile(root);
  const profile = profiles === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profiles];
  const where = ['--datastore-url', url, '--data-dir', home, '--secret-key-file', keyFile];
  const parts = isWhole ? ['--port', '0'] : ['--roles', 'collector'];
  const args = [...profile, script, 'start', ...parts, ...where, '--log-level', 'warn'];
  const env = await programEnvironment(root);
  const child = spawn(process.execPath, [...(await programFlags(root)), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  });
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  try {
    await untilRunning(child, root);
  } catch (error) {
    await endProgram(child);
    throw error;
  }
  return child;
}

/** Stores connections as that copy of the program does. */
async function houseOf(
  root: string,
  url: string,
  keyFile: string,
): Promise<Pick<Collecting, 'connect' | 'stop'>> {
  const of = (file: string) => pathToFileURL(path.join(root, 'server/src', file)).href;
  const { collecting }: typeof import('../testing/collecting.ts') = await import(of('testing/collecting.ts'));
  const { Secret }: typeof import('../kernel/secret.ts') = await import(of('kernel/secret.ts'));
  return collecting(new Secret(url), keyFile);
}

/** Processes of a server but the bench's own session. */
function childrenOf(postmaster: number, except: number): number[] {
  const text = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  return text
    .trim()
    .split(' ')
    .map(Number)
    .filter((pid) => pid !== except);
}

async function prepare(directory: string, wish: Wish, stack: AsyncDisposableStack): Promise<BenchServers> {
  const store = await startIn(directory, { major: 18, settings: { shared_buffers: '64MB' } });
  stack.use(store);
  const keyFile = path.join(await mkdtemp(path.join(directory, 'program-')), 'secret.key');
  const url = socketUrl(store);
  const child = await startProgram(wish, url, keyFile);
  stack.defer(() => endProgram(child));
  const house = await houseOf(wish.root, url, keyFile);
  stack.defer(() => house.stop());
  const eye = await clientOn(url);
  stack.defer(() => eye.end());
  await eye.query('create extension pg_stat_statements schema public');
  const wanted = wish.count === 1 ? 1 : Math.max(FEWEST_SERVERS, Math.ceil(wish.count / BY_SERVER));
  const servers: WatchedServer[] = [];
  for (let n = 0; n < wanted; n += 1) {
    const major = MAJORS[MAJORS.length - 1 - (n % MAJORS.length)] ?? 18;
    const server = await startWatched(directory, { tables: TABLES, touched: TOUCHED, major });
    stack.defer(() => server.stop());
    servers.push(server);
  }
  const relays = await Promise.all(servers.map(({ cluster }) => startRelay(cluster.port)));
  stack.defer(() => {
    for (const relay of relays) relay.stop();
  });
  for (let n = 0; n < wish.count; n += 1) {
    const server = servers[n % wanted]?.cluster;
    const port = relays[n % wanted]?.port;
    if (server && port) await house.connect({ ...server, port }, { username: ROLE, password: ROLE });
  }
  for (const server of servers) server.touch();
  // First of all, since it would complain of servers that are gone.
  stack.defer(() => endProgram(child));
  return { store, eye, servers, relays, child };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

async function callsOn(servers: readonly WatchedServer[]): Promise<number> {
  const counts = await Promise.all(
    servers.map(async ({ session }) => {
      const { rows } = await session.query<{ calls: number }>(
        `select coalesce(sum(calls), 0)::float8 as calls from pg_stat_statements where userid = '${ROLE}'::regrole`,
      );
      return rows[0]?.calls ?? 0;
    }),
  );
  return sum(counts);
}

async function totalsOf({ store, eye, servers, relays, child }: BenchServers): Promise<Totals> {
  const { rows } = await eye.query<Record<'calls' | 'bytes' | 'runs' | 'rows', number>>(`select
    (select sum(calls) from public.pg_stat_statements where query not like '%bench%')::float8 as calls,
    pg_database_size(current_database())::float8 as bytes,
    (select coalesce(sum(runs), 0) from matriarch.probe_costs)::float8 as runs,
    (select coalesce(sum(rows), 0) from matriarch.probe_costs)::float8 as rows /* bench */`);
  const [told] = rows;
  const { rows: self } = await eye.query<{ pid: number }>('select pg_backend_pid() as pid /* bench */');
  const backends = await Promise.all(servers.map((server) => server.backends()));
  return {
    collector_ms: processMs(child.pid ?? 0),
    datastore: readCpu(store.pid, childrenOf(store.pid, self[0]?.pid ?? 0)),
    servers: servers.map(({ cluster }, n) => readCpu(cluster.pid, backends[n] ?? [])),
    kept_statements: told?.calls ?? 0,
    statements: await callsOn(servers),
    trips: sum(relays.map(({ counts }) => counts.roundTrips)),
    opened: sum(relays.map(({ counts }) => counts.connections)),
    stored_bytes: told?.bytes ?? 0,
    runs: told?.runs ?? 0,
    rows: told?.rows ?? 0,
  };
}

function memoryOf(pid: number): { now_mb: number; most_mb: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mb = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now_mb: mb('VmRSS'), most_mb: mb('VmHWM') };
}

const USE = `select query as text, calls::float8 as calls, total_exec_time + total_plan_time as ms
  from public.pg_stat_statements where query not like '%bench%'`;

async function gapsOf(eye: pg.Client): Promise<number[]> {
  const { rows } = await eye.query<{ gap: number }>(`select extract(epoch from gap)::float8 as gap
    from (
      select collected_at - lag(collected_at) over (partition by connection_id order by collected_at) as gap
      from metrics.pg_connectivity
    ) g
    where gap is not null
    order by gap /* bench */`);
  return rows.map(({ gap }) => gap);
}

async function responsesOf(eye: pg.Client, seconds: number): Promise<number[]> {
  const { rows } = await eye.query<{ ms: number }>(
    `select response_time_ms as ms from metrics.pg_connectivity
    where collected_at > now() - make_interval(secs => $1) and response_time_ms is not null
    order by ms /* bench */`,
    [seconds],
  );
  return rows.map(({ ms }) => ms);
}

/** Servers, datastore and program are started and wait for nothing but to be measured. */
export async function startSide(directory: string, wish: Wish): Promise<Side> {
  await using stack = new AsyncDisposableStack();
  const ground = await prepare(directory, wish, stack);
  const { eye, servers, child } = ground;
  const started = stack.move();
  const complete = async () => {
    for (;;) {
      const { rows } = await eye.query<{ done: number }>(`select count(*)::int as done from (
        select connection_id from metrics.current_snapshots
        where probe = 'pg_stat_database' and collected_at is not null
        group by connection_id having count(*) >= 4) whole /* bench */`);
      if ((rows[0]?.done ?? 0) >= wish.count) return;
      await sleep(500);
    }
  };
  return {
    complete,
    totals: () => totalsOf(ground),
    sessions: async () =>
      sum((await Promise.all(servers.map((server) => server.backends()))).map((pids) => pids.length)),
    memory: () => memoryOf(child.pid ?? 0),
    gaps: () => gapsOf(eye),
    responses: (seconds) => responsesOf(eye, seconds),
    countFromZero: async () => {
      await eye.query('select public.pg_stat_statements_reset() /* bench */');
      for (const { session } of servers) await session.query('select pg_stat_statements_reset()');
    },
    statementUse: async () => {
      const { rows: datastore } = await eye.query<StatementUse>(`${USE} /* bench */`);
      const lists = await Promise.all(
        servers.map(({ session }) =>
          session.query<StatementUse>(`${USE.replace('public.', '')} and userid = '${ROLE}'::regrole`),
        ),
      );
      return { datastore, servers: lists.flatMap(({ rows }) => rows) };
    },
    stop: () => started.disposeAsync(),
  };
}
