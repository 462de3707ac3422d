// The server's settings and how they changed. Two traps are handled in the statement itself: our own session sets
// many of them, so all that a session set are reset for the length of the statement before the view is read; and values
// that hold secrets are masked before they leave the server.
import { isSecretName, literal, maskedValue } from '../monitored/masking.ts';
import { defineProbe } from './types.ts';
import { flags } from './view-columns.ts';

/** They describe a transaction or a session, never the server. */
const OF_A_SESSION = [
  'application_name',
  'client_encoding',
  'is_superuser',
  'role',
  'seed',
  'session_authorization',
  'transaction_deferrable',
  'transaction_isolation',
  'transaction_read_only',
];

/** To reset them could end the session or fail, unless that changes nothing. */
const LEFT = ['exit_on_error', 'temp_buffers', 'transaction_timeout'];

const literals = (texts: readonly string[]) => texts.map(literal).join(', ');
/** What our own role has a value of its own for (alter role, with a database or without): the server's is not to be seen then. */
const isOfRole = 'pg_catalog.lower(s.name) in (select r.name from of_role r)';

/** Said at the start of our own session, so what others find is not known. */
const found = `case
    when ${isOfRole} then null
    when s.name = 'pg_stat_statements.track' and s.source in ('client', 'session') then null
    when s.name in (${literals(LEFT)}) and s.source = 'session' then s.reset_val
    else s.setting
  end`;
const maskedAs = (name: string, value: string) =>
  `${maskedValue(value, { name: 's.name', isSecret: 's.is_secret' })} as ${name}`;
const masked = (name: string) => maskedAs(name, `s.${name}`);
const reset = `case when ${isOfRole} then null else s.reset_val end`;

export const probe = defineProbe({
  name: 'pg_settings',
  description:
    'Settings of the server as a new session finds them; null where our own role has another value (alter role … set).',
  level: 'S',
  intervalSeconds: 3600,
  retentionDays: 365,
  keeps: 'change-tracked',
  hidden: { without: 'pg_read_all_settings' },
  columns: [
    { name: 'name', type: 'text', kind: 'key', description: 'Name.' },
    {
      name: 'setting',
      type: 'text',
      kind: 'label',
      parameter: 'name',
      description: 'Value; secrets are masked.',
    },
    { name: 'unit', type: 'text', kind: 'label', description: 'Unit of the value, null when there is none.' },
    { name: 'category', type: 'text', kind: 'label', description: "The server's own grouping." },
    { name: 'short_desc', type: 'text', kind: 'label', description: 'What it does.' },
    { name: 'extra_desc', type: 'text', kind: 'label', description: 'More of that.' },
    { name: 'context', type: 'text', kind: 'label', description: 'What it takes to change it.' },
    { name: 'vartype', type: 'text', kind: 'label', description: 'bool, enum, integer, real or string.' },
    { name: 'source', type: 'text', kind: 'label', description: 'Where the value comes from.' },
    { name: 'min_val', type: 'text', kind: 'label', description: 'Smallest allowed value.' },
    { name: 'max_val', type: 'text', kind: 'label', description: 'Largest allowed value.' },
    { name: 'enumvals', type: 'text', kind: 'label', description: 'Allowed values, as an array in text.' },
    {
      name: 'boot_val',
      type: 'text',
      kind: 'label',
      parameter: 'name',
      description: 'Value without any configuration.',
    },
    {
      name: 'reset_val',
      type: 'text',
      kind: 'label',
      parameter: 'name',
      description: 'Value that reset would give.',
    },
    { name: 'sourcefile', type: 'text', kind: 'label', description: 'File that sets it, where we may know.' },
    { name: 'sourceline', type: 'integer', kind: 'label', description: 'Line in that file.' },
    ...flags([['pending_restart', 'Changed, waiting for a restart.']]),
  ],
  metrics: [
    {
      name: 'max_connections',
      unit: 'count',
      description: 'The setting of that name.',
      combine: 'max',
      value: { kind: 'gauge', column: 'setting', where: [{ column: 'name', in: ['max_connections'] }] },
    },
    {
      name: 'pending_restart_count',
      unit: 'count',
      description: 'Settings that were changed and wait for a restart.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'rows', where: [{ column: 'pending_restart', in: [true] }] },
    },
  ],
  caps: { maxRows: 5000, maxBytes: 8 * 1024 * 1024, maxText: 4096 },
  sql: () => `with own as materialized (
  select pg_catalog.set_config(o.name, null, true) as was
  from pg_catalog.pg_settings o
  where o.source = 'session'
    and o.context = 'user'
    and o.name not in (${literals(OF_A_SESSION)})
    and (o.name not in (${literals(LEFT)}) or o.reset_val = o.setting)
), of_role as materialized (
  select pg_catalog.lower(pg_catalog.split_part(c.setting, '=', 1)) as name
  from pg_catalog.pg_db_role_setting o
  join pg_catalog.pg_roles u on u.oid = o.setrole
  join pg_catalog.pg_database d on d.datname = pg_catalog.current_database()
  cross join lateral pg_catalog.unnest(o.setconfig) c (setting)
  where u.rolname = session_user and o.setdatabase in (0, d.oid)
), s as materialized (
  select
    g.*,
    g.vartype = 'string' and ${isSecretName('g.name')} as is_secret
  from pg_catalog.pg_settings g
  where (select pg_catalog.count(*) from own) >= 0
)
select
  s.name,
  ${maskedAs('setting', found)},
  s.unit,
  s.category,
  s.short_desc,
  s.extra_desc,
  s.context,
  s.vartype,
  s.source,
  s.min_val,
  s.max_val,
  s.enumvals::text as enumvals,
  ${masked('boot_val')},
  ${maskedAs('reset_val', reset)},
  s.sourcefile,
  s.sourceline,
  s.pending_restart
from s
where s.name not in (${literals(OF_A_SESSION)})
order by s.name`,
});
