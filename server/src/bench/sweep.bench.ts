// P1–P3, one monitored server with four databases: what a full sweep costs the collector and the server, every two seconds and
// every five minutes (where the code runs cold), what watching
// with a sample of active sessions every second takes of one core, how many sessions and round trips it needs, and what
// a load on the server loses by being watched (A B A B). Prints figures beside what is to be reached, judges nothing.
// Run: npm run bench -- sweep [sweeps|trips|cold|share|loss] [tables in each database …] [touched=tables of each that change]
import process from 'node:process';
import pg from 'pg';
import { migrate } from '../datastore/migrate.ts';
import { sleep, systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { probes } from '../probes/catalog.gen.ts';
import type { Probe } from '../probes/types.ts';
import { type Collecting, collecting } from '../testing/collecting.ts';
import { startIn, type TestCluster } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { socketUrl } from '../testing/servers/socket-url.ts';
import { print } from './print.ts';
import { startRelay } from './relay.ts';
import { cpuBetween, readCpu } from './server-cpu.ts';
import { ROLE, startWatched, type WatchedServer } from './watched-server.ts';

const PARTS = ['sweeps', 'trips', 'cold', 'share', 'loss'] as const;
const SWEEP_SECONDS = 2;
/** Until the compiler has seen what is hot. */
const WARM_SWEEPS = 15;
const SWEEPS = 15;
const COLD_SECONDS = 300;
const COLD_ROUNDS = 2;
const BUCKET_SECONDS = 10;
const SHARE_SECONDS = 60;
const SETTLE_MS = 15_000;
const ROUND_MS = 10_000;
const ROUNDS = 6;
const CLIENTS = 2;

const ms = (value: number) => `${value.toFixed(1)} ms`;
const ownMs = (used: NodeJS.CpuUsage) => (used.user + used.system) / 1000;

const frequent: Probe[] = probes.map((probe) => ({ ...probe, intervalSeconds: SWEEP_SECONDS }));

async function newHouse(datastore: TestCluster, name: string): Promise<Collecting> {
  await datastore.query(`create database ${name}`);
  const secret = new Secret(socketUrl(datastore, name));
  await migrate(secret, silentLog);
  return collecting(secret);
}

const watcher = { username: ROLE, password: ROLE };

async function sweptRows(house: Collecting, id: number): Promise<{ sweeps: number; rows: number }> {
  return house.db.one(sql`
    /* bench.swept */
    select
      (
        select count(distinct d.collected_at)
        from metrics.pg_stat_database d
        where d.connection_id = ${id} and d.database_name = 'payroll'
      ) as sweeps,
      (select sum(s.row_count) from metrics.current_snapshots s where s.connection_id = ${id})::int as rows`);
}

/** Resolves once every database was read. */
async function firstSweep(house: Collecting, id: number): Promise<void> {
  while ((await house.snapshot(id, 'pg_stat_database', 'shop'))?.collected_at == null) await sleep(100);
  await sleep(2000);
}

/** CPU time of our own and of the server's over some seconds. */
async function cpuIn(server: WatchedServer, seconds: number): Promise<{ own: number; servers: number }> {
  const cpu = process.cpuUsage();
  const before = readCpu(server.cluster.pid, await server.backends());
  await sleep(seconds * 1000);
  const own = ownMs(process.cpuUsage(cpu));
  return { own, servers: cpuBetween(before, readCpu(server.cluster.pid, await server.backends())) };
}

async function sweeps(server: WatchedServer, datastore: TestCluster, name: string): Promise<void> {
  const house = await newHouse(datastore, name);
  try {
    const id = await house.connect(server.cluster, watcher);
    server.touch();
    house.start({ probes: frequent });
    await firstSweep(house, id);
    await sleep(WARM_SWEEPS * SWEEP_SECONDS * 1000);
    const from = await sweptRows(house, id);
    const { own, servers } = await cpuIn(server, SWEEPS * SWEEP_SECONDS);
    const to = await sweptRows(house, id);
    const count = to.sweeps - from.sweeps;
    print(
      `  ${count} full sweeps of all ${probes.length} probes but those of the machine, ${to.rows} rows each`,
    );
    print(`  P1 collector CPU        ${ms(own / count)} a sweep (to reach 40)`);
    print(
      `  P2 server CPU           ${ms(servers / count)} a sweep, starting sessions included (to reach 60)`,
    );
  } finally {
    await house.stop();
  }
}

async function trips(server: WatchedServer, datastore: TestCluster, name: string): Promise<void> {
  const house = await newHouse(datastore, name);
  const relay = await startRelay(server.cluster.port);
  try {
    const id = await house.connect({ ...server.cluster, port: relay.port }, watcher);
    const collector = house.start({ probes: frequent });
    await firstSweep(house, id);
    const from = { ...relay.counts, ...(await sweptRows(house, id)) };
    let most = 0;
    const until = systemClock.monotonic() + 4 * SWEEP_SECONDS * 1000;
    while (systemClock.monotonic() < until) {
      most = Math.max(most, (await server.backends()).length);
      await sleep(3);
    }
    const to = { ...relay.counts, ...(await sweptRows(house, id)) };
    const count = to.sweeps - from.sweeps;
    const opened = (to.connections - from.connections) / count;
    const all = (to.roundTrips - from.roundTrips) / count;
    print(`  P3 sessions             ${most} at most (to reach 1 kept and 1 that comes and goes)`);
    print(
      `  P3 round trips          ${all.toFixed(1)} a sweep (to reach 14), over ${opened.toFixed(1)} new sessions; ` +
        `${((to.bytesDown - from.bytesDown) / count / 1024).toFixed(0)} KiB received`,
    );
    await collector.stop();
  } finally {
    relay.stop();
    await house.stop();
  }
}

/** What all of them took above that many times the middle one. */
function beyondMedian(values: readonly number[]): { median: number; beyond: number } {
  const median = [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  return { median, beyond: values.reduce((sum, value) => sum + value, 0) - median * values.length };
}

/**
 * Every probe once in five minutes, when it is due: most of what runs then has not run for a while. What is done all the
 * time is taken off: the pings and samples of every second, by the median of ten seconds each.
 */
async function cold(server: WatchedServer, datastore: TestCluster, name: string): Promise<void> {
  const house = await newHouse(datastore, name);
  try {
    const id = await house.connect(server.cluster, watcher);
    server.touch();
    house.start({ probes: probes.map((probe) => ({ ...probe, intervalSeconds: COLD_SECONDS })) });
    await firstSweep(house, id);
    await sleep(SETTLE_MS);
    print(`  cold, every ${COLD_SECONDS} s`);
    for (let round = 0; round < COLD_ROUNDS; round += 1) {
      const buckets: { own: number; servers: number }[] = [];
      for (let seconds = 0; seconds < COLD_SECONDS; seconds += BUCKET_SECONDS)
        buckets.push(await cpuIn(server, BUCKET_SECONDS));
      const own = beyondMedian(buckets.map((bucket) => bucket.own));
      const servers = beyondMedian(buckets.map((bucket) => bucket.servers));
      print(
        `     collector CPU        ${ms(own.beyond)} a sweep (to reach 150), beside ` +
          `${ms(own.median)} each ${BUCKET_SECONDS} s`,
      );
      print(
        `     server CPU           ${ms(servers.beyond)} a sweep, starting sessions included, beside ${ms(servers.median)}`,
      );
    }
  } finally {
    await house.stop();
  }
}

/** As declared, with a session that is always active, so that the active ones are sampled every second. */
async function share(server: WatchedServer, datastore: TestCluster, name: string): Promise<void> {
  const house = await newHouse(datastore, name);
  const busy = new pg.Client({ connectionString: server.cluster.url });
  try {
    busy.on('error', () => undefined);
    await busy.connect();
    busy.query('select pg_sleep(3600)').catch(() => undefined);
    const id = await house.connect(server.cluster, watcher);
    house.start({ writeDownMs: 5000 });
    await firstSweep(house, id);
    await sleep(SETTLE_MS);
    const { own: used, servers: took } = await cpuIn(server, SHARE_SECONDS);
    const percent = (value: number) => `${(value / SHARE_SECONDS / 10).toFixed(2)} %`;
    print(`  P2 share of a core      ${percent(took)} of the server in ${SHARE_SECONDS} s (to reach 0.5)`);
    print(`     the collector        ${percent(used)} of a core for this server`);
    const own = await house.db.one<{ percent: number }>(sql`/* bench.own_cost */
      select sum(cost_percent) as percent from matriarch.probe_costs where connection_id = ${id}`);
    print(
      `     by its own account   ${own.percent?.toFixed(2)} %, probes of every five minutes and longer included`,
    );
  } finally {
    await busy.end();
    await house.stop();
  }
}

/** Short transactions, as many as they come; answers how many a second. */
async function drive(clients: readonly pg.Client[]): Promise<number> {
  const until = systemClock.monotonic() + ROUND_MS;
  const counts = await Promise.all(
    clients.map(async (client, n) => {
      let done = 0;
      while (systemClock.monotonic() < until) {
        await client.query({
          name: 'touch',
          text: 'update accounts set balance = balance + 1 where id = $1',
          values: [1 + ((done * CLIENTS + n) % 1000)],
        });
        done += 1;
      }
      return done;
    }),
  );
  return (counts.reduce((sum, count) => sum + count, 0) * 1000) / ROUND_MS;
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function loss(server: WatchedServer, datastore: TestCluster, name: string): Promise<void> {
  const house = await newHouse(datastore, name);
  await server.session.query('create table accounts (id integer primary key, balance integer)');
  await server.session.query('insert into accounts select g, 0 from generate_series(1, 1000) g');
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const client = new pg.Client({ connectionString: server.cluster.url });
      await client.connect();
      return client;
    }),
  );
  const ratios: number[] = [];
  try {
    const id = await house.connect(server.cluster, watcher);
    await drive(clients);
    for (let round = 0; round < ROUNDS; round += 1) {
      const alone = await drive(clients);
      const collector = house.start();
      await firstSweep(house, id);
      await sleep(3000);
      const watched = await drive(clients);
      await collector.stop();
      ratios.push(watched / alone);
      print(`     ${alone.toFixed(0)} transactions a second alone, ${watched.toFixed(0)} while watched`);
    }
    const lost = (ratio: number) => `${(100 * (1 - ratio)).toFixed(1)} %`;
    print(
      `  P2 loss of a load       ${lost(median(ratios))} (median of ${ROUNDS} pairs, from ${lost(Math.max(...ratios))} to ` +
        `${lost(Math.min(...ratios))}; load, collector and datastore share this machine; to reach 1 %)`,
    );
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await house.stop();
  }
}

const RUN = { sweeps, trips, cold, share, loss } as const;
const asked = process.argv.slice(2);
const parts = PARTS.filter((part) => asked.includes(part));
const sizes = asked.map(Number).filter(Number.isInteger);
const touchedText = asked.find((one) => one.startsWith('touched='))?.slice('touched='.length);
const touched = touchedText === undefined ? undefined : Number(touchedText);
const directory = makeRunDirectory();
try {
  await using datastore = await startIn(directory, { major: 18, settings: { shared_buffers: '64MB' } });
  for (const tables of sizes.length > 0 ? sizes : [75]) {
    print(`\nfour databases with ${tables} tables each`);
    const server = await startWatched(directory, { tables, touched: touched ?? tables });
    for (const part of parts.length > 0 ? parts : PARTS)
      await RUN[part](server, datastore, `house_${tables}_${part}`);
    await server.stop();
  }
} finally {
  removeRunDirectory(directory);
}
