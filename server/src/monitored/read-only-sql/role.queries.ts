// What the role of a session may do on its server, as the server says: attributes, predefined roles that are more than reading, and
// what it owns.

/** One row. A role that may become a superuser counts as one. */
export const ROLE = `/* sql.role */
select
  current_user::text as name,
  exists (
    select
    from pg_catalog.pg_roles s
    where s.rolsuper and pg_catalog.pg_has_role(current_user, s.oid, 'member')
  ) as is_superuser,
  r.rolcreaterole as creates_roles,
  r.rolcreatedb as creates_databases,
  r.rolreplication as replicates,
  r.rolbypassrls as bypasses_row_security,
  array(
    select p.rolname::text
    from pg_catalog.pg_roles p
    where p.rolname in (
      'pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files', 'pg_signal_backend',
      'pg_signal_autovacuum_worker', 'pg_maintain', 'pg_checkpoint', 'pg_create_subscription', 'rds_superuser', 'cloudsqlsuperuser',
      'azure_pg_admin', 'rds_replication'
    )
      and not r.rolsuper
      and pg_catalog.pg_has_role(current_user, p.oid, 'member')
    order by p.rolname
  ) as memberships,
  (
    select pg_catalog.count(*)
    from (
      select
      from pg_catalog.pg_class c
      where c.oid >= 16384 and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and pg_catalog.pg_has_role(c.relowner, 'member')
      limit 1000
    ) o
  )::int4 as owned_relations
from pg_catalog.pg_roles r
where r.rolname = current_user`;
