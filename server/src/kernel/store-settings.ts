// The settings of the metrics store: which engine keeps it, and how that lays it out.
import type { Setting } from './settings.ts';

export const STORE_ENGINES = ['auto', 'plain', 'citus', 'timescaledb'] as const;
export type StoreEngine = (typeof STORE_ENGINES)[number];

export const store = [
  {
    key: 'store.engine',
    type: 'text',
    default: 'auto',
    allowed: STORE_ENGINES,
    description:
      'What keeps the metrics in the datastore: `auto` takes Citus or TimescaleDB where the extension is installed, and stays with what the metrics were made for.',
  },
  {
    key: 'store.shard_count',
    type: 'integer',
    default: 8,
    minimum: 1,
    maximum: 1024,
    description:
      'On Citus: into how many shards a table of metrics is cut, before there are any tables. Every day of every table has as many relations; take twice the number of worker nodes that there will ever be.',
  },
  {
    key: 'store.copy_target_url',
    type: 'secret',
    description:
      'postgres:// URL of the database that `store copy` writes to, so that it is neither in the process list nor in a shell history.',
  },
] as const satisfies readonly Setting[];
