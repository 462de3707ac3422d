// Settings that hold for a database, a role, or a role in a database, with their history. Guards: values that hold
// secrets are masked before they leave the server.
import { isSecretName, maskedValue } from '../monitored/masking.ts';
import { defineProbe } from './types.ts';

export const probe = defineProbe({
  name: 'pg_db_role_setting',
  description: 'Settings of databases and roles.',
  level: 'S',
  intervalSeconds: 3600,
  retentionDays: 365,
  keeps: 'change-tracked',
  columns: [
    { name: 'datname', type: 'text', kind: 'key', description: 'Database; null: all.' },
    { name: 'rolname', type: 'text', kind: 'key', description: 'Role; null: all.' },
    { name: 'name', type: 'text', kind: 'key', description: 'Setting.' },
    {
      name: 'setting',
      type: 'text',
      kind: 'label',
      parameter: 'name',
      description: 'Value; secrets are masked.',
    },
  ],
  caps: { maxRows: 5000, maxBytes: 4 * 1024 * 1024, maxText: 2048 },
  sql: () => `select
  s.datname,
  s.rolname,
  s.name,
  ${maskedValue('s.setting', { name: 's.name', isSecret: isSecretName('s.name') })} as setting
from (
  select
    d.datname::text as datname,
    case when c.setrole <> 0 then pg_catalog.pg_get_userbyid(c.setrole)::text end as rolname,
    o.option_name as name,
    o.option_value as setting
  from pg_catalog.pg_db_role_setting c
  left join pg_catalog.pg_database d on d.oid = c.setdatabase
  cross join lateral pg_catalog.pg_options_to_table(c.setconfig) o
) s
order by s.datname nulls first, s.rolname nulls first, s.name`,
});
