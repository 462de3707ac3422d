// The store on Citus: the same partitioned tables, spread over the nodes by connection_id and all colocated, so that
// whatever joins them on it stays on one node. Guards: a table is distributed in the transaction that makes it, thus
// while it is empty; storage and compression are set before that, since Citus refuses them after; partitions are made
// and attached as on plain PostgreSQL, which Citus repeats on the nodes. The dictionaries (objects, texts, newest rows,
// facts), leases and jobs stay on the coordinator: their statements change rows of many connections in one WITH, which
// Citus takes for a single shard only.

import { type Db, NodeAway } from '../../../kernel/db.ts';
import { cutText } from '../../../kernel/inert-text.ts';
import { sql } from '../../../kernel/sql.ts';
import type { MetricTable } from '../table-layout.ts';
import { addColumns, createTable } from './ddl.ts';
import { shrink } from './locks.ts';
import {
  BY_TIME,
  bucket,
  deleteConnections,
  dropIfEmpty,
  dropPartition,
  makePartition,
  partitions,
  sizesBy,
} from './partitions.ts';
import type { Engine, PartitionSize, TableSize } from './types.ts';

/** Small, and joined with packed hours of every connection. */
const REFERENCE = ['matriarch.packed_layouts'];

async function prepare(db: Db): Promise<void> {
  await db.transaction(async (inner) => {
    await inner.run(sql`/* store.engine_lock */ select pg_advisory_xact_lock(7264912)`);
    await inner.run(sql`
      /* store.reference_tables */
      select create_reference_table(r.name::regclass)
      from unnest(${REFERENCE}::text[]) as r (name)
      where r.name::regclass not in (select d.logicalrelid from pg_dist_partition d)`);
  });
}

/** Each day of each table has as many relations; with 32, as Citus would have it, a worker soon has tens of thousands. */
export const SHARD_COUNT = 8;

/**
 * Tables distributed by an integer into the same number of shards are colocated with each other: so all of them are cut
 * as the first one was.
 */
async function distribute(db: Db, { name }: MetricTable, shardCount: number): Promise<void> {
  await db.run(sql`
    /* store.shard_count */
    select set_config(
      'citus.shard_count',
      coalesce(
        (
          select max(k.shardcount)
          from matriarch.metric_tables m
          join pg_dist_partition d on d.logicalrelid = to_regclass(format('metrics.%I', m.table_name))
          join pg_dist_colocation k on k.colocationid = d.colocationid
          where d.partmethod = 'h'
        ),
        ${shardCount}::integer
      )::text,
      true
    )`);
  await db.run(sql`
    /* store.distribute_table */
    select create_distributed_table(${`metrics.${name}`}::text::regclass, 'connection_id', colocate_with => 'default')`);
}

/** Rows of all nodes, by partition, as each estimates its own; a shard is named as its table, with a number behind it. */
const shardRows = `
  select coalesce(jsonb_object_agg(s.name, s.rows), '{}')
  from (
    select substring(c.relname from '^(.*)_[0-9]+$') as name, sum(c.reltuples)::bigint as rows
    from pg_catalog.pg_class c
    where c.relnamespace = 'metrics'::regnamespace
      and c.relkind = 'r'
      and c.relname ~ '_d[0-9]{8}_[0-9]+$'
      and c.reltuples >= 0
    group by 1
  ) s`;

/** Of reference tables, of which every node has a copy. */
const referenceRows = `
  select coalesce(jsonb_object_agg(s.name, s.rows), '{}')
  from (
    select n.nspname || '.' || substring(c.relname from '^(.*)_[0-9]+$') as name, max(c.reltuples)::bigint as rows
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'matriarch' and c.relkind = 'r' and c.relname ~ '_[0-9]+$' and c.reltuples >= 0
    group by 1
  ) s`;

const ownSize = 'select pg_catalog.pg_database_size(current_database())';

/** What every node answers; a node that does not answer is an error, for a sum without it would be wrong. */
async function onEveryNode(db: Db, command: string): Promise<string[]> {
  const nodes = await db.rows<{ success: boolean; result: string }>(sql`
    /* store.every_node */
    select n.success, n.result
    from run_command_on_all_nodes(${command}) n`);
  for (const { success, result } of nodes) if (!success) throw new NodeAway(new Error(cutText(result, 200)));
  return nodes.map(({ result }) => result);
}

/** Numbers by name, of all nodes, put together by `combine`. */
async function numbersOfNodes(
  db: Db,
  command: string,
  combine: (one: number, other: number) => number,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const result of await onEveryNode(db, command)) {
    const own: Record<string, number> = JSON.parse(result);
    for (const [name, count] of Object.entries(own)) {
      const before = found.get(name);
      found.set(name, before === undefined ? count : combine(before, count));
    }
  }
  return found;
}

/** Reference tables count with all their copies; what stays on the coordinator is as on one server. */
async function tableSizes(db: Db, tables: readonly string[]): Promise<TableSize[]> {
  const found = await db.rows<TableSize & { is_spread: boolean }>(sql`
    /* store.table_sizes */
    select
      t.name,
      d.logicalrelid is not null as is_spread,
      case
        when d.logicalrelid is not null then citus_total_relation_size(d.logicalrelid)
        else pg_catalog.pg_total_relation_size(c.oid)
      end as size_bytes,
      case when d.logicalrelid is null and c.reltuples >= 0 then c.reltuples::bigint end as rows
    from unnest(${tables}::text[]) t (name)
    join pg_catalog.pg_class c on c.oid = t.name::regclass
    left join pg_dist_partition d on d.logicalrelid = c.oid
    order by 3 desc, 1`);
  const rows = found.some(({ is_spread }) => is_spread)
    ? await numbersOfNodes(db, referenceRows, Math.max)
    : new Map<string, number>();
  return found.map(({ is_spread, name, size_bytes, rows: own }) => ({
    name,
    size_bytes,
    rows: is_spread ? (rows.get(name) ?? null) : own,
  }));
}

async function databaseSize(db: Db): Promise<number> {
  const nodes = await onEveryNode(db, ownSize);
  return nodes.reduce((sum, size) => sum + Number(size), 0);
}

/** All tables of samples are colocated, so that any of them says where a connection is. */
async function silent(db: Db, connectionIds: readonly number[]): Promise<number[]> {
  const rows = await db.rows<{ connection_id: number }>(sql`
    /* store.silent */
    with silent as materialized (
      select n.groupid
      from run_command_on_workers('select 1') w
      join pg_dist_node n on n.nodename = w.nodename and n.nodeport = w.nodeport
      where not w.success
    ),
    sample as materialized (
      select min(d.logicalrelid::oid)::regclass as name from pg_dist_partition d where d.partmethod = 'h'
    )
    select c.id as connection_id
    from unnest(${connectionIds}::integer[]) c (id)
    cross join sample s
    join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column(s.name, c.id)
    where p.groupid in (select groupid from silent)
    order by 1`);
  return rows.map(({ connection_id }) => connection_id);
}

/** The coordinator's own copy of a table is always empty, and its estimate of rows is of that copy. */
async function sizes(db: Db, tables: readonly string[]): Promise<PartitionSize[]> {
  const found = await sizesBy(db, tables, {
    size: sql`citus_total_relation_size(c.oid::regclass)`,
    rows: sql`citus_relation_size(c.oid::regclass)`,
  });
  const rows = await numbersOfNodes(db, shardRows, (one, other) => one + other);
  return found.map((one) => ({ ...one, rows: rows.get(one.name) ?? null }));
}

export const citus = (shardCount: number): Engine => ({
  name: 'citus',
  relkind: 'p',
  makesAhead: true,
  prepare,
  async createTable(db, table) {
    await createTable(db, table, BY_TIME);
    await distribute(db, table, shardCount);
  },
  addColumns,
  partitions,
  makePartition,
  dropPartition,
  dropIfEmpty,
  sizes,
  tableSizes,
  databaseSize,
  silent,
  deleteConnections,
  shrink,
  bucket,
});
