// What is sent around a statement that only reads. Guards: the transaction is read-only and has had its first query before the
// statement is sent, so that it can no longer be made to write; it is always rolled back, and the session ends after it.
import { SETTING_VALUE } from '../own-session.ts';

export const BEGIN = '/* sql.begin */ begin transaction isolation level repeatable read read only';
export const ROLLBACK = '/* sql.rollback */ rollback';

/**
 * $1: milliseconds for one statement; $2, $3: settings that give answers their form; $4: whether to look, where a server surely can, for a
 * client that has left. Of the search path, the names of PostgreSQL itself come
 * first and temporary ones last; the rest is what the role has by itself. Switched on everywhere, the exclusion by constraints would
 * evaluate those of the tables above a partition.
 */
export const SETTINGS = `/* sql.settings */
select
  pg_catalog.set_config('search_path', 'pg_catalog' || coalesce((
    select ', ' || nullif(s.reset_val, '')
    from pg_catalog.pg_settings s
    where s.name = 'search_path'
  ), '') || ', pg_temp', true),
  pg_catalog.set_config('statement_timeout', $1::text, true),
  pg_catalog.set_config('lock_timeout', '2000', true),
  pg_catalog.set_config('idle_in_transaction_session_timeout', '15000', true),
  case
    when $4::boolean and pg_catalog.strpos(pg_catalog.version(), 'linux') > 0
    then pg_catalog.set_config('client_connection_check_interval', '1000', true)
  end,
  (
    select pg_catalog.count(pg_catalog.set_config(w.name, ${SETTING_VALUE}, true))
    from rows from (pg_catalog.unnest($2::text[]), pg_catalog.unnest($3::text[])) as w (name, value)
    where pg_catalog.current_setting(w.name, true) is not null
  ),
  pg_catalog.set_config('constraint_exclusion', 'partition', true),
  pg_catalog.set_config('max_parallel_workers_per_gather', '0', true),
  pg_catalog.current_setting('transaction_read_only') as read_only,
  pg_catalog.pg_backend_pid() as pid`;

/** $1: milliseconds that are left. */
export const TIMEOUT = `/* sql.timeout */ select pg_catalog.set_config('statement_timeout', $1::text, true)`;

/** The server looks whether we are still there while it runs; not every system can. */
export const CHECK_CLIENT = `/* sql.check_client */ set client_connection_check_interval = 1000`;

const CURSOR = 'matriarch_rows';
export const declare = (text: string): string =>
  `/* sql.declare */ declare ${CURSOR} no scroll cursor for ${text}`;
export const fetch = (rows: number): string => `/* sql.fetch */ fetch ${Math.trunc(rows)} from ${CURSOR}`;
export const skip = (rows: number): string => `/* sql.skip */ move ${Math.trunc(rows)} from ${CURSOR}`;
export const direct = (text: string): string => `/* sql.direct */\n${text}`;

const PREPARED = 'matriarch_prepared';
export const prepare = (text: string): string => `/* sql.prepare */ prepare ${PREPARED} as ${text}`;
/** What is prepared outlives its transaction, and can only be forgotten in one that has not failed. */
export const SAVEPOINT = '/* sql.savepoint */ savepoint matriarch_before';
export const TO_SAVEPOINT = '/* sql.to_savepoint */ rollback to savepoint matriarch_before';
export const DEALLOCATE = `/* sql.deallocate */ deallocate ${PREPARED}`;
export const PREPARED_TYPES = `/* sql.prepared */
select s.parameter_types::text[] as parameter_types
from pg_catalog.pg_prepared_statements s
where s.name = '${PREPARED}'`;

/** A plan for whatever the parameters will be, which every version makes of a prepared statement. */
export const GENERIC = `/* sql.generic */ select pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', true)`;

export interface ExplainWishes {
  readonly analyze: boolean;
  readonly buffers: boolean;
  readonly format: 'text' | 'json';
}

const optionsOf = ({ analyze, buffers, format }: ExplainWishes): string =>
  [`format ${format}`, ...(analyze ? ['analyze'] : []), ...(buffers ? ['buffers'] : [])].join(', ');
export const explain = (text: string, wishes: ExplainWishes): string =>
  `/* sql.explain */ explain (${optionsOf(wishes)}) ${text}`;
export const explainPrepared = (parameters: number, wishes: ExplainWishes): string =>
  `/* sql.explain */ explain (${optionsOf(wishes)}) execute ${PREPARED} (${Array(parameters).fill('null').join(', ')})`;

/** $1, $2: oids and modifiers of types. */
export const TYPE_NAMES = `/* sql.types */
select t.oid::int8 as oid, t.modifier, pg_catalog.format_type(t.oid, t.modifier) as name
from unnest($1::oid[], $2::int4[]) as t (oid, modifier)`;

/** For what may write: the search path that the role has by itself, and no limit but of time. */
export const WRITE_SETTINGS = `/* sql.write_settings */
select
  pg_catalog.set_config('search_path', coalesce((
    select s.reset_val from pg_catalog.pg_settings s where s.name = 'search_path'
  ), ''), false),
  pg_catalog.set_config('default_transaction_read_only', 'off', false),
  pg_catalog.set_config('standard_conforming_strings', 'on', false),
  pg_catalog.set_config('lock_timeout', '0', false)`;
/** The same for one transaction, in a session that others get as well: theirs is the search path. */
export const WRITE_LOCAL = `/* sql.write_local */
select
  pg_catalog.set_config('standard_conforming_strings', 'on', true),
  pg_catalog.set_config('statement_timeout', $1::text, true)`;

const OWN_LOCK = `l.locktype operator(pg_catalog.=) 'advisory' and l.pid operator(pg_catalog.=) pg_catalog.pg_backend_pid()`;
const LOCK = `pg_catalog.concat_ws('/', l.classid, l.objid, l.objsubid, l.mode)`;
/** What outlasts a transaction in a session, one text each; UNLOCK_NEW and NEW_PREPARED take two of them back. */
export const SESSION_STATE = `/* sql.session_state */
select
  (
    select pg_catalog.json_agg(pg_catalog.json_build_array(s.name, s.setting) order by s.name)
    from pg_catalog.pg_settings s where s.source operator(pg_catalog.=) 'session'
  )::text,
  (select pg_catalog.array_agg(${LOCK} order by ${LOCK}) from pg_catalog.pg_locks l where ${OWN_LOCK})::text,
  (select pg_catalog.array_agg(p.name order by p.name) from pg_catalog.pg_prepared_statements p)::text,
  (select pg_catalog.array_agg(c.name order by c.name) from pg_catalog.pg_cursors c where c.is_holdable)::text,
  (
    select pg_catalog.count(*) from pg_catalog.pg_class c
    where c.relnamespace operator(pg_catalog.=) pg_catalog.pg_my_temp_schema()
  )::text`;

const keyOf = (column: string) =>
  `(case when l.${column}::int8 operator(pg_catalog.>) 2147483647 then l.${column}::int8 operator(pg_catalog.-) 4294967296 else l.${column}::int8 end)::int4`;
const unlock = (suffix: string) => `case l.objsubid
    when 1 then pg_catalog.pg_advisory_unlock${suffix}((l.classid::int8 operator(pg_catalog.<<) 32) operator(pg_catalog.|) l.objid::int8)
    else pg_catalog.pg_advisory_unlock${suffix}(${keyOf('classid')}, ${keyOf('objid')})
  end`;
/** $1: the locks that were there, as SESSION_STATE says it. */
export const UNLOCK_NEW = `/* sql.unlock_new */
select case l.mode when 'ShareLock' then ${unlock('_shared')} else ${unlock('')} end
from pg_catalog.pg_locks l
where ${OWN_LOCK} and not ${LOCK} operator(pg_catalog.=) any (coalesce($1::text[], '{}'))`;
/** $1: the names that were there, as SESSION_STATE says it. */
export const NEW_PREPARED = `/* sql.new_prepared */
select p.name from pg_catalog.pg_prepared_statements p
where p.from_sql and not p.name operator(pg_catalog.=) any (coalesce($1::text[], '{}'))`;
export const deallocate = (name: string): string =>
  `/* sql.deallocate */ deallocate "${name.replaceAll('"', '""')}"`;
export const BEGIN_WRITE = '/* sql.begin_write */ begin transaction read write';
export const COMMIT = '/* sql.commit */ commit';
export const write = (text: string): string => `/* sql.write */\n${text}`;
