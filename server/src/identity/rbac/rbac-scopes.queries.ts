// SQL of what groups of users are granted on clusters and groups of clusters. A name that the caller may not see is left
// empty, and so are servers.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { visible } from '../access/access.queries.ts';
import { scopeLevel, subjectOf } from '../access/levels.queries.ts';
import type { ServerOfCluster } from '../access/members.queries.ts';
import type { Principal } from '../access/principal.ts';
import { clusterJoins, clusterName, visibleCluster, visibleClusterGroup } from '../access/scopes.queries.ts';

export interface ScopeRef {
  scope: 'cluster' | 'group';
  scope_id: number;
}

export interface ScopeGrant extends ScopeRef {
  access_level: 'read' | 'read_write';
}

/** Clusters and groups of clusters that the caller can see, by `scope` and `scope_id`. */
const seenScopes = (principal: Principal): Sql => sql`(
    select 'cluster' as scope, cl.id as scope_id, ${clusterName} as name, false as is_default
    from matriarch.clusters cl
    ${clusterJoins}
    where ${visibleCluster(principal)}
    union all
    select 'group', g.id, g.name, g.is_default
    from matriarch.cluster_groups g
    where ${visibleClusterGroup(principal)}
  )`;

export interface FoundScope {
  name: string;
  is_default: boolean;
}

/** Undefined where there is none, or the caller cannot see it. */
export function findScope(
  db: Db,
  principal: Principal,
  { scope, scope_id }: ScopeRef,
): Promise<FoundScope | undefined> {
  return db.maybe<FoundScope>(sql`/* rbac.find_scope */
    select s.name, s.is_default
    from ${seenScopes(principal)} s
    where s.scope = ${scope} and s.scope_id = ${scope_id}::int`);
}

/** It stays until the transaction ends, and no other transaction moves servers or clusters there. */
export async function lockScope(db: Db, { scope, scope_id }: ScopeRef): Promise<void> {
  const rows = scope === 'cluster' ? sql`matriarch.clusters` : sql`matriarch.cluster_groups`;
  await db.run(
    sql`/* rbac.lock_scope */ select r.id from ${rows} r where r.id = ${scope_id}::int for update`,
  );
}

/** The caller's own level on all servers of it, those to come too. */
export async function findOwnScopeLevel(db: Db, principal: Principal, wanted: ScopeRef): Promise<number> {
  const about = { scope: sql`${wanted.scope}::text`, scope_id: sql`${wanted.scope_id}::int` };
  const row = await db.one<{ level: number }>(sql`/* rbac.own_scope_level */
    select ${scopeLevel(subjectOf(principal), about)} as level`);
  return row.level;
}

export async function saveScopeGrant(
  db: Db,
  groupId: number,
  { scope, scope_id, access_level }: ScopeGrant,
): Promise<void> {
  await db.run(sql`/* rbac.save_scope_grant */
    insert into matriarch.group_scopes (group_id, scope, scope_id, access_level)
    values (${groupId}::int, ${scope}, ${scope_id}::int, ${access_level})
    on conflict (group_id, scope, scope_id) do update set access_level = excluded.access_level`);
}

/** Says of a group that was just made what it is for. */
export async function markByName(db: Db, groupId: number): Promise<void> {
  await db.run(sql`/* rbac.mark_by_name */
    update matriarch.group_scopes set by_name = true where group_id = ${groupId}::int`);
}

export async function deleteScopeGrant(
  db: Db,
  groupId: number,
  { scope, scope_id }: ScopeRef,
): Promise<boolean> {
  const deleted = await db.run(sql`/* rbac.revoke_scope */
    delete from matriarch.group_scopes
    where group_id = ${groupId}::int and scope = ${scope} and scope_id = ${scope_id}::int`);
  return deleted === 1;
}

export interface GroupScopeRow extends ScopeGrant {
  name: string;
  connection_ids: number[];
}

/** What a group itself was granted, with the servers that inherit it now; only what the caller can see. */
export function listScopeGrants(db: Db, principal: Principal, groupId: number): Promise<GroupScopeRow[]> {
  return db.rows<GroupScopeRow>(sql`/* rbac.list_scopes */
    select gs.scope, gs.scope_id, gs.access_level, s.name,
      array(
        select ig.connection_id
        from matriarch.inherited_grants ig
        join matriarch.connections c on c.id = ig.connection_id
        where ig.group_id = gs.group_id and ig.scope = gs.scope and ig.scope_id = gs.scope_id and ${visible(principal)}
        order by ig.connection_id
      ) as connection_ids
    from matriarch.group_scopes gs
    join ${seenScopes(principal)} s on s.scope = gs.scope and s.scope_id = gs.scope_id
    where gs.group_id = ${groupId}::int
    order by gs.scope, lower(s.name), gs.scope_id`);
}

export interface ScopeGrantRow extends ScopeGrant {
  group_id: number;
  group_name: string;
  scope_name: string;
  user_count: number;
  is_own: boolean;
  users: { id: number; username: string }[];
}

/** Whether the group `g` was made for users who were given one scope by name, and still has nothing else, also from above. */
const isOwn = sql`(
  not exists (select from matriarch.group_connections gc where gc.group_id = g.id)
  and not exists (select from matriarch.group_mcp_privileges gm where gm.group_id = g.id)
  and not exists (select from matriarch.group_permissions gp where gp.group_id = g.id)
  and not exists (select from matriarch.group_groups gg where gg.member_id = g.id)
  and (select bool_and(own.by_name) and count(*) = 1 from matriarch.group_scopes own where own.group_id = g.id)
)`;

/** Names in one answer. */
const MOST_USERS = 100;

const directUsers = sql`coalesce((
  select jsonb_agg(jsonb_build_object('id', m.id, 'username', m.username) order by lower(m.username), m.id)
  from (
    select u.id, u.username
    from matriarch.group_users gu
    join matriarch.users u on u.id = gu.user_id
    where gu.group_id = g.id
    order by lower(u.username), u.id
    limit ${MOST_USERS}
  ) m
), '[]'::jsonb)`;

export interface OwnGroup {
  id: number;
  name: string;
  access_level: 'read' | 'read_write';
}

/** The groups that were made for users who were given the scope by name; the oldest first. */
export function listOwnGroups(db: Db, { scope, scope_id }: ScopeRef): Promise<OwnGroup[]> {
  return db.rows<OwnGroup>(sql`/* rbac.own_groups */
    select g.id, g.name, gs.access_level
    from matriarch.group_scopes gs
    join matriarch.groups g on g.id = gs.group_id
    where gs.scope = ${scope} and gs.scope_id = ${scope_id}::int and ${isOwn}
    order by g.id`);
}

/** Users in the group `g` and in all groups below it. */
const userCount = sql`(
  with recursive below (id) as (
    select g.id
    union
    select gg.member_id from matriarch.group_groups gg join below on below.id = gg.group_id
  )
  select count(distinct gu.user_id)::int
  from matriarch.group_users gu
  where gu.group_id in (select b.id from below b)
)`;

/** Who was granted it; of a cluster, who was granted its group as well. */
export function listGrantsOn(
  db: Db,
  principal: Principal,
  { scope, scope_id }: ScopeRef,
): Promise<ScopeGrantRow[]> {
  return db.rows<ScopeGrantRow>(sql`/* rbac.grants_on */
    select gs.group_id, g.name as group_name, gs.scope, gs.scope_id, s.name as scope_name, gs.access_level,
      ${userCount} as user_count, ${isOwn} as is_own,
      case when ${isOwn} then ${directUsers} else '[]'::jsonb end as users
    from matriarch.group_scopes gs
    join matriarch.groups g on g.id = gs.group_id
    join ${seenScopes(principal)} s on s.scope = gs.scope and s.scope_id = gs.scope_id
    where (gs.scope = ${scope} and gs.scope_id = ${scope_id}::int)
      or (
        gs.scope = 'group'
        and gs.scope_id in (
          select own.group_id from matriarch.clusters own where ${scope} = 'cluster' and own.id = ${scope_id}::int
        )
      )
    order by lower(g.name), g.id, gs.scope`);
}

export interface MemberRow {
  connection_id: number;
  name: string;
  inherits: boolean;
}

/** Of these servers those that the caller can see, and whether each inherits what is granted on its cluster. */
export function listMembership(
  db: Db,
  principal: Principal,
  servers: readonly ServerOfCluster[],
): Promise<MemberRow[]> {
  return db.rows<MemberRow>(sql`/* rbac.membership */
    select c.id as connection_id, c.name,
      exists (
        select from matriarch.access_members am where am.connection_id = c.id and am.cluster_id = c.cluster_id
      ) as inherits
    from matriarch.connections c
    where c.id = any(${servers.map(({ connection_id }) => connection_id)}::int[]) and ${visible(principal)}
    order by lower(c.name), c.id`);
}
