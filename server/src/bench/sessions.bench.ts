// Sampling active sessions every second: what one sample costs a server with 50 active of 120 sessions, what a day of
// 50 active sessions takes as stored, and what 100 connections cost the collector and the datastore.
// Run: npm run bench -- sessions
import pg from 'pg';
import { probeStatement } from '../collector/probe.queries.ts';
import { migrate } from '../datastore/migrate.ts';
import { activeSessions } from '../history/performance/active-sessions.ts';
import type { ActiveSessionsQuery } from '../history/performance/load-plan.ts';
import { sleep, systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { identifier, sql } from '../kernel/sql.ts';
import { HOUR_MS } from '../kernel/units.ts';
import { probe } from '../probes/pg-active-sessions.ts';
import { probe as connectivity } from '../probes/pg-connectivity.ts';
import type { Probe } from '../probes/types.ts';
import { runCompaction } from '../store/compact/compact.ts';
import { plain } from '../store/layout/engine/plain.ts';
import { layoutOf } from '../store/layout/table-layout.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { type Collecting, collecting } from '../testing/collecting.ts';
import { MAJORS, startIn, type TestCluster } from '../testing/servers/cluster.ts';
import { sessionOn } from '../testing/servers/probing.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { keptRun } from '../testing/store/kept-probes.ts';
import { print } from './print.ts';
import { ACTIVE, workload } from './session-workload.ts';

const IDLE = 70;
const CONNECTIONS = 100;
/** As many connections to one server keep their sessions. */
const BY_SERVER = 8;
const STEADY_MS = 20_000;
const SAMPLES = 3600;
const DAY_SAMPLES = 86_400;

const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

async function sessions(server: TestCluster, count: number, text: string): Promise<pg.Client[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const client = new pg.Client({ connectionString: server.url, application_name: `app ${n % 10}` });
      client.on('error', () => undefined);
      await client.connect();
      client.query(text).catch(() => undefined);
      return client;
    }),
  );
}

async function costOfOne(directory: string, major: (typeof MAJORS)[number]): Promise<void> {
  const settings = { compute_query_id: 'on', max_connections: 200, 'pg_stat_statements.track': 'all' };
  await using server = await startIn(directory, { major, settings });
  await server.query('create extension pg_stat_statements');
  const others = [
    ...(await sessions(server, ACTIVE, 'select pg_sleep(600)')),
    ...(await sessions(server, IDLE, 'select 1')),
  ];
  const session = await sessionOn(server);
  const text = probeStatement(probe, session.capabilities);
  const times: number[] = [];
  for (let n = 0; n < 300; n += 1) {
    const began = systemClock.monotonic();
    await session.client.query(text);
    times.push(systemClock.monotonic() - began);
  }
  const [row] = await server.query(
    `select sum(total_exec_time + total_plan_time) / sum(calls) as ms, sum(calls)::int as calls
     from pg_stat_statements where query like '%pg_stat_get_activity%' and calls > 100`,
  );
  const [planned] = await server.query(`explain (analyze, format json) ${text}`);
  const plan = JSON.stringify(planned);
  const planning = Number(/"Planning Time": ?([0-9.]+)/.exec(plan)?.[1]);
  const round = times.sort((a, b) => a - b)[150] ?? 0;
  print(
    `  PostgreSQL ${major}: ${Number(row?.ms).toFixed(2)} ms executing, ${planning.toFixed(2)} ms planning, ` +
      `${round.toFixed(2)} ms round trip (median)`,
  );
  await session.client.close();
  await server.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name like $$app %$$',
  );
  await Promise.all(others.map((client) => client.end().catch(() => undefined)));
}

interface Sizes {
  ticks: number;
  packed: number;
  minutes: number;
  objects: number;
  named: number;
}

/** Partitions of a table, with indexes and out-of-line values. */
const partitions = (name: string) => sql`(
  select coalesce(sum(pg_total_relation_size(i.inhrelid)), 0)
  from pg_inherits i
  where i.inhparent = to_regclass(${`metrics.${name}`}::text)
)::float8`;

const sizeOf = (house: Collecting): Promise<Sizes> =>
  house.db.one(sql`
    /* bench.sizes */
    select
      ${partitions('pg_active_sessions__ticks')} as ticks,
      ${partitions('pg_active_sessions__packed')} as packed,
      ${partitions('pg_active_sessions__m1')} as minutes,
      pg_total_relation_size('metrics.objects')::float8 as objects,
      (select count(*) from metrics.objects) as named`);

const layout = layoutOf(probe);

async function timedRead(house: Collecting, query: ActiveSessionsQuery): Promise<string> {
  const times: number[] = [];
  for (let n = 0; n < 15; n += 1) {
    const began = systemClock.monotonic();
    await activeSessions(house.db, query);
    times.push(systemClock.monotonic() - began);
  }
  times.sort((a, b) => a - b);
  return `p50 ${(times[7] ?? 0).toFixed(0)} ms, p99 ${(times[14] ?? 0).toFixed(0)} ms`;
}

/** The hour as it is packed, and the reads that follow; the minutes of the hour stand in for those of the day. */
async function packed(house: Collecting, id: number, start: number): Promise<void> {
  const began = systemClock.monotonic();
  const layouts = layout ? [layout] : [];
  const { problems } = await runCompaction({ db: house.db, layouts, now: start + 3 * HOUR_MS });
  const took = systemClock.monotonic() - began;
  for (const table of ['pg_active_sessions__packed', 'pg_active_sessions__m1'])
    for (const { name } of await plain.partitions(house.db, [table]))
      await house.db.run(sql`vacuum full metrics.${identifier(name)}`);
  const size = await sizeOf(house);
  print(
    `    packed in ${(took / 1000).toFixed(1)} s: ${mb(size.packed * 24)} a day, minutes by class of wait ${mb(size.minutes * 24)} a day ${problems.join(' ')}`,
  );
  const window = { connection_id: id, from: start, to: start + HOUR_MS, buckets: 120 };
  print(`    1 h in 120 buckets, packed: ${await timedRead(house, window)}`);
  await house.db.run(sql`
    /* bench.repeat */
    insert into metrics.pg_active_sessions__m1 (
      connection_id, database_name, collected_at, runs, covered_seconds, wait_classes, session_seconds
    )
    select
      r.connection_id, r.database_name, r.collected_at - n * interval '1 hour', r.runs, r.covered_seconds,
      r.wait_classes, r.session_seconds
    from metrics.pg_active_sessions__m1 r
    cross join generate_series(1, 23) n`);
  const day = { ...window, from: start - 23 * HOUR_MS, buckets: 288 };
  print(`    24 h in 288 buckets, by minutes: ${await timedRead(house, day)}`);
}

async function storage(directory: string): Promise<void> {
  for (const changing of [5, 50, 100]) {
    await using datastore = await startIn(directory, { major: 18 });
    const url = new Secret(datastore.url);
    await migrate(url, silentLog);
    const house = await collecting(url);
    try {
      const id = await house.connect(datastore);
      await house.db.run(sql`
        insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
        values (${id}, 'bench', 1, now() + interval '1 day')`);
      const writer = new MetricsWriter({ db: house.db, log: silentLog, clock: systemClock, probes: [probe] });
      const next = workload(changing);
      const midnight = Math.floor(systemClock.now() / 86_400_000) * 86_400_000;
      const start = midnight - HOUR_MS;
      const began = systemClock.monotonic();
      let rows = 0;
      for (let n = 0; n < SAMPLES; n += 1) {
        const found = next();
        rows += found.length;
        writer.add(keptRun(probe, { connection_id: id, at: start + n * 1000, rows: found }));
        if (n % 60 === 59) await writer.flush();
      }
      const wrote = systemClock.monotonic() - began;
      // The keyframe after the hour, without which its ticks would be needed as they are.
      writer.add(keptRun(probe, { connection_id: id, at: start + SAMPLES * 1000, rows: next() }));
      await writer.stop();
      const size = await sizeOf(house);
      const day = (size.ticks * DAY_SAMPLES) / SAMPLES;
      print(
        `  ${changing} % of sessions change each second: ${mb(day)} a day as stored hot, ` +
          `${(size.ticks / SAMPLES).toFixed(0)} bytes a sample, ${(size.ticks / rows).toFixed(1)} a combination; ` +
          `dictionary ${mb(size.objects)} after an hour (${size.named} names); ${(wrote / SAMPLES).toFixed(2)} ms to write a sample`,
      );
      for (const hours of [0.25, 1]) {
        const window = { connection_id: id, from: start, to: start + hours * HOUR_MS, buckets: 120 };
        print(`    ${hours} h in 120 buckets, raw: ${await timedRead(house, window)}`);
      }
      await packed(house, id, start);
    } finally {
      await house.stop();
    }
  }
}

interface Counted {
  samples: number;
  commits: number;
  wal_bytes: number;
}

const counted = (house: Collecting): Promise<Counted> =>
  house.db.one(sql`
    /* bench.counted */
    select
      (select count(distinct (t.connection_id, t.collected_at)) from metrics.${identifier('pg_active_sessions__ticks')} t)
        as samples,
      (select xact_commit from pg_stat_database where datname = current_database()) as commits,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal_bytes`);

async function many(directory: string, busy: boolean): Promise<void> {
  await using datastore = await startIn(directory, { major: 18, settings: { shared_buffers: '64MB' } });
  const url = new Secret(datastore.url);
  await migrate(url, silentLog);
  const house = await collecting(url);
  const servers: TestCluster[] = [];
  try {
    for (let n = 0; n < Math.ceil(CONNECTIONS / BY_SERVER); n += 1)
      servers.push(await startIn(directory, { major: 18, settings: { shared_buffers: '8MB' } }));
    for (let n = 0; n < CONNECTIONS; n += 1) {
      const server = servers[n % servers.length];
      if (server) await house.connect(server);
    }
    const load = busy
      ? (await Promise.all(servers.map((server) => sessions(server, 3, 'select pg_sleep(600)')))).flat()
      : [];
    const probes: Probe[] = [probe, connectivity];
    house.start({ probes });
    await sleep(busy ? 10_000 : 60_000);
    const before = await counted(house);
    const cpu = process.cpuUsage();
    await sleep(STEADY_MS);
    const used = process.cpuUsage(cpu);
    const after = await counted(house);
    const samples = after.samples - before.samples;
    const seconds = STEADY_MS / 1000;
    const cpuMs = (used.user + used.system) / 1000;
    print(
      `  ${busy ? 'active' : 'calm'}: ${(samples / seconds).toFixed(1)} samples a second, ` +
        `${(cpuMs / samples).toFixed(2)} ms of the collector's CPU each (${(cpuMs / seconds / 10).toFixed(1)} % of a core), ` +
        `datastore ${((after.commits - before.commits) / seconds).toFixed(1)} commits and ` +
        `${((after.wal_bytes - before.wal_bytes) / 1024 / seconds).toFixed(0)} KiB of WAL a second`,
    );
    await Promise.all(
      servers.map((server) =>
        server.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where application_name like $$app %$$',
        ),
      ),
    );
    await Promise.all(load.map((client) => client.end().catch(() => undefined)));
  } finally {
    await house.stop();
    await Promise.all(servers.map((server) => server.stop()));
  }
}

const asked = process.argv.slice(2);
const wants = (part: string) => asked.length === 0 || asked.includes(part);
const directory = makeRunDirectory();
try {
  if (wants('cost')) {
    print(`one sample, ${ACTIVE} active and ${IDLE} idle sessions:`);
    for (const major of MAJORS) await costOfOne(directory, major);
  }
  if (wants('storage')) {
    print(`a day of ${ACTIVE} active sessions:`);
    await storage(directory);
  }
  if (wants('many')) {
    print(`${CONNECTIONS} connections to ${Math.ceil(CONNECTIONS / BY_SERVER)} servers:`);
    for (const busy of [true, false]) await many(directory, busy);
  }
} finally {
  removeRunDirectory(directory);
}
