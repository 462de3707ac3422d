// Which engine a datastore has: what its tables were made by; before there are any, what the setting says or what is
// installed. Guards: one datastore never has tables of two engines, and a setting that does not fit stops the start
// with a sentence that says what to do.
import type { Db } from '../../../kernel/db.ts';
import { UsageError } from '../../../kernel/errors.ts';
import { lasting } from '../../../kernel/leaving.ts';
import { sql } from '../../../kernel/sql.ts';
import type { StoreEngine } from '../../../kernel/store-settings.ts';
import { citus, SHARD_COUNT } from './citus.ts';
import { plain } from './plain.ts';
import { timescaledb } from './timescale.ts';
import type { Engine, EngineName } from './types.ts';

interface Installed {
  /** [extension, its schema]. */
  extensions: [string, string][];
  /** Kinds of the tables of samples that are there. */
  kinds: string[];
}

const installed = sql`
  /* store.engine_installed */
  select
    coalesce((
      select jsonb_agg(jsonb_build_array(e.extname, n.nspname) order by e.extname)
      from pg_catalog.pg_extension e
      join pg_catalog.pg_namespace n on n.oid = e.extnamespace
      where e.extname in ('citus', 'timescaledb')
    ), '[]') as extensions,
    coalesce((
      select jsonb_agg(distinct c.relkind)
      from matriarch.metric_tables m
      join pg_catalog.pg_class c on c.relname = m.table_name and c.relnamespace = 'metrics'::regnamespace
    ), '[]') as kinds`;

const distributed = sql`
  /* store.engine_distributed */
  select exists (
    select 1
    from matriarch.metric_tables m
    join pg_catalog.pg_class c on c.relname = m.table_name and c.relnamespace = 'metrics'::regnamespace
    join pg_dist_partition d on d.logicalrelid = c.oid
  ) as is_distributed`;

const TITLES: Record<EngineName, string> = {
  plain: 'plain PostgreSQL',
  citus: 'Citus',
  timescaledb: 'TimescaleDB',
};

/** By whom the tables were made; undefined before there are any. */
async function maker(db: Db, { extensions, kinds }: Installed): Promise<EngineName | undefined> {
  if (kinds.includes('r')) return 'timescaledb';
  if (!kinds.includes('p')) return undefined;
  if (!extensions.some(([name]) => name === 'citus')) return 'plain';
  const { is_distributed } = await db.one<{ is_distributed: boolean }>(distributed);
  return is_distributed ? 'citus' : 'plain';
}

function chosen(has: readonly string[], choice: StoreEngine): EngineName {
  if (choice !== 'auto') return choice;
  const [first, second] = has;
  if (second !== undefined)
    throw new UsageError(
      'The datastore has both Citus and TimescaleDB. Say with store.engine which of them keeps the metrics.',
    );
  if (first === 'citus' || first === 'timescaledb') return first;
  return 'plain';
}

const opened = new WeakMap<Db, Engine>();

/** The engine of a datastore that was opened here. Throws for others: to take one for plain would spoil its tables. */
export function engineOf(db: Db): Engine {
  const engine = opened.get(lasting(db));
  if (!engine) throw new Error('the engine of this datastore is not known: openEngine comes first');
  return engine;
}

export interface EngineSettings {
  engine?: StoreEngine;
  /** On Citus. */
  shard_count?: number;
}

/** Finds the engine and remembers it for `engineOf`. Throws UsageError when the setting does not fit what is there. */
export async function openEngine(
  db: Db,
  { engine: choice = 'auto', shard_count = SHARD_COUNT }: EngineSettings = {},
): Promise<Engine> {
  const engine = await find(db, choice, shard_count);
  await engine.prepare(db);
  opened.set(lasting(db), engine);
  return engine;
}

async function find(db: Db, choice: StoreEngine, shardCount: number): Promise<Engine> {
  const found = await db.one<Installed>(installed);
  const made = await maker(db, found);
  if (made !== undefined && choice !== 'auto' && choice !== made)
    throw new UsageError(
      `store.engine is ${choice}, but the metrics of this datastore were made for ${TITLES[made]}. Set store.engine to auto, or take an empty datastore.`,
    );
  const name =
    made ??
    chosen(
      found.extensions.map(([extension]) => extension),
      choice,
    );
  if (name === 'plain') return plain;
  const schema = found.extensions.find(([extension]) => extension === name)?.[1];
  if (schema === undefined)
    throw new UsageError(
      made === undefined
        ? `store.engine is ${name}, but the datastore does not have that extension. Run CREATE EXTENSION ${name} in it, or set store.engine to auto.`
        : `The metrics of this datastore were made for ${TITLES[name]}, whose extension is missing. Run CREATE EXTENSION ${name} in it.`,
    );
  return name === 'citus' ? citus(shardCount) : timescaledb(schema);
}
