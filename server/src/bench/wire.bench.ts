// What compressing costs the API's process and saves on the wire: CPU and bytes of a request for texts that are kept
// (the estate and the tree, of 100 servers) and for one that is written anew each time, as they are, with gzip and with br,
// each. The client, a thread of the same process that unpacks nothing, is in every figure. Prints figures, judges
// nothing. Run: npm run bench -- wire
import process from 'node:process';
import { createApi } from '../api/server.ts';
import { migrate } from '../datastore/migrate.ts';
import { listClusters } from '../estate/clusters/clusters.contract.ts';
import { clustersRoutes } from '../estate/clusters/clusters.routes.ts';
import { estateRoutes } from '../estate/estate/estate.routes.ts';
import { systemClock } from '../kernel/clock.ts';
import { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { makeUser } from '../testing/access/actors.ts';
import { load } from '../testing/load.ts';
import { startIn } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { CONFIG, log } from './bench-api.ts';
import { print } from './print.ts';

const SERVERS = 100;
const REQUESTS = 400;
const ROUNDS = 5;
const PATHS = ['/api/v1/estate', '/api/v1/clusters', listClusters.path];

async function serve(url: Secret) {
  await migrate(url, silentLog);
  const db = new Database({ url, log, applicationName: 'bench' });
  const { user_id, session } = await makeUser(db);
  await db.run(sql`/* bench.connections */
    insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored)
    select n, ${user_id}, 'server-' || n, 'db' || n || '.example.com', 5432, 'postgres', 'matriarch', true
    from generate_series(1, ${SERVERS}::int) n`);
  await db.run(sql`/* bench.clusters */
    insert into matriarch.clusters (name, description)
    select 'cluster ' || n, 'as somebody has described it' from generate_series(1, ${SERVERS}::int) n`);
  await db.run(sql`/* bench.members */
    update matriarch.connections set cluster_id = (select min(c.id) from matriarch.clusters c) + id - 1`);
  const routes = [...clustersRoutes(), ...estateRoutes()];
  const api = await createApi({ db, routes, constraints: {}, log, clock: systemClock, config: CONFIG });
  const { url: origin } = await api.listen();
  const stop = async () => {
    await api.stop();
    await db.stop();
  };
  return { origin, headers: { authorization: `Bearer ${session}` }, stop };
}

type Served = Awaited<ReturnType<typeof serve>>;

const WAYS = [
  { name: 'as it is', headers: {} },
  { name: 'gzip', headers: { 'accept-encoding': 'gzip' } },
  { name: 'br', headers: { 'accept-encoding': 'br' } },
];

/** CPU of the whole process in milliseconds for each request, and bytes. */
async function cost({ origin, headers }: Served, path: string, more: Record<string, string>) {
  const before = process.cpuUsage();
  const asked = { origin, paths: [path], headers: { ...headers, ...more } };
  const { bytes } = await load({ ...asked, connections: 4, requests: REQUESTS });
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000 / REQUESTS, bytes };
}

/** The best of some rounds; the ways take turns, so that a busy machine is unfair to none of them. */
async function measure(served: Served): Promise<void> {
  for (const path of PATHS) {
    const best = WAYS.map(() => ({ ms: Number.POSITIVE_INFINITY, bytes: 0 }));
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [at, { headers }] of WAYS.entries()) {
        const found = await cost(served, path, headers);
        if (found.ms < (best[at]?.ms ?? 0)) best[at] = found;
      }
    for (const [at, { name }] of WAYS.entries()) {
      const { ms, bytes } = best[at] ?? { ms: 0, bytes: 0 };
      const times = (ms / (best[0]?.ms ?? 1)).toFixed(2);
      const figures = `${String(bytes).padStart(7)} bytes  ${ms.toFixed(3)} ms of CPU  ${times}x`;
      print(`${path.padEnd(24)} ${name.padEnd(9)} ${figures}`);
    }
  }
}

const runDirectory = makeRunDirectory();
try {
  const cluster = await startIn(runDirectory, { major: 18, settings: { shared_buffers: '128MB' } });
  const served = await serve(new Secret(cluster.url));
  await measure(served);
  await served.stop();
  await cluster.stop();
} finally {
  removeRunDirectory(runDirectory);
}
