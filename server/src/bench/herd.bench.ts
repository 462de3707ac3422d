// P4, many servers on one collector: CPU for each server, so how many a core holds, memory, and how fast they are
// connected to; then 1,000 connections shared by collectors, one of which is killed and another added: how many leases
// move. A server allows a connection's sessions by its identity (eight kept), so the servers are one real PostgreSQL 18
// with four databases of 75 tables, repeated under an identity for each connection (recorded-server.ts).
// Run: npm run bench -- herd [size|start|share] [connections …]; start is size without what follows the first reading.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { STORE_SETTINGS } from '../datastore/embedded.ts';
import { migrate } from '../datastore/migrate.ts';
import { sleep, systemClock } from '../kernel/clock.ts';
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
import { startWatched } from './watched-server.ts';

const COUNTS = [20, 100, 500];
const SHARED = 1000;
/** Between the first reading of all and what is measured: what the start brought is written by then. */
const SETTLE_SECONDS = 60;
const MEASURED_SECONDS = 60;
const TABLES = 75;
const DATABASES = 4;

const mib = (bytes: number) => (bytes / 1048576).toFixed(0);
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

const env = await programEnvironment();
const flags = await programFlags();

function run(file: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...flags, here(file), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.stdin?.end();
  await once(child, 'exit');
}

interface Herder {
  child: ChildProcess;
  /** Of the last second; undefined before the first. */
  report(): HerdReport | undefined;
  /** The worst second since it was asked last. */
  worstP99(): number;
  /** Resident memory at any second. */
  mostBytes(): number;
}

function herder(house: Collecting, url: string, wanted: 'all' | 'pulse'): Herder {
  const child = run('herd-collector.ts', [url, house.keyFile, wanted]);
  let newest: HerdReport | undefined;
  let worst = 0;
  let most = 0;
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      newest = JSON.parse(line);
      worst = Math.max(worst, newest?.loop_p99_ms ?? 0);
      most = Math.max(most, newest?.rss_bytes ?? 0);
    });
  return {
    child,
    report: () => newest,
    worstP99: () => {
      const told = worst;
      worst = 0;
      return told;
    },
    mostBytes: () => most,
  };
}

async function newHouse(datastore: TestCluster, name: string): Promise<{ house: Collecting; url: string }> {
  await datastore.query(`create database ${name}`);
  const url = socketUrl(datastore, name);
  const secret = new Secret(url);
  await migrate(secret, silentLog);
  return { house: await collecting(secret), url };
}

async function addServers(house: Collecting, port: number, count: number): Promise<void> {
  const server = { host: '127.0.0.1', port, superuser: '', password: 'none' };
  for (let n = 0; n < count; n += 1) await house.connect(server, { username: `m${n}` });
}

/** Connections of which that many databases have been read. */
async function read(house: Collecting, databases: number): Promise<number> {
  const { done } = await house.db.one<{ done: number }>(sql`/* bench.read */
    select count(*)::int as done
    from (
      select s.connection_id
      from metrics.current_snapshots s
      where s.probe = 'pg_stat_database' and s.collected_at is not null
      group by s.connection_id
      having count(*) >= ${databases}::integer
    ) whole`);
  return done;
}

/** Between two runs of the probe that runs every 30 s, the later of them in these last seconds; seconds. */
async function gapP99(house: Collecting, seconds: number): Promise<number> {
  const { p99 } = await house.db.one<{ p99: number }>(sql`/* bench.gaps */
    select coalesce(percentile_cont(0.99) within group (order by extract(epoch from g.gap)), 'NaN')::float8 as p99
    from (
      select
        c.collected_at,
        c.collected_at - lag(c.collected_at) over (partition by c.connection_id order by c.collected_at) as gap
      from metrics.pg_connectivity c
    ) g
    where g.collected_at > now() - make_interval(secs => ${seconds})`);
  return p99;
}

/** Probes that are read less often since they seemed to cost too much. */
async function slowed(house: Collecting): Promise<number> {
  const { slow } = await house.db.one<{ slow: number }>(sql`/* bench.slowed */
    select count(*)::int as slow from matriarch.probe_costs c where c.note is not null`);
  return slow;
}

async function size(
  datastore: TestCluster,
  port: number,
  { count, startAlone }: { count: number; startAlone: boolean },
): Promise<void> {
  const { house, url } = await newHouse(datastore, `herd_${startAlone ? 'start_' : ''}${count}`);
  await addServers(house, port, count);
  const began = systemClock.monotonic();
  const one = herder(house, url, 'all');
  try {
    while ((await read(house, 1)) < count) await sleep(500);
    const once = (systemClock.monotonic() - began) / 1000;
    while ((await read(house, DATABASES)) < count) await sleep(500);
    const started = (systemClock.monotonic() - began) / 1000;
    const first = one.report();
    print(`\n${count} servers`);
    print(
      `  each of them read for the first time after ${once.toFixed(0)} s; all databases of all of them in ${started.toFixed(0)} s, four sessions each ` +
        `(${((4 * count) / started).toFixed(0)} connects a second, at most 50), ` +
        `${((first?.cpu_ms ?? 0) / count).toFixed(0)} ms of CPU each`,
    );
    const gap = await gapP99(house, started);
    print(
      `  30 s probe              ${Number.isNaN(gap) ? 'not twice' : `gap p99 ${gap.toFixed(1)} s`} meanwhile`,
    );
    if (startAlone) return;
    await sleep(SETTLE_SECONDS * 1000);
    const [startLoop, startGap] = [one.worstP99(), await gapP99(house, started + SETTLE_SECONDS)];
    const before = one.report();
    await sleep(MEASURED_SECONDS * 1000);
    const after = one.report();
    if (!before || !after) throw new Error('the collector told nothing');
    const each = (after.cpu_ms - before.cpu_ms) / MEASURED_SECONDS / count;
    print(
      `  P4 CPU                  ${each.toFixed(3)} ms a second and server: ` +
        `${(1000 / each).toFixed(0)} servers a core (to reach 2,000)`,
    );
    print(
      `  P4 memory               ${mib(after.rss_bytes)} MiB (to reach 512 with 1,000), ${mib(before.rss_bytes)} ` +
        `a minute before, ${mib(one.mostBytes())} at most`,
    );
    print(
      `  event loop              p99 ${one.worstP99().toFixed(0)} ms in the worst second of the minute ` +
        `(to reach 50), ${startLoop.toFixed(0)} ms of the start`,
    );
    print(
      `  30 s probe              gap p99 ${(await gapP99(house, MEASURED_SECONDS)).toFixed(1)} s in that minute ` +
        `(to reach 33), ${startGap.toFixed(1)} s of the start; ${await slowed(house)} probes slowed down`,
    );
  } finally {
    await end(one.child);
    await house.stop();
  }
}

const held = (all: readonly Herder[]) => all.map((one) => one.report()?.holding ?? []);

/** Resolves when the collectors hold all of them, each about its share; answers who holds what. */
async function settled(all: readonly Herder[], count: number): Promise<Map<number, number>> {
  const share = Math.ceil(count / all.length);
  for (;;) {
    const lists = held(all);
    const owners = new Map(lists.flatMap((list, index) => list.map((id) => [id, index] as const)));
    if (owners.size === count && lists.every((list) => list.length <= share)) return owners;
    await sleep(200);
  }
}

async function shared(datastore: TestCluster, port: number, count: number): Promise<void> {
  const { house, url } = await newHouse(datastore, `shared_${count}`);
  await addServers(house, port, count);
  const all: Herder[] = [];
  const timed = async (what: string, before: Map<number, number>, now: readonly Herder[]) => {
    const began = systemClock.monotonic();
    const after = await settled(now, count);
    const moved = [...after].filter(([id, owner]) => {
      const was = before.get(id);
      return was !== undefined && all[was] !== now[owner];
    }).length;
    const seconds = ((systemClock.monotonic() - began) / 1000).toFixed(1);
    print(`  ${what}: ${moved} leases moved in ${seconds} s`);
  };
  try {
    print(`\n${count} connections shared by collectors`);
    all.push(herder(house, url, 'pulse'), herder(house, url, 'pulse'));
    const began = systemClock.monotonic();
    const two = await settled(all, count);
    print(
      `  two collectors hold their halves after ${((systemClock.monotonic() - began) / 1000).toFixed(1)} s`,
    );
    all.push(herder(house, url, 'pulse'));
    await timed(`a third is added, whose share is ${Math.floor(count / 3)}`, two, all);
    const three = await settled(all, count);
    await sleep(20_000);
    print(
      `  event loop p99 in the worst second: ${all.map((one) => one.worstP99().toFixed(0)).join(', ')} ms; memory ` +
        `${all.map((one) => ((one.report()?.rss_bytes ?? 0) / 1048576).toFixed(0)).join(', ')} MiB`,
    );
    all[1]?.child.kill('SIGKILL');
    const left = all.filter((_, index) => index !== 1);
    const lost = [...three.values()].filter((owner) => owner === 1).length;
    await timed(`one is killed that held ${lost}`, three, left);
  } finally {
    await Promise.all(all.map(({ child }) => end(child)));
    await house.stop();
  }
}

const asked = process.argv.slice(2);
const wants = (part: string) => !asked.some((word) => /^[a-z]/.test(word)) || asked.includes(part);
const sizes = asked.map(Number).filter(Number.isInteger);
const directory = makeRunDirectory();
try {
  await using datastore = await startIn(directory, { major: 18, settings: STORE_SETTINGS });
  const real = await startWatched(directory, { tables: TABLES });
  const recorded = run('recorded-server.ts', [real.cluster.socketDir, String(real.cluster.port)]);
  const [said] = recorded.stdout ? await once(recorded.stdout, 'data') : ['0'];
  const port = Number(String(said).trim());
  const startAlone = asked.includes('start');
  if (startAlone || wants('size'))
    for (const count of sizes.length > 0 ? sizes : COUNTS) await size(datastore, port, { count, startAlone });
  if (wants('share')) await shared(datastore, port, sizes[0] ?? SHARED);
  await end(recorded);
  await real.stop();
} finally {
  removeRunDirectory(directory);
}
