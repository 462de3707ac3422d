// Deleting a connection only marks it; here its metrics follow, in slices and in the background. Any number of
// processes may do it at the same time: each step is complete in itself and finds its work in the tables.
import type { Db } from '../../kernel/db.ts';
import { engineOf } from '../layout/engine/open.ts';
import type { Engine } from '../layout/engine/types.ts';
import { type Policy, policies } from '../layout/policies.queries.ts';
import { type TierTable, tierTables } from '../layout/tier-tables.queries.ts';
import * as queries from './purge.queries.ts';

const SLICE = 5000;
const CONNECTIONS = 20;

export interface PurgeOptions {
  db: Db;
  signal: AbortSignal;
  engine?: Engine;
  /** Rows a statement removes at most. */
  slice?: number;
}

/** Partition by partition. The connection's other rows go later, so an interrupted purge is found again. */
async function purgeSamples(connectionId: number, options: PurgeOptions): Promise<number> {
  const { db, signal, engine = engineOf(options.db) } = options;
  const tables = await db.rows<Policy>(policies);
  const tiers = await db.rows<TierTable>(tierTables);
  const names = [...tables, ...tiers].map(({ table_name }) => table_name);
  let removed = 0;
  for (const partition of await engine.partitions(db, names)) {
    if (signal.aborted) return removed;
    removed += await engine.deleteConnections(db, partition, [connectionId]);
  }
  return removed;
}

async function purgeOne(connectionId: number, options: PurgeOptions): Promise<number> {
  const { db, signal, slice = SLICE } = options;
  await db.run(queries.purgeLease(connectionId));
  let removed = await purgeSamples(connectionId, options);
  for (let last = slice; last === slice && !signal.aborted; removed += last)
    last = await db.run(queries.purgeObjects(connectionId, slice));
  for (let last = slice; last === slice && !signal.aborted; removed += last)
    last = await db.run(queries.purgeFacts(connectionId, slice));
  for (let last = slice; last === slice && !signal.aborted; removed += last)
    last = await db.run(queries.purgeQueries(connectionId, slice));
  if (signal.aborted) return removed;
  removed += await db.run(queries.purgeSnapshots(connectionId));
  await db.run(queries.purgeState(connectionId));
  return removed;
}

/** Removes the metrics of some deleted connections, and texts out of use. Answers how many rows went. */
export async function purgeDeleted(options: PurgeOptions): Promise<number> {
  const connections = await options.db.rows<{ id: number }>(queries.purgeable(CONNECTIONS));
  let removed = await options.db.run(queries.forgetQueries(options.slice ?? SLICE));
  for (const { id } of connections) {
    if (options.signal.aborted) break;
    removed += await purgeOne(id, options);
  }
  return removed;
}
