// GET /clusters over HTTP, sign-in included, for 100 and 1,000 stored servers in clusters of ten, half of them stored,
// with relationships and the newest runs of forty probes, beside GET /estate and a bare node:http server that sends the
// same bytes. A miss is made by telling each request that something has changed. Prints figures, judges nothing; each
// line takes six seconds at most. Run: npm run bench -- clusters [count …]
import process from 'node:process';
import { createApi } from '../api/server.ts';
import { migrate } from '../datastore/migrate.ts';
import { clustersRoutes } from '../estate/clusters/clusters.routes.ts';
import { estateRoutes } from '../estate/estate/estate.routes.ts';
import { systemClock } from '../kernel/clock.ts';
import { Database, type Db } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { type Sql, sql } from '../kernel/sql.ts';
import { makeUser } from '../testing/access/actors.ts';
import { type LoadResult, load } from '../testing/load.ts';
import { startIn, type TestCluster } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { socketUrl } from '../testing/servers/socket-url.ts';
import { countedDb } from '../testing/store/counted-db.ts';
import { CONFIG, log, plainServer } from './bench-api.ts';
import { print } from './print.ts';

// As the product collects.

const COUNTS = [100, 1000];
const REQUESTS = 1000;
const SECONDS = 6;

async function storeEstate(db: Db, count: number, ownerId: number): Promise<void> {
  await db.run(sql`/* bench.clusters */
    insert into matriarch.clusters (name, auto_cluster_key)
    select 'cluster ' || n, 'binary:' || n * 10 + 1 from generate_series(0, ${count}::int / 10 - 1, 2) n`);
  await db.run(sql`/* bench.connections */
    insert into matriarch.connections
      (id, owner_id, name, host, port, database_name, username, is_monitored, cluster_id)
    select n, ${ownerId}, 'server-' || n, 'db' || n || '.example.com', 5432, 'postgres', 'matriarch', true,
      (select cl.id from matriarch.clusters cl where cl.auto_cluster_key = 'binary:' || (n - 1) / 10 * 10 + 1)
    from generate_series(1, ${count}::int) n`);
  await db.run(sql`/* bench.nodes */
    insert into matriarch.topology_nodes (connection_id, cluster_key, primary_role, parent_connection_id, version, os,
      detected_at)
    select n,
      case when (n - 1) / 10 % 2 = 0 then 'binary:' || (n - 1) / 10 * 10 + 1 else 'spock:label' || (n - 1) / 10 end,
      case n % 10 when 1 then 'binary_primary' else 'binary_standby' end,
      case n % 10 when 1 then null else (n - 1) / 10 * 10 + 1 end, '18.4', 'Debian GNU/Linux 12', now()
    from generate_series(1, ${count}::int) n`);
  await db.run(sql`/* bench.topology_clusters */
    insert into matriarch.topology_clusters (cluster_key, cluster_type, replication_type, name, detected_at)
    select n.cluster_key, 'binary', 'binary', 'seen ' || n.cluster_key, now()
    from matriarch.topology_nodes n group by n.cluster_key`);
  await db.run(sql`/* bench.relationships */
    insert into matriarch.cluster_relationships
      (source_connection_id, target_connection_id, relationship_type, is_auto_detected)
    select n.connection_id, n.parent_connection_id, 'streams_from', true
    from matriarch.topology_nodes n where n.parent_connection_id is not null`);
  await db.run(sql`/* bench.states */
    insert into matriarch.connection_states (connection_id, connection_error)
    select n, case when n % 50 = 0 then 'Nothing listens there.' end from generate_series(1, ${count}::int) n`);
  await db.run(sql`/* bench.configs */
    insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days)
    select p, 60, 7 from unnest(array['pg_connectivity'] || array(select 'probe_' || n from generate_series(1, 39) n)) p
    on conflict do nothing`);
  await db.run(sql`/* bench.snapshots */
    insert into metrics.current_snapshots
      (connection_id, probe, collected_at, attempted_at, took_ms, outcome, rows, row_count)
    select n, c.probe_name,
      now() + case when n % 50 = 0 then interval '-1 hour' else interval '1 hour' end, now(), 1, 'ran',
      jsonb_build_array(jsonb_build_object('text', repeat('x', 300))), 1
    from generate_series(1, ${count}::int) n
    cross join matriarch.probe_configs c`);
  await db.run(sql`/* bench.vacuum */ vacuum (analyze)`);
}

const changedBy = (row: object, name: string, looks: number) =>
  name in row ? { [name]: `${Reflect.get(row, name)} ${looks}` } : {};

/** Every look finds something changed in these parts of the fingerprint since the one before. */
function everChanging(db: Db, parts: readonly string[]): Db {
  let looks = 0;
  return {
    ...db,
    async one<T extends object>(statement: Sql) {
      const row = await db.one<T>(statement);
      looks += 1;
      return Object.assign({}, row, ...parts.map((name) => changedBy(row, name, looks)));
    },
  };
}

const padded = (value: number, digits: number, width: number) => value.toFixed(digits).padStart(width);

function report(name: string, connections: number, { p50_ms, p99_ms, per_second }: LoadResult): void {
  const figures = `p50 ${padded(p50_ms, 2, 7)} ms  p99 ${padded(p99_ms, 2, 7)} ms  ${padded(per_second, 0, 7)} /s`;
  print(`  ${name.padEnd(22)} ${String(connections).padStart(2)} at once  ${figures}`);
}

async function measure(cluster: TestCluster, count: number): Promise<void> {
  const name = `servers_${count}`;
  await cluster.query(`create database ${name}`);
  const url = new Secret(socketUrl(cluster, name));
  await migrate(url, silentLog);
  const pool = new Database({ url, log, applicationName: 'bench' });
  const db = countedDb(pool);
  const { user_id, session } = await makeUser(pool);
  await storeEstate(pool, count, user_id);
  const serve = (served: Db) =>
    createApi({
      db: served,
      routes: [...clustersRoutes(), ...estateRoutes()],
      constraints: {},
      log,
      clock: systemClock,
      config: CONFIG,
    });
  const apis = {
    hit: await serve(db),
    miss: await serve(everChanging(db, ['fingerprint', 'tree', 'states'])),
    alert: await serve(everChanging(db, ['states'])),
  };
  const headers = { authorization: `Bearer ${session}` };
  const path = '/api/v1/clusters';
  const { url: hit } = await apis.hit.listen();
  const { url: miss } = await apis.miss.listen();
  const { url: alert } = await apis.alert.listen();
  const ask = async (origin: string) => (await fetch(origin + path, { headers })).text();
  const body = await ask(hit);
  const counts = { hit: 0, miss: 0, alert: 0 };
  for (const [kind, origin] of [
    ['hit', hit],
    ['miss', miss],
    ['alert', alert],
  ] as const) {
    await ask(origin);
    db.reset();
    await ask(origin);
    counts[kind] = db.sent.length;
  }
  print(
    `${count} servers: ${body.length} bytes; SQL statements a request, sign-in included: ${counts.hit} when nothing has ` +
      `changed, ${counts.alert} after an alert or an error, else ${counts.miss}`,
  );
  const plain = await plainServer(body);
  const common = { paths: [path], headers, requests: REQUESTS, seconds: SECONDS };
  const lines = [
    { title: 'clusters, unchanged', origin: hit },
    { title: 'clusters, an alert', origin: alert },
    { title: 'clusters, changed', origin: miss },
    { title: 'estate, unchanged', origin: hit, paths: ['/api/v1/estate'] },
    { title: 'estate, changed', origin: miss, paths: ['/api/v1/estate'] },
    { title: 'node:http, same bytes', origin: plain.origin },
  ];
  try {
    await load({ ...common, origin: miss, connections: 10, requests: 100 });
    for (const connections of [1, 10])
      for (const _round of [1, 2])
        for (const { title, ...line } of lines)
          report(title, connections, await load({ ...common, ...line, connections }));
  } finally {
    await plain.stop();
    await apis.hit.stop();
    await apis.miss.stop();
    await apis.alert.stop();
    await pool.stop();
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
