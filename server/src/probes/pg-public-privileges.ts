// What everybody may do in a database that few should: schemas in which all roles may create objects, and functions that run with
// the rights of a superuser and find what they call along the caller's search_path. Extensions answer for their own.
import { defineProbe } from './types.ts';
import { flags, labels } from './view-columns.ts';

export const probe = defineProbe({
  name: 'pg_public_privileges',
  description: 'Schemas that all roles may create in, and functions of superusers without a search_path.',
  level: 'D',
  intervalSeconds: 3600,
  retentionDays: 365,
  keeps: 'change-tracked',
  columns: [
    { name: 'object_type', type: 'text', kind: 'key', description: 'schema or function.' },
    { name: 'object_oid', type: 'bigint', kind: 'key', description: 'Object id.' },
    ...labels([
      ['schemaname', 'Schema.'],
      ['object_name', 'Schema or function.'],
      ['arguments', 'Arguments of a function, which tell it from others of its name.'],
      ['owner', 'Role that owns it.'],
    ]),
    ...flags([['public_may', 'All roles may create in the schema, or call the function.']]),
  ],
  caps: { maxRows: 2000, maxBytes: 2 * 1024 * 1024, maxText: 2048 },
  sql: () => `select
  'schema' as object_type,
  n.oid::bigint as object_oid,
  n.nspname::text as schemaname,
  n.nspname::text as object_name,
  null::text as arguments,
  pg_catalog.pg_get_userbyid(n.nspowner)::text as owner,
  true as public_may
from pg_catalog.pg_namespace n
where exists (
  select
  from pg_catalog.aclexplode(coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))) a
  where a.grantee = 0 and a.privilege_type = 'CREATE'
)
union all
select
  'function',
  p.oid::bigint,
  n.nspname::text,
  p.proname::text,
  pg_catalog.pg_get_function_identity_arguments(p.oid),
  o.rolname::text,
  exists (
    select
    from pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) a
    where a.grantee = 0 and a.privilege_type = 'EXECUTE'
  )
from (
  select p.oid, p.proname, p.pronamespace, p.proowner, p.proacl, p.proconfig, p.prosqlbody
  from pg_catalog.pg_proc p
  where p.prosecdef
  -- Apart from what follows: for a condition on its last column, each of thousands of wide rows is taken to pieces.
  offset 0
) p
join pg_catalog.pg_namespace n on n.oid = p.pronamespace
join pg_catalog.pg_roles o on o.oid = p.proowner
where o.rolsuper
  and p.prosqlbody is null
  and n.nspname not in ('pg_catalog', 'information_schema')
  and not exists (
    select
    from pg_catalog.unnest(p.proconfig) c (item)
    where pg_catalog.lower(c.item) like 'search\\_path=%'
  )
  and not exists (
    select
    from pg_catalog.pg_depend d
    where d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = p.oid and d.deptype = 'e'
  )
order by 1, 7 desc, 2`,
});
