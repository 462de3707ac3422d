// SQL that live calls send to a monitored server, whose own objects are not trusted: every name has its schema.

/** A size is unknown where the role may neither connect nor read all statistics, and where a database is being dropped. */
export const LIVE_DATABASES = `/* live.databases */
select
  d.datname::pg_catalog.text as name,
  pg_catalog.pg_get_userbyid(d.datdba)::pg_catalog.text as owner,
  pg_catalog.pg_encoding_to_char(d.encoding)::pg_catalog.text as encoding,
  coalesce(case
    when pg_catalog.has_database_privilege(d.oid, 'connect') is null then null
    when pg_catalog.has_database_privilege(d.oid, 'connect')
      or pg_catalog.pg_has_role('pg_read_all_stats', 'usage')
    then pg_catalog.pg_size_pretty(pg_catalog.pg_database_size(d.oid))
  end, 'unknown') as size
from pg_catalog.pg_database d
where not d.datistemplate
order by d.datname
limit 10000`;

/** Whether a process of one of our sessions, $1, is still there. */
export const PROCESS_RUNS = `/* live.process */
select exists (
  select
  from pg_catalog.pg_stat_activity a
  where a.pid = $1 and a.usename = current_user and a.application_name in ('matriarch sql', 'matriarch live')
) as runs`;
