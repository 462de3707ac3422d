// SQL of groups of clusters.

import { type Principal, visibleClusterGroup } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';

export interface GroupRow {
  id: number;
  name: string;
  description: string;
  owner_id: number | null;
  owner_username: string | null;
  is_shared: boolean;
  is_default: boolean;
  auto_group_key: string | null;
  created_at: string;
  updated_at: string;
}

const rows = (principal: Principal, where: Sql) => sql`(
  select
    g.id, g.name, g.description, g.owner_id, u.username as owner_username, g.is_shared, g.is_default,
    g.auto_group_key, g.created_at, g.updated_at
  from matriarch.cluster_groups g
  left join matriarch.users u on u.id = g.owner_id
  where ${where} and ${visibleClusterGroup(principal)}
  order by g.is_default desc, lower(g.name), g.id
)`;

export function listGroups(db: Db, principal: Principal): Promise<GroupRow[]> {
  return db.rows<GroupRow>(sql`/* cluster_groups.list */ ${rows(principal, sql`true`)}`);
}

export function findGroup(db: Db, principal: Principal, id: number): Promise<GroupRow | undefined> {
  return db.maybe<GroupRow>(sql`/* cluster_groups.get */ ${rows(principal, sql`g.id = ${id}::int`)}`);
}

export function findDefaultGroup(db: Db, principal: Principal): Promise<GroupRow | undefined> {
  return db.maybe<GroupRow>(sql`/* cluster_groups.get_default */ ${rows(principal, sql`g.is_default`)}`);
}

export function findGroupByKey(db: Db, principal: Principal, key: string): Promise<GroupRow | undefined> {
  return db.maybe<GroupRow>(sql`/* cluster_groups.get_by_key */
    ${rows(principal, sql`g.auto_group_key = ${key}`)}`);
}

export interface NewGroup {
  name: string;
  description: string;
  is_shared: boolean;
  owner_id: number;
}

export async function insertGroup(db: Db, group: NewGroup): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`/* cluster_groups.insert */
    insert into matriarch.cluster_groups (name, description, is_shared, owner_id)
    values (${group.name}, ${group.description}, ${group.is_shared}, ${group.owner_id})
    returning id`);
  return id;
}

/** Nobody's, for it stands for something that was detected; unless somebody else just stored it. */
export async function storeAutoGroup(db: Db, key: string, name: string): Promise<void> {
  await db.run(sql`/* cluster_groups.store_auto */
    insert into matriarch.cluster_groups (name, auto_group_key)
    values (${name}, ${key})
    on conflict (auto_group_key) do nothing`);
}

export interface GroupChange {
  name: string;
  description: string | null;
  is_shared: boolean | null;
}

/** Null stays as it is. */
export async function updateGroup(db: Db, id: number, change: GroupChange): Promise<void> {
  await db.run(sql`/* cluster_groups.update */
    update matriarch.cluster_groups g
    set name = ${change.name},
      description = coalesce(${change.description}::text, g.description),
      is_shared = coalesce(${change.is_shared}::boolean, g.is_shared),
      updated_at = now()
    where g.id = ${id}::int`);
}

/** Its clusters fall to the default group. */
export async function deleteGroup(db: Db, id: number): Promise<void> {
  await db.run(sql`/* cluster_groups.delete */
    delete from matriarch.cluster_groups g where g.id = ${id}::int and not g.is_default`);
}
