// npm run bench -- log-load [cost|flood] [seconds=60]: what reading logs costs a collector, and what a flood of lines does to it. The lines
// are files in the log directories of real servers, read through the function of the monitoring script, as of a server elsewhere. Cost: one
// server with 100 lines a second, then 100 connections with 10 lines a second each, beside the same collector without logs. Flood: 100,000
// lines a second on one server, all of the same length, so that the counts of what was read are known to the line at any moment; how far
// memory grows, whether another server keeps its cadence, and what the product says of the lines that are not read yet.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { STORE_SETTINGS } from '../datastore/embedded.ts';
import { migrate } from '../datastore/migrate.ts';
import { logsScript } from '../estate/connections/log-script.ts';
import { sleep, systemClock } from '../kernel/clock.ts';
import { greatest } from '../kernel/lists.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { type Collecting, collecting } from '../testing/collecting.ts';
import { startIn, type TestCluster } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { socketUrl } from '../testing/servers/socket-url.ts';
import type { HerdReport } from './herd-collector.ts';
import { print } from './print.ts';
import { programEnvironment, programFlags } from './program-environment.ts';

const asked = process.argv.slice(2);
const SECONDS = Number(asked.find((one) => one.startsWith('seconds='))?.slice(8) ?? 60);
const wants = (part: string) => !asked.some((one) => /^[a-z]+$/.test(one)) || asked.includes(part);

const WARM_SECONDS = 20;
const FLOOD_A_SECOND = 100_000;
const SLICES = 20;
const MB = 1024 * 1024;
const ROLE = { username: 'mon', password: 'mon' };
const SETTINGS = {
  logging_collector: true,
  log_line_prefix: '%m [%p] %e %q%u@%d ',
  log_statement: 'none',
  shared_buffers: '32MB',
};

const env = await programEnvironment();
const flags = await programFlags();

interface Reader {
  readonly child: ChildProcess;
  readonly reports: HerdReport[];
}

function startReader(house: Collecting, url: string, mode: 'pulse' | 'logs' | 'flood'): Reader {
  const file = fileURLToPath(new URL('herd-collector.ts', import.meta.url));
  const child = spawn(process.execPath, [...flags, file, url, house.keyFile, mode], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  });
  const reports: HerdReport[] = [];
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      reports.push(JSON.parse(line));
    });
  return { child, reports };
}

async function end({ child }: Reader): Promise<void> {
  child.stdin?.end();
  await once(child, 'exit');
}

async function loggingServer(directory: string): Promise<TestCluster> {
  const server = await startIn(directory, { major: 18, settings: SETTINGS });
  await server.query("create role mon login password 'mon' in role pg_monitor");
  await server.query(logsScript('mon'));
  mkdirSync(path.join(server.directory, 'log'), { recursive: true });
  return server;
}

async function newHouse(datastore: TestCluster, name: string) {
  await datastore.query(`create database ${name}`);
  const url = socketUrl(datastore, name);
  await migrate(new Secret(url), silentLog);
  return { house: await collecting(new Secret(url)), url };
}

const stamp = () => new Date(systemClock.now()).toISOString().replace('T', ' ').replace('Z', ' UTC');

/** Of the kinds that a server under work writes. */
function lineAt(at: number): string {
  const head = `${stamp()} [${4000 + (at % 90)}]`;
  if (at % 20 === 3)
    return `${head} 23505 app@shop ERROR:  duplicate key value violates unique constraint "orders_pkey"`;
  if (at % 20 === 7)
    return `${head} 00000 app@shop LOG:  temporary file: path "base/pgsql_tmp/pgsql_tmp${at}.0", size ${at * 8192}`;
  if (at % 20 === 13)
    return `${head} 00000 app@shop LOG:  connection authorized: user=app database=shop application_name=web`;
  return `${head} 00000 app@shop LOG:  duration: ${1000 + (at % 9000)}.123 ms  statement: select o.id, o.total from orders o join customers c on c.id = o.customer_id where c.region = 'r${at % 97}' and o.total > ${at % 1013}`;
}

const fileOf = (server: TestCluster) => path.join(server.directory, 'log', 'bench.log');

/** So many lines a second, in two parts, until it is stopped. */
function write(servers: readonly TestCluster[], linesEach: number) {
  const stopping = new AbortController();
  let at = 0;
  const writing = (async () => {
    while (!stopping.signal.aborted) {
      for (const server of servers) {
        const lines = Array.from({ length: linesEach / 2 }, (_none, n) => lineAt(at + n));
        at += lines.length;
        appendFileSync(fileOf(server), `${lines.join('\n')}\n`);
      }
      await sleep(500, stopping.signal);
    }
  })();
  return async () => {
    stopping.abort();
    await writing;
  };
}

/** Processor time of the collector in percent of a core, once it has settled. */
async function costOf(house: Collecting, url: string, mode: 'pulse' | 'logs'): Promise<number> {
  const reader = startReader(house, url, mode);
  try {
    await sleep(WARM_SECONDS * 1000);
    const before = reader.reports.at(-1)?.cpu_ms ?? Number.NaN;
    const from = systemClock.monotonic();
    await sleep(SECONDS * 1000);
    const after = reader.reports.at(-1)?.cpu_ms ?? Number.NaN;
    return ((after - before) / (systemClock.monotonic() - from)) * 100;
  } finally {
    await end(reader);
  }
}

const countedOf = async ({ db }: Collecting): Promise<number> =>
  (
    await db.one<{ n: number }>(sql`/* bench.counted */
      select coalesce(sum(c.events), 0)::float8 as n from matriarch.log_counts c`)
  ).n;

interface Estate {
  readonly servers: readonly TestCluster[];
  readonly connections: number;
  readonly linesEach: number;
  readonly reach: number;
}

async function cost(datastore: TestCluster, name: string, estate: Estate): Promise<void> {
  const { servers, connections, linesEach, reach } = estate;
  const { house, url } = await newHouse(datastore, name);
  try {
    for (let n = 0; n < connections; n += 1) {
      const server = servers[n % servers.length];
      if (server) await house.connect(server, ROLE);
    }
    const without = await costOf(house, url, 'pulse');
    const stop = write(servers, linesEach);
    const withLogs = await costOf(house, url, 'logs');
    await stop();
    print(
      `${connections} connections, ${linesEach} lines/s each: ${(withLogs - without).toFixed(2)} % of a core for logs (to reach: ${reach} %), ` +
        `${without.toFixed(2)} % without; ${await countedOf(house)} events counted`,
    );
  } finally {
    await house.stop();
  }
}

/** All of one length, so that a position in the file is a number of lines. */
const floodLine = (at: number) =>
  `2026-11-28 10:00:00.000 UTC [${String(4000 + (at % 90))}] LE001 app@shop WARNING:  ledger ${String(at % 1e7).padStart(7, '0')}\n`;
const LINE_BYTES = floodLine(0).length;

async function flood(file: string): Promise<number> {
  const out = openSync(file, 'a');
  const perSlice = FLOOD_A_SECOND / SLICES;
  const started = systemClock.monotonic();
  let at = 0;
  for (let slice = 0; slice < SECONDS * SLICES; slice += 1) {
    let text = '';
    for (let n = 0; n < perSlice; n += 1) text += floodLine(at + n);
    at += perSlice;
    writeSync(out, text);
    await sleep(Math.max(0, started + ((slice + 1) * 1000) / SLICES - systemClock.monotonic()));
  }
  closeSync(out);
  return at;
}

interface Read {
  position: number;
  events: number;
  reason: string | null;
}

/** Position and counts change in one transaction, so one statement sees both of the same moment. */
const readOf = ({ db }: Collecting, id: number) =>
  db.one<Read>(sql`/* bench.read */
    select
      coalesce((
        select f.position from matriarch.log_files f where f.connection_id = ${id} and f.file_name = 'bench.log'
      ), 0)::float8 as position,
      coalesce((
        select sum(c.events) from matriarch.log_counts c where c.connection_id = ${id} and c.sqlstate = 'LE001'
      ), 0)::float8 as events,
      (select s.reason from matriarch.log_sources s where s.connection_id = ${id}) as reason`);

/** Times between round trips of a server, in seconds, as they are stored. */
function cadence(house: Collecting, id: number) {
  const seen = new Set<number>();
  const stopping = new AbortController();
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      const at = (await house.snapshot(id, 'pulse'))?.collected_at;
      if (at) seen.add(Date.parse(at));
      await sleep(250, stopping.signal);
    }
  })();
  return async () => {
    stopping.abort();
    await watching;
    const times = [...seen].sort((a, b) => a - b);
    return times.slice(1).map((time, index) => (time - (times[index] ?? time)) / 1000);
  };
}

async function flooded(datastore: TestCluster, [noisy, calm]: [TestCluster, TestCluster]): Promise<void> {
  const { house, url } = await newHouse(datastore, 'flooded');
  const id = await house.connect(noisy, ROLE);
  const other = await house.connect(calm, ROLE);
  appendFileSync(fileOf(noisy), '');
  const reader = startReader(house, url, 'flood');
  const rss = () => reader.reports.map(({ rss_bytes }) => rss_bytes);
  try {
    // Lines come before, so that what reading needs by itself is in what memory is compared with.
    appendFileSync(fileOf(noisy), Array.from({ length: 20_000 }, (_, at) => floodLine(at)).join(''));
    await sleep(WARM_SECONDS * 1000);
    const before = greatest(rss());
    const from = await readOf(house, id);
    const [stop, began] = [cadence(house, other), reader.reports.length];
    const written = await flood(fileOf(noisy));
    const said = await readOf(house, id);
    await sleep(30_000);
    const after = await readOf(house, id);
    const gaps = await stop();
    const most = greatest(rss().slice(began));
    const lines = (after.position - from.position) / LINE_BYTES;
    print(
      `flood: ${written} lines of ${LINE_BYTES} bytes in ${SECONDS} s, ${Math.round((written * LINE_BYTES) / MB)} MB`,
    );
    print(
      `  memory: ${Math.round(before / MB)} MB before, ${Math.round(most / MB)} MB at most: +${Math.round((most - before) / MB)} MB (to reach: 64 MB)`,
    );
    print(
      `  read so far: ${lines} lines by position, ${after.events - from.events} by counts (to reach: the same)`,
    );
    print(`  said at its end: ${said.reason ?? 'nothing'}`);
    print(
      `  the other server, read every second: longest gap ${greatest(gaps).toFixed(1)} s in ${gaps.length} readings`,
    );
    print(
      `  event loop p99 in the worst second: ${Math.round(greatest(reader.reports.slice(began).map(({ loop_p99_ms }) => loop_p99_ms)))} ms`,
    );
  } finally {
    await end(reader);
    await house.stop();
  }
}

const directory = makeRunDirectory();
try {
  await using datastore = await startIn(directory, { major: 18, settings: STORE_SETTINGS });
  if (wants('cost')) {
    const servers = await Promise.all(Array.from({ length: 10 }, () => loggingServer(directory)));
    await cost(datastore, 'one', { servers: servers.slice(0, 1), connections: 1, linesEach: 100, reach: 1 });
    await cost(datastore, 'hundred', { servers, connections: 100, linesEach: 10, reach: 10 });
    await Promise.all(servers.map((server) => server.stop()));
  }
  if (wants('flood')) {
    const [noisy, calm] = [await loggingServer(directory), await loggingServer(directory)];
    await flooded(datastore, [noisy, calm]);
    await Promise.all([noisy.stop(), calm.stop()]);
  }
} finally {
  removeRunDirectory(directory);
}
