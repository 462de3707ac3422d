// What detection has written, drawn for tests: clusters with their servers by name, standbys in brackets behind their
// upstream, and the rows stored for them.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

interface SeenNode {
  connection_id: number;
  name: string;
  cluster_key: string;
  cluster_type: string;
  parent_connection_id: number | null;
}

/** {'binary:1': 'binary: a(b c)', …}; servers stand in the order of their names. */
export async function seen(db: Db): Promise<Record<string, string>> {
  const nodes = await db.rows<SeenNode>(sql`/* test.seen */
    select n.connection_id, c.name, n.cluster_key, k.cluster_type, n.parent_connection_id
    from matriarch.topology_nodes n
    join matriarch.connections c on c.id = n.connection_id
    join matriarch.topology_clusters k on k.cluster_key = n.cluster_key
    order by c.name, c.id`);
  const draw = (key: string, parent: number | null): string =>
    nodes
      .filter((node) => node.cluster_key === key && node.parent_connection_id === parent)
      .map(({ connection_id, name }) => {
        const below = draw(key, connection_id);
        return below === '' ? name : `${name}(${below})`;
      })
      .join(' ');
  return Object.fromEntries(
    nodes.map(({ cluster_key, cluster_type }) => [
      cluster_key,
      `${cluster_type}: ${draw(cluster_key, null)}`,
    ]),
  );
}

/** Roles by name. */
export async function seenRoles(db: Db): Promise<Record<string, string | null>> {
  const rows = await db.rows<{ name: string; primary_role: string | null }>(sql`/* test.seen_roles */
    select c.name, n.primary_role
    from matriarch.topology_nodes n
    join matriarch.connections c on c.id = n.connection_id
    order by c.name`);
  return Object.fromEntries(rows.map(({ name, primary_role }) => [name, primary_role]));
}

/** 'a streams_from b', … */
export async function seenRelations(db: Db): Promise<string[]> {
  const rows = await db.rows<{ relation: string }>(sql`/* test.seen_relations */
    select s.name || ' ' || r.relationship_type || ' ' || t.name as relation
    from matriarch.cluster_relationships r
    join matriarch.connections s on s.id = r.source_connection_id
    join matriarch.connections t on t.id = r.target_connection_id
    where r.is_auto_detected
    order by 1`);
  return rows.map(({ relation }) => relation);
}

export interface SeenRow {
  id: number;
  name: string;
  description: string;
  auto_cluster_key: string | null;
  dismissed: boolean;
  /** Names of the servers that belong to it. */
  servers: string[];
}

/** The stored clusters. */
export function seenRows(db: Db): Promise<SeenRow[]> {
  return db.rows<SeenRow>(sql`/* test.seen_rows */
    select k.id, k.name, k.description, k.auto_cluster_key, k.dismissed,
      array(
        select c.name from matriarch.connections c
        where c.cluster_id = k.id and c.deleted_at is null
        order by c.name
      ) as servers
    from matriarch.clusters k
    order by k.id`);
}

export async function rename(db: Db, connection_id: number, name: string): Promise<void> {
  await db.run(sql`/* test.rename */
    update matriarch.connections set name = ${name} where id = ${connection_id}`);
}
