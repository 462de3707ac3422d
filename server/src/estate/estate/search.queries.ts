// Databases and statements of visible servers by words. Guards: nothing of a connection that the caller cannot see is found,
// and what a frequent word finds is bounded before it is ranked.

import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { newestRows } from '../../store/read/doors/relations.ts';
import { statementsWith } from './statements-found.queries.ts';

export interface SearchQuery {
  /** As it was typed, in small letters. */
  text: string;
  words: readonly string[];
  near: number | undefined;
  limit: number;
}

export interface FoundDatabase {
  connection_id: number;
  server_name: string;
  database_name: string;
}

export interface FoundStatement extends FoundDatabase {
  queryid: string;
  query: string;
}

const servers = (principal: Principal): Sql => sql`/* estate.visible_servers */
  select c.id, c.name from matriarch.connections c where c.deleted_at is null and ${visible(principal)}`;

/** Taken as it is by `like`. */
const pattern = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

export function findDatabasesByName(
  db: Db,
  principal: Principal,
  { text, words, near, limit }: SearchQuery,
): Promise<FoundDatabase[]> {
  const patterns = words.map(pattern);
  return db.rows<FoundDatabase>(sql`/* estate.find_databases */
    with server as materialized (${servers(principal)})
    select s.id as connection_id, s.name as server_name, d.datname as database_name
    from ${newestRows('pg_database', ['datname', 'datistemplate', 'database_size_bytes'])} d
    join server s on s.id = d.connection_id
    where d.datistemplate is not true
      and lower(d.datname) like any (${patterns}::text[])
      and lower(d.datname || ' ' || s.name) like all (${patterns}::text[])
    order by
      s.id is not distinct from ${near ?? null}::integer desc,
      lower(d.datname) = ${text} desc,
      starts_with(lower(d.datname), ${text}) desc,
      d.database_size_bytes desc nulls last,
      s.name, s.id, d.datname
    limit ${limit}`);
}

const MOST_NEAR = 500;
const MOST_LOOKED_AT = 1000;
const SHOWN_CHARACTERS = 500;

/** `without`: a regular expression of texts that are left out. */
export function findStatementsByWords(
  db: Db,
  principal: Principal,
  { text, words, near, limit, without }: SearchQuery & { without: string },
): Promise<FoundStatement[]> {
  const found = statementsWith(words);
  return db.rows<FoundStatement>(sql`/* estate.find_statements */
    with server as materialized (${servers(principal)}), candidate as materialized (
      (
        select f.*
        from ${found} f
        where f.connection_id = ${near ?? null}::integer and f.connection_id in (select server.id from server)
        limit ${MOST_NEAR}
      )
      union all
      (
        select f.*
        from ${found} f
        where f.connection_id is distinct from ${near ?? null}::integer
          and f.connection_id in (select server.id from server)
        limit ${MOST_LOOKED_AT}
      )
    ), once as (
      select distinct on (c.connection_id, c.queryid)
        c.connection_id, c.queryid, c.database_name, c.query_text, c.last_seen
      from candidate c
      where c.query_text !~ ${without}
      order by c.connection_id, c.queryid, c.last_seen desc, c.database_name
    )
    select
      s.id as connection_id, s.name as server_name, o.database_name, o.queryid::text as queryid,
      left(o.query_text, ${SHOWN_CHARACTERS}) as query
    from once o
    join server s on s.id = o.connection_id
    order by
      s.id is not distinct from ${near ?? null}::integer desc,
      strpos(lower(o.query_text), ${text}) > 0 desc,
      o.last_seen desc, s.name, s.id, o.queryid
    limit ${limit}`);
}
