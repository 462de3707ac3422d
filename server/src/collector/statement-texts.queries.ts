// The dictionary of statement texts in the datastore: which are known, and adding new ones.
import { type Sql, sql } from '../kernel/sql.ts';
import type { StatementKey } from '../probes/types.ts';
import { held, type Lease } from '../store/write/fence.queries.ts';

/** Within a database. */
export type KeyOfText = Omit<StatementKey, 'dbid'>;

export interface StoredKey extends KeyOfText {
  readonly database_name: string;
}

export interface StatementText extends StoredKey {
  readonly query_text: string;
}

/**
 * Those of `keys` whose text is kept, as {database_name, userid, queryid, toplevel}; says that they are still in use. Of
 * all databases at once.
 */
export function knownTexts(connection_id: number, keys: readonly StoredKey[]): Sql {
  return sql`
    /* collector.known_texts */
    with asked as (
      select *
      from unnest(
        ${keys.map(({ database_name }) => database_name)}::text[],
        ${keys.map(({ userid }) => userid)}::bigint[],
        ${keys.map(({ queryid }) => queryid)}::bigint[],
        ${keys.map(({ toplevel }) => toplevel)}::boolean[]
      ) as a (database_name, userid, queryid, toplevel)
    ), touched as (
      update metrics.queries q
      set last_seen = now()
      from asked a
      where q.connection_id = ${connection_id}
        and q.database_name = a.database_name
        and q.queryid = a.queryid
        and q.userid = a.userid
        and q.toplevel = a.toplevel
        and q.last_seen < now() - interval '6 hours'
    )
    select a.database_name, a.userid::text as userid, a.queryid::text as queryid, a.toplevel
    from asked a
    join metrics.queries q
      on q.connection_id = ${connection_id}
      and q.database_name = a.database_name
      and q.queryid = a.queryid
      and q.userid = a.userid
      and q.toplevel = a.toplevel`;
}

/** Nothing is written when the lease has passed to somebody else. */
export function keepTexts(lease: Lease, texts: readonly StatementText[]): Sql {
  return sql`
    /* collector.keep_texts */
    with fence as materialized ${held(lease)}
    insert into metrics.queries (connection_id, database_name, queryid, userid, toplevel, query_text)
    select f.connection_id, t.database_name, t.queryid, t.userid, t.toplevel, t.query_text
    from fence f
    cross join unnest(
      ${texts.map(({ database_name }) => database_name)}::text[],
      ${texts.map(({ queryid }) => queryid)}::bigint[],
      ${texts.map(({ userid }) => userid)}::bigint[],
      ${texts.map(({ toplevel }) => toplevel)}::boolean[],
      ${texts.map(({ query_text }) => query_text)}::text[]
    ) as t (database_name, queryid, userid, toplevel, query_text)
    order by t.database_name, t.queryid, t.userid, t.toplevel
    on conflict do nothing`;
}
