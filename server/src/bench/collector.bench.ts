// P12 and P1–P3: from starting a collector to 1, 20, 100 sampled servers (several connections lead to each of five
// real ones, PostgreSQL 14–18, with four databases each), then full sweeps every five seconds. Prints figures beside
// the round trip of a bare `select 1`, judges nothing.
// Run: npm run bench -- collector [count …]
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
import { MAJORS, startIn, type TestCluster } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { print } from './print.ts';

const COUNTS = [1, 20, 100];
const STEADY_MS = 20_000;
const STEADY_INTERVAL_SECONDS = 5;
/** A role of its own, so that pg_stat_statements tells its statements apart. */
const ROLE = 'watcher';
const DATABASES = ['shop', 'payroll', 'archive'];

const ms = (value: number, digits = 0) => `${value.toFixed(digits)} ms`;

const frequent: Probe[] = probes.map((probe) => ({ ...probe, intervalSeconds: STEADY_INTERVAL_SECONDS }));

async function makeTargets(directory: string): Promise<TestCluster[]> {
  return Promise.all(
    MAJORS.map(async (major) => {
      const cluster = await startIn(directory, { major, settings: { 'pg_stat_statements.track': 'all' } });
      await cluster.query('create extension pg_stat_statements');
      await cluster.query(`create role ${ROLE} login superuser password '${ROLE}'`);
      for (const name of DATABASES) await cluster.query(`create database ${name}`);
      return cluster;
    }),
  );
}

async function bareRoundTrip(cluster: TestCluster): Promise<number> {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  const times: number[] = [];
  for (let n = 0; n < 300; n += 1) {
    const began = systemClock.monotonic();
    await client.query('select 1');
    times.push(systemClock.monotonic() - began);
  }
  await client.end();
  return times.sort((a, b) => a - b)[150] ?? 0;
}

interface TargetUse {
  exec_ms: number;
  calls: number;
  sessions: number;
}

/** What our statements cost the servers, by their own account, and how many sessions they ever saw. */
async function targetUse(clusters: readonly TestCluster[]): Promise<TargetUse> {
  const total = { exec_ms: 0, calls: 0, sessions: 0 };
  for (const cluster of clusters) {
    const [row] = await cluster.query(
      `select
         (select coalesce(sum(s.total_exec_time), 0) from pg_stat_statements s
          where s.userid = '${ROLE}'::regrole)::float8 as exec_ms,
         (select coalesce(sum(s.calls), 0) from pg_stat_statements s
          where s.userid = '${ROLE}'::regrole)::int as calls,
         (select sum(d.sessions) from pg_stat_database d)::int as sessions`,
    );
    total.exec_ms += Number(row?.exec_ms);
    total.calls += Number(row?.calls);
    total.sessions += Number(row?.sessions);
  }
  return total;
}

async function openSessions(clusters: readonly TestCluster[]): Promise<number[]> {
  return Promise.all(
    clusters.map(async (cluster) => {
      const [row] = await cluster.query(
        `select count(*)::int as n from pg_stat_activity where application_name = 'matriarch'`,
      );
      return Number(row?.n);
    }),
  );
}

/** Connections with their first sample, and with everything but the other databases, and with those too. */
async function progress(house: Collecting): Promise<{ first: number; server: number; all: number }> {
  return house.db.one(sql`
    /* bench.progress */
    select
      count(*) filter (where ran > 0) as first,
      count(*) filter (where servers >= 4) as server,
      count(*) filter (where servers >= 4 and databases >= 4) as all
    from (
      select
        count(*) as ran,
        count(*) filter (where database_name = '') as servers,
        count(*) filter (where database_name <> '') as databases
      from metrics.current_snapshots
      where collected_at is not null
      group by connection_id
    ) s`);
}

async function measureStart(house: Collecting, count: number): Promise<void> {
  const began = systemClock.monotonic();
  const at: Partial<Record<'first' | 'server' | 'all', number>> = {};
  const cpu = process.cpuUsage();
  while (at.all === undefined) {
    await sleep(20);
    const seen = await progress(house);
    const now = systemClock.monotonic() - began;
    if (seen.first > 0) at.first ??= now;
    if (seen.server >= count) at.server ??= now;
    if (seen.all >= count) at.all ??= now;
  }
  const used = process.cpuUsage(cpu);
  const cpuMs = (used.user + used.system) / 1000;
  print(`  first sample            ${ms(at.first ?? 0)}`);
  print(`  all servers sampled     ${ms(at.server ?? 0)}`);
  print(`  every database too      ${ms(at.all)}`);
  print(
    `  collector CPU           ${ms(cpuMs)}, ${ms(cpuMs / count, 1)} a server (connecting, this bench's polling included)`,
  );
}

async function attempts(house: Collecting): Promise<number> {
  const { runs } = await house.db.one<{ runs: number }>(sql`
    /* bench.attempts */
    select count(*) as runs from metrics.current_snapshots where collected_at > now() - interval '6 seconds'`);
  return runs;
}

async function measureSteady(
  house: Collecting,
  clusters: readonly TestCluster[],
  count: number,
): Promise<void> {
  await sleep(STEADY_INTERVAL_SECONDS * 1000);
  const before = await targetUse(clusters);
  const cpu = process.cpuUsage();
  await sleep(STEADY_MS);
  const used = process.cpuUsage(cpu);
  const after = await targetUse(clusters);
  const sweeps = (STEADY_MS / 1000 / STEADY_INTERVAL_SECONDS) * count;
  const cpuMs = (used.user + used.system) / 1000;
  const kept = await openSessions(clusters);
  print(`  full sweeps, each every ${STEADY_INTERVAL_SECONDS} s:`);
  print(`    collector CPU         ${ms(cpuMs / sweeps, 2)} a sweep`);
  print(
    `    server's time         ${ms((after.exec_ms - before.exec_ms) / sweeps, 2)} a sweep, ${((after.calls - before.calls) / sweeps).toFixed(1)} statements`,
  );
  print(`    new sessions          ${((after.sessions - before.sessions) / sweeps).toFixed(2)} a sweep`);
  print(`    open sessions         ${kept.join(', ')} on the five servers`);
  print(`    fresh snapshots       ${await attempts(house)} of ${count * 8}`);
  print(`    memory                ${(process.memoryUsage().rss / 1048576).toFixed(0)} MiB`);
}

async function measure(directory: string, clusters: readonly TestCluster[], count: number): Promise<void> {
  await using datastore = await startIn(directory, { major: 18, settings: { shared_buffers: '64MB' } });
  const url = new Secret(datastore.url);
  await migrate(url, silentLog);
  const house = await collecting(url);
  try {
    for (let n = 0; n < count; n += 1) {
      const cluster = clusters[n % clusters.length];
      if (cluster) await house.connect(cluster, { username: ROLE, password: ROLE });
    }
    print(`\n${count} connection${count === 1 ? '' : 's'}`);
    const before = await targetUse(clusters);
    const starting = systemClock.monotonic();
    house.start({ probes: frequent });
    await measureStart(house, count);
    const seconds = (systemClock.monotonic() - starting) / 1000;
    const opened = (await targetUse(clusters)).sessions - before.sessions;
    print(
      `  sessions opened         ${opened}, ${(opened / seconds).toFixed(1)} a second (this bench's few included)`,
    );
    await measureSteady(house, clusters, count);
  } finally {
    await house.stop();
  }
}

const asked = process.argv.slice(2).map(Number).filter(Number.isInteger);
const directory = makeRunDirectory();
try {
  const clusters = await makeTargets(directory);
  const bare = await Promise.all(clusters.map(bareRoundTrip));
  print(`bare select 1: ${bare.map((value) => ms(value, 3)).join(', ')} on PostgreSQL 14–18`);
  for (const count of asked.length > 0 ? asked : COUNTS) await measure(directory, clusters, count);
  await Promise.all(clusters.map((cluster) => cluster.stop()));
} finally {
  removeRunDirectory(directory);
}
