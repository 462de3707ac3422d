// Texts of statements, which are kept once for each database, user and statement, and where one was seen.
import { type Sql, sql } from '../../kernel/sql.ts';
import { knownObjects, knownStatements } from '../../store/read/doors/relations.ts';

export interface StatementName {
  readonly database_name: string;
  readonly queryid: string;
}

export interface TextsRead {
  readonly connection_id: number;
  /** In the order in which they are shown. */
  readonly statements: readonly StatementName[];
  /** Statements whose text fits this regular expression are left out. */
  readonly without?: string | undefined;
  /** Only statements whose text holds this, whatever its case. */
  readonly holding?: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface TextRow {
  /** Before offset and limit. */
  total: number;
  /** Place among the statements asked, from 1; null: none is left. */
  place: number | null;
  /** Null where the text is not known. */
  query_text: string | null;
}

const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

/** What a server called an id and is none has no text. */
function idOf(text: string): string | null {
  if (!/^-?\d{1,19}$/.test(text)) return null;
  const id = BigInt(text);
  return id < SMALLEST || id > LARGEST ? null : text;
}

/** Four bytes each at most, so that no text is longer than 64 KiB. */
const LONGEST_CHARACTERS = 16 * 1024;

/** At least one row. */
export const statementTexts = ({ connection_id, statements, offset, limit, ...of }: TextsRead): Sql => sql`
  /* store.statement_texts */
  with told as (
    select
      a.place::integer as place,
      (
        select q.query_text
        from ${knownStatements} q
        where q.connection_id = ${connection_id}
          and q.database_name = a.database_name
          and q.queryid = a.queryid
        order by q.toplevel desc, q.last_seen desc
        limit 1
      ) as query_text
    from unnest(
      ${statements.map(({ database_name }) => database_name)}::text[],
      ${statements.map(({ queryid }) => idOf(queryid))}::bigint[]
    ) with ordinality as a (database_name, queryid, place)
  ), kept as materialized (
    select t.place, t.query_text
    from told t
    where (${of.without ?? null}::text is null or (t.query_text ~ ${of.without ?? null}::text) is not true)
      and (${of.holding ?? null}::text is null or strpos(lower(t.query_text), lower(${of.holding ?? null}::text)) > 0)
  )
  select c.total, p.place, p.query_text
  from (select count(*)::integer as total from kept) c
  left join lateral (
    select k.place, left(k.query_text, ${LONGEST_CHARACTERS}) as query_text
    from kept k
    order by k.place
    offset ${offset} limit ${limit}
  ) p on true
  order by p.place`;

export interface SeenRow {
  database_name: string;
  userid: string | null;
  username: string | null;
  first_seen: string;
  last_seen: string;
  query_text: string | null;
}

/** More than these places of one statement are not told. */
const MOST_PLACES = 1000;

/**
 * Each database, role and level in which a statement was ever seen, the one seen last first; its text stands in the first
 * row, however many there are.
 */
export const statementSeen = (connectionId: number, queryid: string): Sql => sql`
  /* store.statement_seen */
  with seen as (
    select o.database_name, o.key ->> 'userid' as userid, o.labels ->> 'username' as username, o.first_seen, o.last_seen,
      row_number() over (order by o.last_seen desc, o.object_id) as place
    from ${knownObjects} o
    where o.connection_id = ${connectionId}
      and o.kind = 'pg_stat_statements'
      and o.key ->> 'queryid' = ${queryid}
  )
  select
    s.database_name, s.userid, s.username, s.first_seen, s.last_seen,
    case
      when s.place = 1 then (
        select left(q.query_text, ${LONGEST_CHARACTERS})
        from ${knownStatements} q
        where q.connection_id = ${connectionId}
          and q.database_name in (select x.database_name from seen x)
          and q.queryid = ${idOf(queryid)}::bigint
        order by q.toplevel desc, q.last_seen desc
        limit 1
      )
    end as query_text
  from seen s
  where s.place <= ${MOST_PLACES}
  order by s.place`;
