// What it costs to know what the probes are set to: the look of each second and the reading after a change, for one
// collector that holds everything, by the number of connections and of overrides. Prints figures, judges nothing.
// Run: npm run bench -- probe-settings [connections …]
import process from 'node:process';
import { view } from '../collector/leases.queries.ts';
import { migrate } from '../datastore/migrate.ts';
import { loadSettingsInForce, syncProbeConfigs } from '../estate/probe-configs/effective.service.ts';
import { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { probes } from '../probes/catalog.gen.ts';
import { startIn } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { print } from './print.ts';

const COUNTS = [100, 1000];
const ROUNDS = 20;

/** The middle of so many rounds, in milliseconds. */
async function median(work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const from = performance.now();
    await work();
    took.push(performance.now() - from);
  }
  return took.toSorted((a, b) => a - b)[ROUNDS / 2] ?? 0;
}

/** Servers in clusters of four and groups of forty, all held by one collector. */
async function fill(db: Database, count: number): Promise<number[]> {
  await db.run(sql`/* bench.user */ insert into matriarch.users (id, username) values (1, 'owner')`);
  await db.run(sql`/* bench.groups */
    insert into matriarch.cluster_groups (id, name)
    select 1000 + n, 'group ' || n from generate_series(1, ${Math.ceil(count / 40)}::int) n`);
  await db.run(sql`/* bench.clusters */
    insert into matriarch.clusters (id, name, group_id)
    select n, 'cluster ' || n, 1000 + (n + 9) / 10 from generate_series(1, ${Math.ceil(count / 4)}::int) n`);
  await db.run(sql`/* bench.connections */
    insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored, cluster_id)
    select n, 1, 'server ' || n, 'h', 5432, 'd', 'u', true, (n + 3) / 4 from generate_series(1, ${count}::int) n`);
  await db.run(sql`/* bench.leases */
    insert into matriarch.connection_leases (connection_id, owner, expires_at)
    select n, 'me', now() + interval '1 day' from generate_series(1, ${count}::int) n`);
  await syncProbeConfigs(db, probes);
  return Array.from({ length: count }, (_one, index) => index + 1);
}

const overrideEach = (db: Database, nth: number) =>
  db.run(sql`/* bench.overrides */
    insert into matriarch.probe_overrides (scope, scope_id, probe_name, is_enabled, interval_seconds, retention_days)
    select s.scope, s.id, p.probe_name, true, 60, 7
    from matriarch.probe_configs p
    cross join (
      select 'server' as scope, id from matriarch.connections
      union all
      select 'cluster', id from matriarch.clusters
      union all
      select 'group', id from matriarch.cluster_groups
    ) s
    where s.id % ${nth}::int = 0
    on conflict do nothing`);

async function figures(db: Database, ids: readonly number[]): Promise<void> {
  await db.run(sql`/* bench.analyze */ analyze`);
  const { overrides } = await db.one<{ overrides: number }>(
    sql`/* bench.count */ select count(*) as overrides from matriarch.probe_overrides`,
  );
  const look = await median(() => db.one(view('me')));
  const read = await median(() => loadSettingsInForce(db, ids));
  const all = await median(() =>
    db.one(sql`/* bench.all */
      select count(*), sum(interval_seconds), sum(retention_days) from matriarch.effective_probe_settings`),
  );
  print(
    `${ids.length} connections × ${probes.length} probes, ${overrides} overrides: ` +
      `a look ${look.toFixed(1)} ms, reading after a change ${read.toFixed(1)} ms, the whole view ${all.toFixed(1)} ms`,
  );
}

const directory = makeRunDirectory();
const cluster = await startIn(directory, {});
try {
  const counts = process.argv.slice(2).map(Number);
  for (const count of counts.length > 0 ? counts : COUNTS) {
    await cluster.query(`create database settings_${count}`);
    const url = new URL(cluster.url);
    url.pathname = `/settings_${count}`;
    await migrate(new Secret(url.toString()), silentLog);
    const db = new Database({
      url: new Secret(url.toString()),
      log: silentLog,
      applicationName: 'bench',
      max: 2,
    });
    const ids = await fill(db, count);
    await figures(db, ids);
    for (const nth of [20, 1]) {
      await overrideEach(db, nth);
      await figures(db, ids);
    }
    await db.stop();
  }
} finally {
  await cluster.stop();
  await removeRunDirectory(directory);
}
