// SQL by which a connection test measures what a role can really do on a monitored server.

/** Settings the role may not read, and functions it may not call, come back as null instead of failing. */
export const MEASURE_RIGHTS = `/* test.rights */
select
  r.rolsuper as is_superuser,
  pg_catalog.pg_has_role('pg_monitor', 'usage') as is_monitor,
  r.rolconnlimit as connection_limit,
  pg_catalog.pg_is_in_recovery() as is_in_recovery,
  coalesce((
    select pg_catalog.json_agg(d.datname order by d.datname)
    from pg_catalog.pg_database d
    where not d.datistemplate
      and d.datallowconn
      and not pg_catalog.has_database_privilege(d.oid, 'connect')
  ), '[]'::pg_catalog.json) as closed_databases
from pg_catalog.pg_roles r
where r.rolname = current_user`;

/** Preloading is unknown (null) without the right to read all settings. */
export const MEASURE_EXTENSIONS = `/* test.extensions */
select
  (
    select e.extversion from pg_catalog.pg_extension e where e.extname = 'pg_stat_statements'
  ) as installed,
  exists (
    select from pg_catalog.pg_available_extensions a where a.name = 'pg_stat_statements'
  ) as is_available,
  (
    select 'pg_stat_statements' = any (pg_catalog.regexp_split_to_array(
      pg_catalog.replace(s.setting, '"', ''), '\\s*,\\s*'
    ))
    from pg_catalog.pg_settings s
    where s.name = 'shared_preload_libraries'
  ) as is_preloaded`;
