// Groups for tests, made directly in the tables, so that a test of access does not lean on the code that manages them.
import { randomBytes } from 'node:crypto';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface GroupOptions {
  name?: string;
  users?: readonly number[];
  /** Groups that are members of this one. */
  groups?: readonly number[];
  /** Level by connection id; 0 is every connection. */
  connections?: Readonly<Record<number, 'read' | 'read_write'>>;
  /** Level by the id of a cluster, or of a group of clusters; the servers that are there inherit it. */
  clusters?: Readonly<Record<number, 'read' | 'read_write'>>;
  cluster_groups?: Readonly<Record<number, 'read' | 'read_write'>>;
  mcp?: readonly string[];
  permissions?: readonly string[];
}

/** Answers the id of a new group. */
export async function makeGroup(db: Db, options: GroupOptions = {}): Promise<number> {
  const name = options.name ?? `group-${randomBytes(4).toString('hex')}`;
  const granted = Object.entries(options.connections ?? {});
  const { id } = await db.one<{ id: number }>(sql`/* test.group */
    with made as (insert into matriarch.groups (name) values (${name}) returning id),
    users as (
      insert into matriarch.group_users (group_id, user_id)
      select made.id, member from made, unnest(${options.users ?? []}::int[]) as member),
    groups as (
      insert into matriarch.group_groups (group_id, member_id)
      select made.id, member from made, unnest(${options.groups ?? []}::int[]) as member),
    connections as (
      insert into matriarch.group_connections (group_id, connection_id, access_level)
      select made.id, granted.id, granted.level
      from made, unnest(${granted.map(([key]) => Number(key))}::int[], ${granted.map(([, level]) => level)}::text[])
        as granted (id, level)),
    mcp as (
      insert into matriarch.group_mcp_privileges (group_id, identifier)
      select made.id, name from made, unnest(${options.mcp ?? []}::text[]) as name),
    permissions as (
      insert into matriarch.group_permissions (group_id, permission)
      select made.id, name from made, unnest(${options.permissions ?? []}::text[]) as name)
    select id from made`);
  await grantScopes(db, id, options);
  return id;
}

async function grantScopes(
  db: Db,
  id: number,
  { clusters = {}, cluster_groups = {} }: GroupOptions,
): Promise<void> {
  const granted = [
    ...Object.entries(clusters).map(([key, level]) => ({ scope: 'cluster', scope_id: Number(key), level })),
    ...Object.entries(cluster_groups).map(([key, level]) => ({
      scope: 'group',
      scope_id: Number(key),
      level,
    })),
  ];
  if (granted.length === 0) return;
  await db.run(sql`/* test.group_scopes */
    insert into matriarch.group_scopes (group_id, scope, scope_id, access_level)
    select ${id}::int, g.scope, g.scope_id, g.level
    from jsonb_to_recordset(${JSON.stringify(granted)}::jsonb) as g (scope text, scope_id integer, level text)`);
  await db.run(sql`/* test.access_members */
    insert into matriarch.access_members (connection_id, cluster_id)
    select distinct c.id, cl.id
    from matriarch.clusters cl
    join matriarch.connections c on c.cluster_id = cl.id
    join matriarch.group_scopes gs on gs.scope_id = case gs.scope when 'cluster' then cl.id else cl.group_id end
    where gs.group_id = ${id}::int
    on conflict (connection_id) do update set cluster_id = excluded.cluster_id`);
}
