// The access function: the one place that says what somebody may do with a connection. It is an SQL expression on
// a row `c` of matriarch.connections, so lists filter by it, single reads select it, and the gate joins it to the
// token it looks up; they cannot disagree. Levels are 0 none, 1 read, 2 read_write. Scope is a ceiling, never a gift.
import type { Db } from '../../kernel/db.ts';
import { prepared, type Sql, sql } from '../../kernel/sql.ts';
import type { Principal, TokenScope } from './principal.ts';

/** Whoever is asking, as SQL expressions: columns of a looked-up token, or parameters of a known principal. */
interface Subject {
  user_id: Sql;
  all_connections: Sql;
  /** What a shared connection gives: 1 or 2. */
  shared_level: Sql;
  /** jsonb, null when unrestricted. */
  scope: Sql;
}

const levelNumber = (access: 'read' | 'read_write' | undefined) => (access === 'read' ? 1 : 2);

/** A scope that is not a list allows nothing: what cannot be understood must not open anything. */
const ceiling = (scope: Sql) => sql`
  case
    when ${scope} is null or not ${scope} ? 'connections' then 2
    when jsonb_typeof(${scope} -> 'connections') <> 'array' then 0
    else coalesce((
      select max(case entry ->> 'level' when 'read_write' then 2 when 'read' then 1 else 0 end)
      from jsonb_array_elements(${scope} -> 'connections') as entry
      where entry ->> 'connection_id' in ('0', c.id::text)
    ), 0)
  end`;

/** Grants of groups become one more line of `greatest`. */
const level = (subject: Subject) => sql`
  case
    when c.deleted_at is not null then 0
    else least(
      greatest(
        case when ${subject.all_connections} or c.owner_id = ${subject.user_id} then 2 else 0 end,
        case when c.is_shared then ${subject.shared_level} else 0 end
      ),
      ${ceiling(subject.scope)}
    )
  end`;

function subjectOf(principal: Principal): Subject {
  return {
    user_id: sql`${principal.user_id}::int`,
    all_connections: sql`${principal.all_connections ?? principal.is_superuser}::boolean`,
    shared_level: sql`${levelNumber(principal.shared_access)}::int`,
    scope: sql`${principal.scope === undefined ? null : JSON.stringify(principal.scope)}::jsonb`,
  };
}

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
  kind: 'session' | 'token';
  id: number;
  user_id: number;
  username: string;
  is_superuser: boolean;
  scope: TokenScope | null;
}

export interface Presented {
  /** SHA-256 of the token's text. */
  hash: Buffer;
  /** The connection that the request names, if it names one. */
  connection_id: number | null;
  shared_access: 'read' | 'read_write';
  /** The time now, as RFC 3339 text. */
  now: string;
}

/** Who a token belongs to and what they may do with one connection: the only statement before a request's own. */
export function findCaller(db: Db, presented: Presented): Promise<CallerRow | undefined> {
  const subject: Subject = {
    user_id: sql`u.id`,
    all_connections: sql`u.is_superuser`,
    shared_level: sql`${levelNumber(presented.shared_access)}::int`,
    scope: sql`credential.scope`,
  };
  const statement = sql`/* access.authenticate */
    with credential as (
      select 'session' as kind, s.id, s.user_id, null::jsonb as scope
      from matriarch.sessions s
      where s.token_hash = ${presented.hash} and s.expires_at > ${presented.now}::timestamptz
      union all
      select 'token', t.id, t.user_id, t.scope
      from matriarch.api_tokens t
      where t.token_hash = ${presented.hash} and (t.expires_at is null or t.expires_at > ${presented.now}::timestamptz)
    )
    select
      credential.kind, credential.id, credential.scope,
      u.id as user_id, u.username, u.is_superuser,
      c.id is not null as found,
      coalesce(c.owner_id = u.id, false) as owned,
      case when c.id is null then 0 else ${level(subject)} end as level
    from credential
    join matriarch.users u on u.id = credential.user_id and u.enabled
    left join matriarch.connections c on c.id = ${presented.connection_id}::int and c.deleted_at is null`;
  return db.maybe<CallerRow>(prepared(statement));
}

export async function findConnectionAccess(
  db: Db,
  principal: Principal,
  connectionId: number,
): Promise<ConnectionAccess> {
  const row = await db.maybe<ConnectionAccess>(sql`/* access.connection */
    select true as found, c.owner_id = ${principal.user_id}::int as owned, ${levelOf(principal)} as level
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

export interface TokenUse {
  id: number;
  /** Milliseconds since the epoch. */
  at: number;
}

export async function saveTokenUses(db: Db, uses: readonly TokenUse[]): Promise<void> {
  await db.run(sql`/* access.save_token_uses */
    update matriarch.api_tokens t
    set last_used_at = greatest(t.last_used_at, to_timestamp(used.at / 1000.0))
    from unnest(${uses.map(({ id }) => id)}::int[], ${uses.map(({ at }) => at)}::float8[]) as used (id, at)
    where t.id = used.id`);
}
