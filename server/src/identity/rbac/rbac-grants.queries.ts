// SQL of what groups are granted. Replacing a set keeps the rows that stay, with the time they were granted at.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export async function listMcpGrants(db: Db, groupId: number): Promise<string[]> {
  const rows = await db.rows<{ identifier: string }>(sql`/* rbac.list_mcp */
    select identifier
    from matriarch.group_mcp_privileges
    where group_id = ${groupId}
    order by identifier collate "C"`);
  return rows.map(({ identifier }) => identifier);
}

export async function replaceMcpGrants(
  db: Db,
  groupId: number,
  identifiers: readonly string[],
): Promise<void> {
  await db.run(sql`/* rbac.drop_mcp */
    delete from matriarch.group_mcp_privileges
    where group_id = ${groupId} and identifier <> all (${identifiers}::text[])`);
  await addMcpGrants(db, groupId, identifiers);
}

export async function addMcpGrants(db: Db, groupId: number, identifiers: readonly string[]): Promise<void> {
  await db.run(sql`/* rbac.add_mcp */
    insert into matriarch.group_mcp_privileges (group_id, identifier)
    select ${groupId}::int, identifier
    from unnest(${identifiers}::text[]) as identifier
    on conflict do nothing`);
}

export async function deleteMcpGrant(db: Db, groupId: number, identifier: string): Promise<boolean> {
  const deleted = await db.run(sql`/* rbac.revoke_mcp */
    delete from matriarch.group_mcp_privileges
    where group_id = ${groupId} and identifier = ${identifier}`);
  return deleted === 1;
}

export async function listPermissionGrants(db: Db, groupId: number): Promise<string[]> {
  const rows = await db.rows<{ permission: string }>(sql`/* rbac.list_permissions */
    select permission
    from matriarch.group_permissions
    where group_id = ${groupId}
    order by permission collate "C"`);
  return rows.map(({ permission }) => permission);
}

export async function replacePermissions(db: Db, groupId: number, names: readonly string[]): Promise<void> {
  await db.run(sql`/* rbac.drop_permissions */
    delete from matriarch.group_permissions
    where group_id = ${groupId} and permission <> all (${names}::text[])`);
  await addPermissions(db, groupId, names);
}

export async function addPermissions(db: Db, groupId: number, names: readonly string[]): Promise<void> {
  await db.run(sql`/* rbac.add_permissions */
    insert into matriarch.group_permissions (group_id, permission)
    select ${groupId}::int, permission
    from unnest(${names}::text[]) as permission
    on conflict do nothing`);
}

export async function deletePermission(db: Db, groupId: number, name: string): Promise<boolean> {
  const deleted = await db.run(sql`/* rbac.revoke_permission */
    delete from matriarch.group_permissions
    where group_id = ${groupId} and permission = ${name}`);
  return deleted === 1;
}

export interface Grant {
  connection_id: number;
  access_level: 'read' | 'read_write';
}

export interface GrantRow extends Grant {
  id: number;
  group_id: number;
  created_at: string;
}

export function listConnectionGrants(db: Db, groupId: number): Promise<GrantRow[]> {
  return db.rows<GrantRow>(sql`/* rbac.list_connections */
    select gc.id, gc.group_id, gc.connection_id, gc.access_level, gc.created_at
    from matriarch.group_connections gc
    where gc.group_id = ${groupId}
    order by gc.connection_id`);
}

export async function replaceConnectionGrants(
  db: Db,
  groupId: number,
  grants: readonly Grant[],
): Promise<void> {
  await db.run(sql`/* rbac.drop_connections */
    delete from matriarch.group_connections
    where group_id = ${groupId} and connection_id <> all (${grants.map((grant) => grant.connection_id)}::int[])`);
  await addConnectionGrants(db, groupId, grants);
}

export async function addConnectionGrants(db: Db, groupId: number, grants: readonly Grant[]): Promise<void> {
  await db.run(sql`/* rbac.add_connections */
    insert into matriarch.group_connections (group_id, connection_id, access_level)
    select ${groupId}::int, granted.connection_id, granted.access_level
    from unnest(
      ${grants.map((grant) => grant.connection_id)}::int[],
      ${grants.map((grant) => grant.access_level)}::text[]
    ) as granted (connection_id, access_level)
    on conflict (group_id, connection_id) do update set access_level = excluded.access_level`);
}

export async function deleteConnectionGrant(db: Db, groupId: number, connectionId: number): Promise<boolean> {
  const deleted = await db.run(sql`/* rbac.revoke_connection */
    delete from matriarch.group_connections
    where group_id = ${groupId} and connection_id = ${connectionId}`);
  return deleted === 1;
}
