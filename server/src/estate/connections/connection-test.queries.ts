// SQL by which a connection test measures what a role can really do on a monitored server, beside the requirements
// of probes.

export const MEASURE_RIGHTS = `/* test.rights */
select
  r.rolconnlimit as connection_limit,
  pg_catalog.current_setting('cluster_name') as cluster_name,
  coalesce((
    select pg_catalog.json_agg(d.datname order by d.datname)
    from pg_catalog.pg_database d
    where not d.datistemplate
      and d.datallowconn
      and not pg_catalog.has_database_privilege(d.oid, 'connect')
  ), '[]'::pg_catalog.json) as closed_databases
from pg_catalog.pg_roles r
where r.rolname = current_user`;
