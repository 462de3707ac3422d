// The product on a datastore that holds what a collector has read of many servers, in clusters of four, all of which
// answer: each of them has a newer sample and another response time whenever a page reads again.
import { storeServers } from '../../server/src/bench/stored-servers.ts';
import { Database } from '../../server/src/kernel/db.ts';
import { silentLog } from '../../server/src/kernel/log.ts';
import { Secret } from '../../server/src/kernel/secret.ts';
import { probes } from '../../server/src/probes/catalog.gen.ts';
import { startIn } from '../../server/src/testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../../server/src/testing/servers/run-directory.ts';
import { type Product, startProduct } from './app.ts';

/** More often than any page reads. */
const EVERY_MS = 3000;

export interface ManyServers {
  product: Product;
  db: Database;
  stop(): Promise<void>;
}

/** Fills a fresh datastore before the product's own first server could be in it: ids go from 1 to `count`. */
export async function startManyServers(count: number): Promise<ManyServers> {
  const runDirectory = makeRunDirectory();
  const cluster = await startIn(runDirectory, { major: 18 });
  await cluster.query('create database matriarch');
  const url = new URL(cluster.url);
  url.pathname = '/matriarch';
  const product = await startProduct('--datastore-url', url.toString(), '--roles', 'api');
  const db = new Database({ url: new Secret(url.toString()), log: silentLog, applicationName: 'e2e' });
  await storeServers(db, { count, ownerId: 1 });
  const query = (text: string) => db.rows({ text, values: [] });
  // Every probe has run; nothing is waited for.
  await query(`insert into metrics.current_snapshots
      (connection_id, probe, collected_at, attempted_at, took_ms, outcome, row_count)
    select id, unnest(array['${probes.map(({ name }) => name).join("','")}']), now(), now(), 1, 'ran', 1
    from matriarch.connections on conflict do nothing`);
  await query(`insert into matriarch.connection_states (connection_id, last_connected_at)
    select id, now() from matriarch.connections on conflict do nothing`);
  await query(
    `insert into matriarch.clusters (name) select 'cluster ' || n from generate_series(1, ${count} / 4) n`,
  );
  await query(`update matriarch.connections set membership_source = 'manual', cluster_id =
    (select min(c.id) from matriarch.clusters c) + (id - 1) / 4 where (id - 1) / 4 < ${count} / 4`);
  let busy = Promise.resolve<unknown>(undefined);
  const timer = setInterval(() => {
    busy = busy.then(() =>
      query(`update metrics.current_snapshots set collected_at = now(), attempted_at = now(),
        rows = case when probe = 'pg_connectivity'
          then jsonb_build_array(jsonb_build_object('response_time_ms', random() * 3)) else rows end`),
    );
  }, EVERY_MS);
  return {
    product,
    db,
    stop: async () => {
      clearInterval(timer);
      await busy;
      await db.stop();
      await product.stop();
      await cluster.stop();
      removeRunDirectory(runDirectory);
    },
  };
}
