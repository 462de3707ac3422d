// P7: server information over HTTP, sign-in included, for 1, 20, 100 and 1,000 stored servers, beside a bare node:http
// server that sends the same bytes and a bare `select 1` on the same pool. The datastore is reached by its socket, as the
// PostgreSQL that the program brings. Memory is collected as in the product, the client
// has a thread of its own, and processor time is that of the API's thread and of the datastore's sessions: on a machine that
// others use it tells more than the time on the clock. Prints figures, judges nothing.
// Run: npm run bench -- server-info [count …]
import process from 'node:process';
import pg from 'pg';
import { createApi } from '../api/server.ts';
import { migrate } from '../datastore/migrate.ts';
import { estateRoutes } from '../estate/estate/estate.routes.ts';
import { serverInfoRoutes } from '../estate/server-info/server-info.routes.ts';
import { systemClock } from '../kernel/clock.ts';
import { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { makeUser } from '../testing/access/actors.ts';
import { type LoadOptions, type LoadResult, load } from '../testing/load.ts';
import { startIn, type TestCluster } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { socketUrl } from '../testing/servers/socket-url.ts';
import { CONFIG, log, plainServer } from './bench-api.ts';
import { print } from './print.ts';
import { ownMs } from './server-cpu.ts';
import { storeServers } from './stored-servers.ts';

const COUNTS = [1, 20, 100, 1000];
const REQUESTS = 3000;

interface Bench {
  db: Database;
  /** Where the API listens, and where plain node:http sends the same bytes. */
  origins: { api: string; plain: string };
  headers: Record<string, string>;
  count: number;
  stop(): Promise<void>;
}

async function newDatabase(cluster: TestCluster, name: string): Promise<Secret> {
  await cluster.query(`create database ${name}`);
  const secret = new Secret(socketUrl(cluster, name));
  await migrate(secret, silentLog);
  return secret;
}

async function startBench(cluster: TestCluster, count: number): Promise<Bench> {
  const url = await newDatabase(cluster, `servers_${count}`);
  const db = new Database({ url, log, applicationName: 'bench' });
  const { user_id, session } = await makeUser(db);
  await storeServers(db, { count, ownerId: user_id });
  const routes = [
    ...serverInfoRoutes({ analysis: { getServerAiAnalysis: async () => null } }),
    ...estateRoutes(),
  ];
  const api = await createApi({ db, routes, constraints: {}, log, clock: systemClock, config: CONFIG });
  const { url: origin } = await api.listen();
  const headers = { authorization: `Bearer ${session}` };
  const body = await (await fetch(`${origin}/api/v1/server-info/1`, { headers })).text();
  const plain = await plainServer(body);
  const stop = async () => {
    await plain.stop();
    await api.stop();
    await db.stop();
  };
  return { db, origins: { api: origin, plain: plain.origin }, headers, count, stop };
}

const padded = (value: number, digits: number, width: number) => value.toFixed(digits).padStart(width);

function report(name: string, connections: number, { p50_ms, p99_ms, per_second }: LoadResult): void {
  const figures = `p50 ${padded(p50_ms, 2, 7)} ms  p99 ${padded(p99_ms, 2, 7)} ms  ${padded(per_second, 0, 7)} /s`;
  print(`  ${name.padEnd(22)} ${String(connections).padStart(2)} at once  ${figures}`);
}

/** Milliseconds that the API's thread and the sessions of its pool have worked so far. */
async function worked(cluster: TestCluster): Promise<{ api: number; datastore: number }> {
  const sessions = await cluster.query(`select pid from pg_stat_activity where application_name = 'bench'`);
  const { user, system } = process.threadCpuUsage();
  return {
    api: (user + system) / 1000,
    datastore: sessions.reduce((sum, { pid }) => sum + ownMs(Number(pid)), 0),
  };
}

async function reportWork(cluster: TestCluster, options: LoadOptions): Promise<void> {
  const before = await worked(cluster);
  report('server-info', options.connections, await load(options));
  const after = await worked(cluster);
  const each = (kind: 'api' | 'datastore') => padded((after[kind] - before[kind]) / options.requests, 2, 4);
  print(`    processor time a request: API ${each('api')} ms, datastore ${each('datastore')} ms`);
}

async function selectOne(db: Database, connections: number): Promise<LoadResult> {
  const times: number[] = [];
  const statement = sql`/* bench.bare */ select 1`;
  const client = async () => {
    while (times.length < REQUESTS) {
      const began = systemClock.monotonic();
      await db.rows(statement);
      times.push(systemClock.monotonic() - began);
    }
  };
  const began = systemClock.monotonic();
  await Promise.all(Array.from({ length: connections }, client));
  const per_second = (times.length * 1000) / (systemClock.monotonic() - began);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
  return { p50_ms: at(0.5), p99_ms: at(0.99), per_second, bytes: 0 };
}

async function countedStatements(cluster: TestCluster, bench: Bench): Promise<number> {
  const url = new URL(cluster.url);
  const client = new pg.Client({ connectionString: url.toString() });
  await client.connect();
  await client.query('create extension if not exists pg_stat_statements');
  const count = async (): Promise<number> => {
    const { rows } = await client.query<{ calls: number }>(
      `select coalesce(sum(s.calls), 0)::int as calls from pg_stat_statements s
       join pg_database d on d.oid = s.dbid where d.datname = $1`,
      [`servers_${bench.count}`],
    );
    return rows[0]?.calls ?? 0;
  };
  const requests = 100;
  const before = await count();
  for (let n = 0; n < requests; n += 1) {
    const path = `${bench.origins.api}/api/v1/server-info/${1 + (n % bench.count)}`;
    await (await fetch(path, { headers: bench.headers })).arrayBuffer();
  }
  const statements = ((await count()) - before) / requests;
  await client.end();
  return statements;
}

async function measure(cluster: TestCluster, count: number): Promise<void> {
  const bench = await startBench(cluster, count);
  try {
    const paths = Array.from({ length: count }, (_, index) => `/api/v1/server-info/${index + 1}`);
    const { headers, origins, db } = bench;
    const common: Omit<LoadOptions, 'origin' | 'connections'> = { paths, headers, requests: REQUESTS };
    const { bytes } = await load({ ...common, origin: origins.api, connections: 10 });
    const statements = await countedStatements(cluster, bench);
    print(`${count} servers: ${bytes} bytes, ${statements} SQL statements a request`);
    for (const connections of [1, 10]) {
      for (const _round of [1, 2]) {
        await reportWork(cluster, { ...common, origin: origins.api, connections });
        report(
          'node:http, same bytes',
          connections,
          await load({ ...common, origin: origins.plain, connections }),
        );
        report('select 1', connections, await selectOne(db, connections));
      }
    }
    const estate = { ...common, paths: ['/api/v1/estate'], requests: Math.max(100, REQUESTS / count) };
    report('estate', 1, await load({ ...estate, origin: origins.api, connections: 1 }));
  } finally {
    await bench.stop();
  }
}

const wanted = process.argv.slice(2).map(Number).filter(Number.isInteger);
const runDirectory = makeRunDirectory();
try {
  const cluster = await startIn(runDirectory, { major: 18, settings: { shared_buffers: '128MB' } });
  for (const count of wanted.length > 0 ? wanted : COUNTS) await measure(cluster, count);
  await cluster.stop();
} finally {
  removeRunDirectory(runDirectory);
}
