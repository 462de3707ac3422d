// What users, tokens and groups hold, read with the same expression of levels that decides each request; and how that
// compares with a caller.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import {
  grantedIds,
  groupsFrom,
  groupsOfUser,
  level,
  levelNumber,
  type Subject,
  scopeLevel,
  subjectOf,
  wildcardLevel,
} from './levels.queries.ts';
import type { Principal, TokenScope } from './principal.ts';

/** Whose rights are looked at: a user's, a group's with what it inherits, a user's under the scope of a token. */
export type Holder =
  | { kind: 'user'; id: number }
  | { kind: 'group'; id: number }
  | { kind: 'token'; user_id: number; scope: TokenScope | undefined };

export interface HeldRow {
  is_superuser: boolean;
  admin_permissions: string[];
  mcp_privileges: string[];
}

type SharedAccess = Principal['shared_access'];

function subjectOfHolder(holder: Holder, shared: SharedAccess): Subject {
  const rows = 'many' as const;
  if (holder.kind === 'group') {
    const nobody = { user_id: sql`null::int`, all_connections: sql`false`, shared_level: sql`0` };
    return { ...nobody, groups: groupsFrom(sql`${holder.id}::int`), scope: sql`null::jsonb`, rows };
  }
  const id = holder.kind === 'user' ? holder.id : holder.user_id;
  const scope = holder.kind === 'user' ? undefined : holder.scope;
  const user_id = sql`${id}::int`;
  return {
    user_id,
    all_connections: isSuperuser(holder),
    shared_level: sql`${levelNumber(shared)}::int`,
    groups: groupsOfUser(user_id),
    scope: sql`${scope === undefined ? null : JSON.stringify(scope)}::jsonb`,
    rows,
  };
}

function isSuperuser(holder: Holder): Sql {
  if (holder.kind === 'group') return sql`false`;
  const id = holder.kind === 'user' ? holder.id : holder.user_id;
  return sql`exists (select 1 from matriarch.users su where su.id = ${id}::int and su.is_superuser)`;
}

const held = (holder: Holder, { groups }: Subject): Sql => sql`
    ${isSuperuser(holder)} as is_superuser,
    array(
      select distinct gp.permission from matriarch.group_permissions gp where gp.group_id = any(${groups}) order by 1
    ) as admin_permissions,
    array(
      select distinct gm.identifier from matriarch.group_mcp_privileges gm where gm.group_id = any(${groups}) order by 1
    ) as mcp_privileges`;

/** Undefined: deleted or disabled. */
export const findUser = (db: Db, id: number): Promise<{ username: string } | undefined> =>
  db.maybe<{ username: string }>(sql`/* access.holder */
    select u.username from matriarch.users u where u.id = ${id}::int and u.enabled`);

/** Grants as they are stored for the holder's groups; neither cut by a scope nor widened by being superuser. */
export function findHeld(db: Db, holder: Holder): Promise<HeldRow> {
  return db.one<HeldRow>(sql`/* access.held */ select ${held(holder, subjectOfHolder(holder, undefined))}`);
}

/** The same, and whether the holder reaches anything that `principal` does not, now or when connections are added. */
export function compareHeld(
  db: Db,
  principal: Principal,
  holder: Holder,
): Promise<HeldRow & { reaches_more: boolean }> {
  const own = subjectOf(principal);
  const theirs = subjectOfHolder(holder, principal.shared_access);
  return db.one(sql`/* access.compare */
    select ${held(holder, theirs)},
      ${wildcardLevel(theirs)} > ${wildcardLevel(own)}
      or exists (
        select 1 from matriarch.connections c where c.deleted_at is null and ${level(theirs)} > ${level(own)}
      )
      or exists (
        select 1
        from matriarch.group_scopes gs
        where gs.group_id = any(${theirs.groups}) and ${scopeLevel(theirs, GIVEN)} > ${scopeLevel(own, GIVEN)}
      ) as reaches_more`);
}

/** What a row `gs` of matriarch.group_scopes is for. */
const GIVEN = { scope: sql`gs.scope`, scope_id: sql`gs.scope_id` };

export interface LevelRow {
  /** 0: every connection. */
  connection_id: number;
  level: 1 | 2;
}

/** What the holder owns, shares or was granted, each with the level that comes out in the end. */
export function listLevels(db: Db, holder: Holder, shared: SharedAccess): Promise<LevelRow[]> {
  const subject = subjectOfHolder(holder, shared);
  return db.rows<LevelRow>(sql`/* access.levels */
    select r.connection_id, r.level
    from (
      select c.id as connection_id, ${level(subject)} as level
      from matriarch.connections c
      where c.deleted_at is null
        and (
          c.owner_id = ${subject.user_id}
          or (c.is_shared and ${subject.shared_level} > 0)
          or c.id in ${grantedIds(subject)}
        )
      union all
      select 0, ${wildcardLevel(subject)}
    ) r
    where r.level > 0
    order by r.connection_id`);
}

/** The caller's own level on those of the ids that exist, and on 0; the connections stay until the transaction ends. */
export async function lockLevels(
  db: Db,
  principal: Principal,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const subject = subjectOf(principal);
  const rows = await db.rows<{ id: number; level: number }>(sql`/* access.lock_levels */
    select c.id, ${level(subject)} as level
    from matriarch.connections c
    where c.id = any(${ids}::int[]) and c.deleted_at is null
    for share of c`);
  const all = await db.one<{ level: number }>(
    sql`/* access.wildcard */ select ${wildcardLevel(subject)} as level`,
  );
  return new Map([[0, all.level], ...rows.map((row): [number, number] => [row.id, row.level])]);
}

/** The groups of a user by name, those above them included. */
export async function listGroupNames(db: Db, userId: number): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`/* access.group_names */
    select g.name
    from matriarch.groups g
    where g.id = any(${groupsOfUser(sql`${userId}::int`)})
    order by lower(g.name), g.id`);
  return rows.map(({ name }) => name);
}

/** True when `groupId` is `aboveId`, or a member of it over however many groups. */
export async function isBelow(db: Db, groupId: number, aboveId: number): Promise<boolean> {
  const { below } = await db.one<{ below: boolean }>(sql`/* access.is_below */
    select ${aboveId}::int = any(${groupsFrom(sql`${groupId}::int`)}) as below`);
  return below;
}

/** Held by everything that changes who may do what: checks and changes of two requests never interleave. */
export async function lockRights(db: Db): Promise<void> {
  await db.run(sql`/* access.lock_rights */ select pg_advisory_xact_lock(7264910)`);
}
