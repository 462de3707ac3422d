// Roles with what they may do, and which they are members of, with their history. Guards: no password and no hash of one is
// ever read; predefined roles, which are the same everywhere, are left out.
import { defineProbe } from './types.ts';

const flag = (name: string, description: string) =>
  ({ name, type: 'boolean', kind: 'label', description }) as const;

/** Before it no moment can be written; -infinity is as far back, and is no lack of a limit. */
const NEVER = '0001-01-01 00:00:00+00';

export const probe = defineProbe({
  name: 'pg_roles',
  description: 'Roles with their attributes and memberships; no passwords.',
  level: 'S',
  intervalSeconds: 3600,
  retentionDays: 365,
  keeps: 'change-tracked',
  columns: [
    { name: 'rolname', type: 'text', kind: 'key', description: 'Name.', oid: 'oid' },
    { name: 'oid', type: 'bigint', kind: 'label', description: 'Object id; 10 made the server.' },
    flag('rolsuper', 'Superuser.'),
    flag('rolinherit', 'Has the rights of roles that it is a member of.'),
    flag('rolcreaterole', 'May create roles.'),
    flag('rolcreatedb', 'May create databases.'),
    flag('rolcanlogin', 'May log in.'),
    flag('rolreplication', 'May stream replication.'),
    flag('rolbypassrls', 'Is not bound by row-level security.'),
    { name: 'rolconnlimit', type: 'integer', kind: 'label', description: 'Most sessions; -1 none.' },
    {
      name: 'rolvaliduntil',
      type: 'timestamp with time zone',
      kind: 'time',
      description: 'Until when its password is good; null: for ever; the year 1: never, as with -infinity.',
    },
    {
      name: 'memberships',
      type: 'text[]',
      kind: 'label',
      description: 'Roles that it was granted directly, sorted, at most 100.',
    },
    { name: 'member_count', type: 'integer', kind: 'label', description: 'Roles that were granted it.' },
    flag('is_own', 'The role that we read with.'),
  ],
  caps: { maxRows: 5000, maxBytes: 4 * 1024 * 1024, maxText: 1024 },
  sql: () => `select
  r.rolname::text as rolname,
  r.oid::bigint as oid,
  r.rolsuper,
  r.rolinherit,
  r.rolcreaterole,
  r.rolcreatedb,
  r.rolcanlogin,
  r.rolreplication,
  r.rolbypassrls,
  r.rolconnlimit::integer as rolconnlimit,
  case
    when r.rolvaliduntil < '${NEVER}' then '${NEVER}'
    when pg_catalog.isfinite(r.rolvaliduntil) then r.rolvaliduntil
  end as rolvaliduntil,
  array(
    select distinct g.rolname::text
    from pg_catalog.pg_auth_members m
    join pg_catalog.pg_roles g on g.oid = m.roleid
    where m.member = r.oid
    order by 1
    limit 100
  ) as memberships,
  (select pg_catalog.count(distinct m.member) from pg_catalog.pg_auth_members m where m.roleid = r.oid)::integer
    as member_count,
  r.rolname = session_user as is_own
from pg_catalog.pg_roles r
where r.rolname::text !~ '^pg_'
order by
  not (r.rolsuper or r.rolcreaterole or r.rolbypassrls or r.rolname = session_user),
  r.rolname`,
});
