// What the collector itself asks a monitored server: does it answer, who and what is it, which databases are there.
// Every name carries its schema; the server's own objects are not trusted.

import { UNMASKING_ROLES } from '../probes/types.ts';

/** Cheap, first in every pipeline: its answer proves that the server lives and tells role and start. */
export const PING = `/* collector.ping */
select
  pg_catalog.pg_is_in_recovery() as is_in_recovery,
  pg_catalog.clock_timestamp() as clock,
  pg_catalog.pg_postmaster_start_time() as started_at`;

/** Changes when the server's part in replication does; a look into shared memory, without any catalog. */
export const ROLE_HINT = `/* collector.role_hint */
select pg_catalog.concat_ws(
  ' ',
  case
    when not pg_catalog.pg_is_in_recovery()
    then pg_catalog."left"(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8)
  end,
  (
    select pg_catalog.string_agg(s.pid::pg_catalog.text, ',' order by s.pid)
    from pg_catalog.pg_stat_get_wal_senders() s
  ),
  (
    select pg_catalog.concat_ws('/', r.pid, r.received_tli)
    from pg_catalog.pg_stat_get_wal_receiver() r
  ),
  (
    select pg_catalog.string_agg(a.pid::pg_catalog.text, ',' order by a.pid)
    from pg_catalog.pg_stat_get_subscription(null) a
    where a.relid is null
  )
) as signature`;

/** One constant, whatever is in it: to pg_stat_statements lists of other lengths would be other statements. */
const arrayLiteral = (names: readonly string[]) =>
  `'{${names
    .map((name) => JSON.stringify(name))
    .join(',')
    .replaceAll("'", "''")}}'`;

/**
 * Installed extensions, the columns of `views` that our role may read in the session's database, and those of the
 * `functions` that it may execute. The names come from our own probes. to_regclass is no help: it fails on a schema that our role may not use.
 */
export function capabilitiesStatement(views: readonly string[], functions: readonly string[] = []): string {
  const roles = UNMASKING_ROLES.map(
    (role) => `case when pg_catalog.pg_has_role('${role}', 'usage') then '${role}' end`,
  ).join(', ');
  return `/* collector.capabilities */
select
  pg_catalog.has_function_privilege('pg_catalog.pg_control_system()', 'execute')
    and pg_catalog.has_function_privilege('pg_catalog.pg_control_checkpoint()', 'execute') as may_read_control,
  pg_catalog.json_build_array(${roles}) as roles,
  (
    select pg_catalog.json_agg(f.name)
    from pg_catalog.unnest(${arrayLiteral(functions)}::pg_catalog.text[]) as f (name)
    where pg_catalog.has_function_privilege(pg_catalog.to_regprocedure(f.name)::pg_catalog.oid, 'execute')
  ) as functions,
  pg_catalog.current_setting('max_connections')::pg_catalog.int4 as max_connections,
  (
    select pg_catalog.json_agg(pg_catalog.json_build_array(
      e.extname, e.extversion, n.nspname, pg_catalog.has_schema_privilege(n.oid, 'usage')
    ))
    from pg_catalog.pg_extension e
    left join pg_catalog.pg_namespace n on n.oid = e.extnamespace
  ) as extensions,
  (
    select pg_catalog.json_agg(pg_catalog.json_build_array(v.name, v.columns))
    from (
      select w.name, pg_catalog.json_agg(a.attname) as columns
      from pg_catalog.unnest(${arrayLiteral(views)}::pg_catalog.text[]) as w (name)
      left join pg_catalog.pg_extension o
        on w.name like '@%'
        and o.extname = pg_catalog.substr(pg_catalog.split_part(w.name, '.', 1), 2)
      join pg_catalog.pg_namespace s
        on s.oid = o.extnamespace
        or s.nspname = pg_catalog.split_part(w.name, '.', 1)
      join pg_catalog.pg_class c
        on c.relnamespace = s.oid
        and c.relname = pg_catalog.split_part(w.name, '.', 2)
      join pg_catalog.pg_attribute a on a.attrelid = c.oid
      where a.attnum > 0
        and not a.attisdropped
        and pg_catalog.has_schema_privilege(s.oid, 'usage')
        and pg_catalog.has_column_privilege(c.oid, a.attnum, 'select')
      group by w.name
    ) v
  ) as columns`;
}

/** Asked of a server that lets our role execute it. */
export const SYSTEM_IDENTIFIER = `/* collector.identity */
select c.system_identifier::pg_catalog.text as system_identifier
from pg_catalog.pg_control_system() c`;

/**
 * Templates too, so that one that becomes an ordinary database is not taken for a new one. They are never connected to: that would
 * block "create database".
 */
export const DATABASES = `/* collector.databases */
select
  d.datname::pg_catalog.text as datname,
  d.oid::pg_catalog.text as dbid,
  pg_catalog.has_database_privilege(d.oid, 'connect') as may_connect,
  d.datallowconn as allows_connections,
  -- A superuser is not held to it, but for the mark of an interrupted drop.
  case when pg_catalog.current_setting('is_superuser') = 'on' then least(d.datconnlimit, -1) else d.datconnlimit end as connection_limit,
  d.datistemplate as is_template,
  current_user::pg_catalog.text as role_name,
  pg_catalog.pg_conf_load_time()::pg_catalog.text as loaded_at
from pg_catalog.pg_database d
order by d.datname
limit 10001`;

/** For the statements that follow in the session. */
export const statementTimeout = (ms: number) => `/* collector.timeout */
select pg_catalog.set_config('statement_timeout', '${Math.trunc(ms)}', false)`;
