// SQL of relationships: who replicates from whom within a cluster. One shows only where both of its ends do.

import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import type { Static } from '../../kernel/schema.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { NodeRelationship, RELATIONSHIP_TYPES } from './clusters.schemas.ts';

export type RelationshipType = (typeof RELATIONSHIP_TYPES)[number];

/** `cluster_id` 0: the source is in no stored cluster. */
export type RelationshipRow = Static<typeof NodeRelationship>;

const end = (column: Sql, principal: Principal) => sql`lateral (
  select c.id, c.name from matriarch.connections c where c.id = ${column} and ${visible(principal)}
)`;

/** Those made by hand belong to the cluster they were made in, detected ones to that of their source. */
const clusterOf = sql`coalesce(r.cluster_id, s.cluster_id, 0)`;

/** Both ends are servers of one cluster, stored or only detected. */
const together = sql`
  (s.cluster_id, s.cluster_key) is not distinct from (t.cluster_id, t.cluster_key)`;

const rows = (principal: Principal, where: Sql) => sql`(
  select
    r.id, ${clusterOf} as cluster_id, r.source_connection_id, r.target_connection_id,
    source.name as source_name, target.name as target_name, r.relationship_type, r.is_auto_detected
  from matriarch.cluster_relationships r
  join ${end(sql`r.source_connection_id`, principal)} source on true
  join ${end(sql`r.target_connection_id`, principal)} target on true
  left join matriarch.connection_scopes s on s.connection_id = r.source_connection_id
  left join matriarch.connection_scopes t on t.connection_id = r.target_connection_id
  where ${where} and (not r.is_auto_detected or ${together})
  order by lower(source.name), source.id, lower(target.name), target.id, r.relationship_type, r.id
)`;

export function listClusterRelationships(
  db: Db,
  principal: Principal,
  clusterId: number,
): Promise<RelationshipRow[]> {
  return db.rows<RelationshipRow>(sql`/* clusters.relationships */
    ${rows(principal, sql`${clusterOf} = ${clusterId}::int`)}`);
}

export function listConnectionRelationships(
  db: Db,
  principal: Principal,
  connectionId: number,
): Promise<RelationshipRow[]> {
  return db.rows<RelationshipRow>(sql`/* clusters.relationships_of_connection */
    ${rows(principal, sql`${connectionId}::int in (r.source_connection_id, r.target_connection_id)`)}`);
}

export function listRelationshipsFrom(
  db: Db,
  principal: Principal,
  connectionId: number,
): Promise<RelationshipRow[]> {
  return db.rows<RelationshipRow>(sql`/* clusters.relationships_from */
    ${rows(principal, sql`r.source_connection_id = ${connectionId}::int`)}`);
}

export interface GoneRelationship extends NewRelationship {
  source_connection_id: number;
  source_name: string;
}

/** Undefined where the caller sees no such relationship in that cluster. */
export function deleteRelationship(
  db: Db,
  principal: Principal,
  named: { cluster_id: number; id: number },
): Promise<GoneRelationship | undefined> {
  const seen = rows(principal, sql`r.id = ${named.id}::int and ${clusterOf} = ${named.cluster_id}::int`);
  return db.maybe<GoneRelationship>(sql`/* clusters.delete_relationship */
    delete from matriarch.cluster_relationships gone
    using (${seen}) seen
    where gone.id = seen.id
    returning seen.source_connection_id, seen.source_name, seen.target_connection_id, seen.relationship_type`);
}

/** Those made by hand that start at a connection; answers how many there were. */
export function clearRelationships(db: Db, connectionId: number): Promise<number> {
  return db.run(sql`/* clusters.clear_relationships */
    delete from matriarch.cluster_relationships r
    where r.source_connection_id = ${connectionId}::int and not r.is_auto_detected`);
}

/** Those made by hand in clusters that a connection is not in any more; answers how many there were. */
export function endRelationships(db: Db, connectionId: number): Promise<number> {
  return db.run(sql`/* clusters.end_relationships */
    delete from matriarch.cluster_relationships r
    where ${connectionId}::int in (r.source_connection_id, r.target_connection_id)
      and not r.is_auto_detected
      and r.cluster_id is distinct from (
        select s.cluster_id from matriarch.connection_scopes s where s.connection_id = ${connectionId}::int
      )`);
}

export interface NewRelationship {
  target_connection_id: number;
  relationship_type: RelationshipType;
}

export async function insertRelationships(
  db: Db,
  from: { cluster_id: number; connection_id: number },
  relationships: readonly NewRelationship[],
): Promise<void> {
  await db.run(sql`/* clusters.insert_relationships */
    insert into matriarch.cluster_relationships
      (cluster_id, source_connection_id, target_connection_id, relationship_type, is_auto_detected)
    select ${from.cluster_id}::int, ${from.connection_id}::int, new.target, new.type, false
    from unnest(
      ${relationships.map(({ target_connection_id }) => target_connection_id)}::int[],
      ${relationships.map(({ relationship_type }) => relationship_type)}::text[]
    ) as new (target, type)`);
}
