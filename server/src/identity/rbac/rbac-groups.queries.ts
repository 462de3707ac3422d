// SQL of groups and their members.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';

export interface GroupRow {
  id: number;
  name: string;
  description: string;
  created_at: string;
  requires_second_factor: boolean;
}

const columns = sql`g.id, g.name, g.description, g.created_at, g.requires_second_factor`;

export function listGroupRows(db: Db): Promise<(GroupRow & { member_count: number; member_of: string[] })[]> {
  return db.rows(sql`/* rbac.list_groups */
    select ${columns},
      (
        (select count(*) from matriarch.group_users gu where gu.group_id = g.id)
        + (select count(*) from matriarch.group_groups gg where gg.group_id = g.id)
      )::int as member_count,
      array(
        select above.name
        from matriarch.group_groups gg
        join matriarch.groups above on above.id = gg.group_id
        where gg.member_id = g.id
        order by lower(above.name), above.id
      ) as member_of
    from matriarch.groups g
    order by lower(g.name), g.id`);
}

export function findGroup(db: Db, id: number): Promise<GroupRow | undefined> {
  return db.maybe<GroupRow>(sql`/* rbac.get_group */
    select ${columns} from matriarch.groups g where g.id = ${id}`);
}

export interface MembersRow {
  user_members: string[];
  group_members: string[];
}

export function findMembers(db: Db, id: number): Promise<MembersRow> {
  return db.one<MembersRow>(sql`/* rbac.get_members */
    select
      array(
        select u.username
        from matriarch.group_users gu
        join matriarch.users u on u.id = gu.user_id
        where gu.group_id = ${id}
        order by lower(u.username), u.id
      ) as user_members,
      array(
        select m.name
        from matriarch.group_groups gg
        join matriarch.groups m on m.id = gg.member_id
        where gg.group_id = ${id}
        order by lower(m.name), m.id
      ) as group_members`);
}

/** No row comes back when the name is taken, in whatever case. */
export function insertGroup(
  db: Db,
  group: { name: string; description: string; requires_second_factor: boolean },
): Promise<{ id: number; name: string } | undefined> {
  return db.maybe(sql`/* rbac.insert_group */
    insert into matriarch.groups (name, description, requires_second_factor)
    values (${group.name}, ${group.description}, ${group.requires_second_factor})
    on conflict (lower(name)) do nothing
    returning id, name`);
}

export interface GroupChange {
  name?: string | undefined;
  description?: string | undefined;
  requires_second_factor?: boolean | undefined;
}

export function updateGroup(db: Db, id: number, change: GroupChange): Promise<GroupRow | undefined> {
  return db.maybe<GroupRow>(sql`/* rbac.update_group */
    update matriarch.groups g
    set name = coalesce(${change.name ?? null}, g.name),
      description = coalesce(${change.description ?? null}, g.description),
      requires_second_factor = coalesce(${change.requires_second_factor ?? null}::boolean, g.requires_second_factor)
    where g.id = ${id}
    returning ${columns}`);
}

/** Memberships and grants go with it. */
export function deleteGroup(db: Db, id: number): Promise<{ name: string } | undefined> {
  return db.maybe(sql`/* rbac.delete_group */
    delete from matriarch.groups where id = ${id} returning name`);
}

export interface Member {
  kind: 'user' | 'group';
  id: number;
}

const TABLES: Record<Member['kind'], { members: Sql; column: Sql; named: Sql; name: Sql }> = {
  user: {
    members: sql`matriarch.group_users`,
    column: sql`user_id`,
    named: sql`matriarch.users`,
    name: sql`username`,
  },
  group: {
    members: sql`matriarch.group_groups`,
    column: sql`member_id`,
    named: sql`matriarch.groups`,
    name: sql`name`,
  },
};

/** The name of somebody who could be a member; it stays until the transaction ends. */
export async function findMemberName(db: Db, { kind, id }: Member): Promise<string | undefined> {
  const { named, name } = TABLES[kind];
  const row = await db.maybe<{ name: string }>(sql`/* rbac.member_name */
    select ${name} as name from ${named} where id = ${id} for key share`);
  return row?.name;
}

export async function insertMember(db: Db, groupId: number, { kind, id }: Member): Promise<boolean> {
  const { members, column } = TABLES[kind];
  const added = await db.run(sql`/* rbac.add_member */
    insert into ${members} (group_id, ${column})
    values (${groupId}, ${id})
    on conflict do nothing`);
  return added === 1;
}

export async function deleteMember(db: Db, groupId: number, { kind, id }: Member): Promise<boolean> {
  const { members, column } = TABLES[kind];
  const removed = await db.run(sql`/* rbac.remove_member */
    delete from ${members} where group_id = ${groupId} and ${column} = ${id}`);
  return removed === 1;
}
