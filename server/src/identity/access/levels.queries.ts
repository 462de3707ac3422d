// The level of somebody on a connection, as SQL. One expression for everybody (a person, a token, a group that is
// looked at by itself), so that what a list shows, what the gate finds and what may be given away cannot disagree.
// Levels are 0 none, 1 read, 2 read_write. Scope is a ceiling, never a gift.
import { type Sql, sql } from '../../kernel/sql.ts';
import type { Principal } from './principal.ts';

/** Whoever is asked about, as SQL expressions: columns of a looked-up token, or parameters of somebody known. */
export interface Subject {
  user_id: Sql;
  /** A superuser's account. */
  all_connections: Sql;
  /** What a shared connection gives: 1 or 2; 0 where nobody stands behind the grants. */
  shared_level: Sql;
  /** integer[]: every group whose grants count. */
  groups: Sql;
  /** jsonb, null when unrestricted. */
  scope: Sql;
  /** How many rows `c` there are to judge, which decides how grants are looked up. */
  rows: 'one' | 'many';
}

export const levelNumber = (access: 'read' | 'read_write' | undefined) => (access === 'read' ? 1 : 2);

/** integer[]: the groups a user is in, and all above them. Each is visited once, so a circle would do no harm. */
export const groupsOfUser = (userId: Sql): Sql => sql`array(
    with recursive above (id) as (
      select gu.group_id from matriarch.group_users gu where gu.user_id = ${userId}
      union
      select gg.group_id from matriarch.group_groups gg join above on above.id = gg.member_id
    )
    select above.id from above
  )`;

/** integer[]: a group and all above it, whose grants its members have. */
export const groupsFrom = (groupId: Sql): Sql => sql`array(
    with recursive above (id) as (
      select ${groupId}
      union
      select gg.group_id from matriarch.group_groups gg join above on above.id = gg.member_id
    )
    select above.id from above
  )`;

/** Grants of the subject's groups, for the `where` that follows. */
const grants = ({ groups }: Subject): Sql => sql`
      from matriarch.group_connections gc
      where gc.group_id = any(${groups})`;

/** The same of what is granted on clusters and groups of clusters, with the servers that inherit it. */
const inherited = ({ groups }: Subject): Sql => sql`
      from matriarch.inherited_grants ig
      where ig.group_id = any(${groups})`;
const HEIGHT = sql`max(case gc.access_level when 'read_write' then 2 else 1 end)`;
const INHERITED_HEIGHT = sql`max(case ig.access_level when 'read_write' then 2 else 1 end)`;

const grantedOnAll = (subject: Subject): Sql =>
  sql`coalesce((select ${HEIGHT} ${grants(subject)} and gc.connection_id = 0), 0)`;

/**
 * The highest grant on the connections row `c`, by itself or by its cluster. For one row that is a look into an index. For
 * a list it is sets that the server makes once and hashes, where a look for each row would cost as much as all the rest.
 */
const granted = (subject: Subject): Sql =>
  subject.rows === 'one'
    ? sql`greatest(
          coalesce((select ${HEIGHT} ${grants(subject)} and gc.connection_id in (0, c.id)), 0),
          coalesce((select ${INHERITED_HEIGHT} ${inherited(subject)} and ig.connection_id = c.id), 0)
        )`
    : sql`greatest(
          ${grantedOnAll(subject)},
          case
            when c.id in (select gc.connection_id ${grants(subject)} and gc.access_level = 'read_write') then 2
            when c.id in (select ig.connection_id ${inherited(subject)} and ig.access_level = 'read_write') then 2
            when c.id in (select gc.connection_id ${grants(subject)}) then 1
            when c.id in (select ig.connection_id ${inherited(subject)}) then 1
            else 0
          end
        )`;

/** The connections that are granted to the subject's groups one by one or by their clusters. */
export const grantedIds = (subject: Subject): Sql => sql`(
    select gc.connection_id ${grants(subject)}
    union
    select ig.connection_id ${inherited(subject)}
  )`;

/** A scope that is not a list allows nothing: what cannot be understood must not open anything. */
const ceiling = ({ scope }: Subject, connections: Sql): Sql => sql`
    case
      when ${scope} is null or not ${scope} ? 'connections' then 2
      when jsonb_typeof(${scope} -> 'connections') <> 'array' then 0
      else coalesce((
        select max(case entry ->> 'level' when 'read_write' then 2 when 'read' then 1 else 0 end)
        from jsonb_array_elements(${scope} -> 'connections') as entry
        where entry ->> 'connection_id' in (${connections})
      ), 0)
    end`;

/** The level on the connections row `c`. */
export const level = (subject: Subject): Sql => sql`
  case
    when c.deleted_at is not null then 0
    else least(
      case
        when ${subject.all_connections} or c.owner_id = ${subject.user_id} then 2
        else greatest(
          case when c.is_shared then ${subject.shared_level} else 0 end,
          ${granted(subject)}
        )
      end,
      ${ceiling(subject, sql`'0', c.id::text`)}
    )
  end`;

/** The level on every connection, those to come too. */
export const wildcardLevel = (subject: Subject): Sql => sql`
  least(
    case when ${subject.all_connections} then 2 else ${grantedOnAll(subject)} end,
    ${ceiling(subject, sql`'0'`)}
  )`;

/**
 * The level on all servers of a cluster or group of clusters, those to come too: what its groups of users hold there, or
 * everywhere. A token that is limited to some connections holds none of those to come.
 */
export const scopeLevel = (subject: Subject, { scope, scope_id }: { scope: Sql; scope_id: Sql }): Sql => sql`
  least(
    case
      when ${subject.all_connections} then 2
      else greatest(
        ${grantedOnAll(subject)},
        coalesce((
          select max(case held.access_level when 'read_write' then 2 else 1 end)
          from matriarch.group_scopes held
          where held.group_id = any(${subject.groups}) and held.scope = ${scope} and held.scope_id = ${scope_id}
        ), 0)
      )
    end,
    ${ceiling(subject, sql`'0'`)}
  )`;

const TRUE = sql`true`;
const FALSE = sql`false`;
const UNRESTRICTED = sql`null::jsonb`;

/**
 * Of somebody known. What decides how much there is to look up is part of the text: as a parameter, a prepared statement
 * would be planned anew at each call, since a plan for one value looks cheaper than one for all.
 */
export function subjectOf(principal: Principal): Subject {
  const user_id = sql`${principal.user_id}::int`;
  return {
    user_id,
    all_connections: (principal.all_connections ?? principal.is_superuser) ? TRUE : FALSE,
    shared_level: sql`${levelNumber(principal.shared_access)}::int`,
    groups: groupsOfUser(user_id),
    scope: principal.scope === undefined ? UNRESTRICTED : sql`${JSON.stringify(principal.scope)}::jsonb`,
    rows: 'many',
  };
}
