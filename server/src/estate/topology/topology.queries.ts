// SQL of detection: its lease, what was collected and what it knew, each for all servers at once.
import type { Db } from '../../kernel/db.ts';
import { claimJob, finishJob } from '../../kernel/jobs.queries.ts';
import { join, prepared, type Sql, sql } from '../../kernel/sql.ts';
import { factInForce, newestRun } from '../../store/read/doors/relations.ts';
import type { FactsRow } from './facts.ts';
import { CHANGED_RECEIVERS } from './receivers.queries.ts';
import type { DetectedCluster, DetectedNode, Label, Relationship } from './types.ts';

const JOB = 'topology';
/** Whoever does not end a round within this loses its lease. */
const LEASE_SECONDS = 30;

/** Takes the lease when it is due and nobody has it: {epoch}. */
export async function claimRound(db: Db, owner: string, everySeconds: number): Promise<number | undefined> {
  const job = { name: JOB, owner, every_seconds: everySeconds, lease_seconds: LEASE_SECONDS };
  return (await db.maybe<{ epoch: number }>(claimJob(job)))?.epoch;
}

/** The end of a round; 0 when somebody else has taken the lease meanwhile. The row stays locked in a transaction. */
export function finishRound(db: Db, epoch: number, report: object): Promise<number> {
  return db.run(finishJob({ name: JOB, epoch, report }));
}

/** Nothing came of it: the next may try at once. */
export async function abandonRound(db: Db, epoch: number): Promise<void> {
  await db.run(sql`/* topology.abandon */
    update matriarch.jobs j
    set owner = '', expires_at = now()
    where j.name = ${JOB} and j.epoch = ${epoch}`);
}

export interface ServerRow extends FactsRow {
  membership_source: 'auto' | 'manual';
  cluster_id: number | null;
}

const SERVERS = sql`(
    select
      c.id as connection_id, c.name, c.host, c.hostaddr, c.port, c.membership_source, c.cluster_id,
      c.is_monitored and s.last_connected_at is not null and s.connection_error is null as is_reachable,
      r.collected_at, r.rows -> 0 as role, f.value as server, o.rows -> 0 as os
    from matriarch.connections c
    left join matriarch.connection_states s on s.connection_id = c.id
    left join ${newestRun('pg_node_role')} r on r.connection_id = c.id
    left join ${newestRun('pg_sys_os_info')} o on o.connection_id = c.id
    left join ${factInForce('pg_server_info')} f on f.connection_id = c.id
    where c.deleted_at is null
  )`;

export function readServers(db: Db): Promise<ServerRow[]> {
  return db.rows<ServerRow>(sql`/* topology.facts */
    select r.*
    from ${SERVERS} r
    order by r.connection_id`);
}

/** What detection said last, of deleted connections too. */
const NODES = sql`(
    select
      connection_id, cluster_key, primary_role, parent_connection_id, system_identifier, version, os,
      spock_node_name, spock_version, collected_at
    from matriarch.topology_nodes
  )`;

export function readNodes(db: Db): Promise<DetectedNode[]> {
  return db.rows<DetectedNode>(sql`/* topology.nodes */
    select r.*
    from ${NODES} r
    order by r.connection_id`);
}

export type ClusterRow = Omit<DetectedCluster, 'former_key'>;

const CLUSTERS = sql`(
    select cluster_key, cluster_type, replication_type, name
    from matriarch.topology_clusters
  )`;

export function readClusters(db: Db): Promise<ClusterRow[]> {
  return db.rows<ClusterRow>(sql`/* topology.clusters */
    select r.*
    from ${CLUSTERS} r
    order by r.cluster_key`);
}

export interface StoredRow {
  id: number;
  auto_cluster_key: string;
  name: string;
  named_by_hand: boolean;
  dismissed: boolean;
  /** Nobody said anything about it. */
  is_untouched: boolean;
}

/** Rows that stand for something detected. */
const STORED = sql`(
    select
      k.id, k.auto_cluster_key, k.name, k.named_by_hand, k.dismissed,
      not k.named_by_hand and not k.dismissed and k.description = '' and k.group_id is null
        and not exists (
          select from matriarch.group_scopes gs where gs.scope = 'cluster' and gs.scope_id = k.id
        ) as is_untouched
    from matriarch.clusters k
    where k.auto_cluster_key is not null
  )`;

export function readStored(db: Db): Promise<StoredRow[]> {
  return db.rows<StoredRow>(sql`/* topology.stored */
    select r.*
    from ${STORED} r
    order by r.id`);
}

const LABELS = sql`(
    select label, node_keys
    from matriarch.topology_labels
  )`;

export function readLabels(db: Db): Promise<Label[]> {
  return db.rows<Label>(sql`/* topology.labels */
    select r.*
    from ${LABELS} r
    order by r.label`);
}

const RELATIONSHIPS = sql`(
    select source_connection_id, target_connection_id, relationship_type
    from matriarch.cluster_relationships
    where is_auto_detected
  )`;

export function readRelationships(db: Db): Promise<Relationship[]> {
  return db.rows<Relationship>(sql`/* topology.relationships */
    select r.*
    from ${RELATIONSHIPS} r`);
}

const digestOf = (rows: Sql): Sql => sql`(
      select md5(string_agg(md5(r::text), '' order by md5(r::text)))
      from ${rows} r
    )`;

/** Another text whenever anything is different that a round goes by. */
export async function readDigest(db: Db): Promise<string> {
  const parts = [SERVERS, NODES, CLUSTERS, STORED, LABELS, RELATIONSHIPS, CHANGED_RECEIVERS].map(digestOf);
  const { digest } = await db.one<{ digest: string }>(
    prepared(
      sql`/* topology.digest */ select concat_ws('/', ${join(
        parts.map((part) => sql`coalesce(${part}, '')`),
        sql`, `,
      )}) as digest`,
    ),
  );
  return digest;
}
