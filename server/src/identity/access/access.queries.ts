// The access function: the one place that says what somebody may do with a connection. It is an SQL expression on
// a row `c` of matriarch.connections (levels.queries.ts), so lists filter by it, single reads select it, and the gate
// joins it to the token it looks up; they cannot disagree.
import type { Db } from '../../kernel/db.ts';
import { preparedOnce, type Sql, sql } from '../../kernel/sql.ts';
import {
  groupsOfUser,
  level,
  levelNumber,
  type Subject,
  subjectOf,
  wildcardLevel,
} from './levels.queries.ts';
import type { Principal, TokenScope } from './principal.ts';

/** 0, 1 or 2: what `principal` may do with the connections row `c`. */
export function levelOf(principal: Principal): Sql {
  return level(subjectOf(principal));
}

/** True where `principal` can see the connections row `c`; for the `where` of every list. */
export function visible(principal: Principal): Sql {
  return sql`(${levelOf(principal)}) > 0`;
}

export interface ConnectionAccess {
  /** False when there is no such connection, or it was deleted. */
  found: boolean;
  owned: boolean;
  level: 0 | 1 | 2;
}

export interface CallerRow extends ConnectionAccess {
  kind: 'session' | 'token' | 'provider_token';
  id: number;
  user_id: number;
  username: string;
  is_superuser: boolean;
  /** Granted to the user's groups; not yet cut by the scope. */
  admin_permissions: string[];
  mcp_privileges: string[];
  scope: TokenScope | null;
  /** Null where none is asked for: of a token, and of a session that a provider opened. */
  has_second_factor: boolean | null;
  /** Whom the proxy named that opened the session; null of all else. */
  proxy_subject: string | null;
  /** A group of the user, or one above it, asks for it. */
  group_requires_second_factor: boolean;
}

export interface Presented {
  /** SHA-256 of the token's text. */
  hash: Buffer;
  /** The connection that the request names, if it names one. */
  connection_id: number | null;
  shared_access: 'read' | 'read_write';
  /** The time now, as RFC 3339 text. */
  now: string;
  /** Sessions that were not used since then have ended; null: none ends by that. */
  used_since: string | null;
}

interface CallerParameters {
  connection_id: Sql;
  shared_level: Sql;
}

/** Who has the credential, with the rights of this moment; `credential` gives at most one row. */
function callerOf(credential: Sql, { connection_id, shared_level }: CallerParameters): Sql {
  const subject: Subject = {
    user_id: sql`u.id`,
    all_connections: sql`u.is_superuser`,
    shared_level: sql`${shared_level}::int`,
    groups: sql`held.groups`,
    scope: sql`credential.scope`,
    rows: 'one',
  };
  return sql`/* access.caller */
    with credential as (${credential})
    select
      credential.kind, credential.id, credential.scope, credential.proxy_subject,
      u.id as user_id, u.username, u.is_superuser,
      case when credential.is_local then exists (
        select from matriarch.second_factors f where f.user_id = u.id and f.confirmed_at is not null
      ) or exists (
        select from matriarch.passkeys p where p.user_id = u.id
      ) end as has_second_factor,
      exists (
        select from matriarch.groups g where g.id = any(held.groups) and g.requires_second_factor
      ) as group_requires_second_factor,
      array(
        select distinct gp.permission from matriarch.group_permissions gp where gp.group_id = any(held.groups)
      ) as admin_permissions,
      array(
        select distinct gm.identifier from matriarch.group_mcp_privileges gm where gm.group_id = any(held.groups)
      ) as mcp_privileges,
      c.id is not null as found,
      coalesce(c.owner_id = u.id, false) as owned,
      case when c.id is null then 0 else ${level(subject)} end as level
    from credential
    join matriarch.users u on u.id = credential.user_id and u.enabled
    cross join lateral (select ${groupsOfUser(sql`u.id`)} as groups offset 0) held
    left join matriarch.connections c on c.id = ${connection_id}::int and c.deleted_at is null`;
}

const callerStatement = preparedOnce(
  ['hash', 'connection_id', 'shared_level', 'now', 'used_since'],
  ({ hash, connection_id, shared_level, now, used_since }) => {
    const credential = sql`/* access.presented */
      select 'session' as kind, s.id, s.user_id, null::jsonb as scope, s.issuer is null as is_local,
        case when s.issuer = 'proxy' then s.subject end as proxy_subject
      from matriarch.sessions s
      where s.token_hash = ${hash} and s.expires_at > ${now}::timestamptz
        and (${used_since}::timestamptz is null or coalesce(s.last_used_at, s.created_at) > ${used_since}::timestamptz)
      union all
      select 'token', t.id, t.user_id, t.scope, false, null
      from matriarch.api_tokens t
      where t.token_hash = ${hash} and (t.expires_at is null or t.expires_at > ${now}::timestamptz)`;
    return sql`/* access.authenticate */ ${callerOf(credential, { connection_id, shared_level })}`;
  },
);

/** Also of a service account: a program comes so with a token of its own. The provider asks people for a second factor, so none is asked for here. */
const identityStatement = preparedOnce(['issuer', 'subject', 'shared_level'], (places) => {
  const { issuer, subject, shared_level } = places;
  const credential = sql`/* access.proven */
      select 'provider_token' as kind, i.id, i.user_id, null::jsonb as scope, false as is_local,
        null as proxy_subject
      from matriarch.user_identities i
      where i.issuer = ${issuer} and i.subject = ${subject}`;
  return sql`/* access.identity */ ${callerOf(credential, { connection_id: sql`null`, shared_level })}`;
});

/** Who a token belongs to and what they may do with one connection: the only statement before a request's own. */
export function findCaller(
  db: Db,
  { hash, connection_id, shared_access, now, used_since }: Presented,
): Promise<CallerRow | undefined> {
  const shared_level = levelNumber(shared_access);
  return db.maybe<CallerRow>(callerStatement({ hash, connection_id, shared_level, now, used_since }));
}

export interface PresentedIdentity {
  issuer: string;
  subject: string;
  shared_access: 'read' | 'read_write';
}

/** The enabled user with this identity at a provider, which has proven it. */
export function findIdentityCaller(
  db: Db,
  { issuer, subject, shared_access }: PresentedIdentity,
): Promise<CallerRow | undefined> {
  return db.maybe<CallerRow>(
    identityStatement({ issuer, subject, shared_level: levelNumber(shared_access) }),
  );
}

export async function findConnectionAccess(
  db: Db,
  principal: Principal,
  connectionId: number,
): Promise<ConnectionAccess> {
  const row = await db.maybe<ConnectionAccess>(sql`/* access.connection */
    select true as found, c.owner_id = ${principal.user_id}::int as owned,
      ${level({ ...subjectOf(principal), rows: 'one' })} as level
    from matriarch.connections c
    where c.id = ${connectionId} and c.deleted_at is null`);
  return row ?? { found: false, owned: false, level: 0 };
}

/** How many of these connections `principal` can read. */
export async function countReadable(db: Db, principal: Principal, ids: readonly number[]): Promise<number> {
  const row = await db.one<{ readable: number }>(sql`/* access.readable */
    select count(*)::int as readable
    from matriarch.connections c
    where c.id = any(${ids}::int[]) and c.deleted_at is null and ${visible(principal)}`);
  return row.readable;
}

/** Whether a token's scope names the connections that it is good for. */
export const isLimitedToSome = ({ scope }: Principal): boolean =>
  scope?.connections !== undefined && !scope.connections.some(({ connection_id }) => connection_id === 0);

/**
 * Whether `principal` sees every server: those to come too, or all that there are. Who sees none because there is none sees
 * no estate, nor does a token that is limited to some connections, even if these are all.
 */
export async function seesEstate(db: Db, principal: Principal): Promise<boolean> {
  if (isLimitedToSome(principal)) return false;
  const row = await db.one<{ seen: boolean }>(sql`/* access.sees_estate */
    select ${wildcardLevel(subjectOf(principal))} > 0 or coalesce(bool_and(${visible(principal)}), false) as seen
    from matriarch.connections c
    where c.deleted_at is null`);
  return row.seen;
}

export interface TokenUse {
  kind: 'session' | 'token';
  id: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * What somebody else holds is left out: it goes along with its user, which would otherwise wait for us as we wait for it,
 * or another process notes the same.
 */
export async function saveTokenUses(db: Db, uses: readonly TokenUse[]): Promise<void> {
  const [kinds, ids, times] = [
    uses.map(({ kind }) => kind),
    uses.map(({ id }) => id),
    uses.map(({ at }) => at),
  ];
  await db.run(sql`/* access.save_token_uses */
    with used as (
      select u.kind, u.id, to_timestamp(u.at / 1000.0) as at
      from unnest(${kinds}::text[], ${ids}::int[], ${times}::float8[]) as u (kind, id, at)
    ),
    tokens as materialized (
      select t.id, used.at from matriarch.api_tokens t join used on used.kind = 'token' and used.id = t.id
      for no key update of t skip locked
    ),
    sessions as materialized (
      select s.id, used.at from matriarch.sessions s join used on used.kind = 'session' and used.id = s.id
      for no key update of s skip locked
    ),
    saved as (
      update matriarch.sessions s
      set last_used_at = greatest(s.last_used_at, sessions.at)
      from sessions
      where s.id = sessions.id
    )
    update matriarch.api_tokens t
    set last_used_at = greatest(t.last_used_at, tokens.at)
    from tokens
    where t.id = tokens.id`);
}
