// Who the server is: identity, version, limits and role. Read at each (re)connect and promotion too, so nothing
// here may change by itself while the server runs: each change becomes a row of history.
import { defineProbe } from './types.ts';

export const probe = defineProbe({
  name: 'pg_server_info',
  description: 'Identity, version, role and limits of the server.',
  level: 'S',
  intervalSeconds: 3600,
  retentionDays: 365,
  keeps: 'change-tracked',
  hidden: { without: 'pg_read_all_settings', column: 'data_directory' },
  onIdentity: true,
  columns: [
    { name: 'version', type: 'text', kind: 'label', description: 'The long form, as version() says it.' },
    { name: 'server_version', type: 'text', kind: 'label', description: 'The short form, e.g. 18.4.' },
    {
      name: 'server_version_num',
      type: 'integer',
      kind: 'label',
      description: 'For comparing, e.g. 180004.',
    },
    {
      name: 'system_identifier',
      type: 'text',
      kind: 'label',
      description: 'Given once by initdb and shared by physical standbys; null without the right to read it.',
    },
    { name: 'cluster_name', type: 'text', kind: 'label', description: 'The setting of that name.' },
    {
      name: 'data_directory',
      type: 'text',
      kind: 'label',
      description: 'Path on the server; null without pg_read_all_settings.',
    },
    {
      name: 'max_connections',
      type: 'integer',
      kind: 'gauge',
      unit: 'count',
      description: 'Most sessions at a time.',
    },
    {
      name: 'usable_connections',
      type: 'integer',
      kind: 'gauge',
      unit: 'count',
      description: 'Of these, how many are not reserved for some roles.',
    },
    {
      name: 'max_wal_senders',
      type: 'integer',
      kind: 'gauge',
      unit: 'count',
      description: 'Most replication senders.',
    },
    {
      name: 'max_replication_slots',
      type: 'integer',
      kind: 'gauge',
      unit: 'count',
      description: 'Most replication slots.',
    },
    {
      name: 'installed_extensions',
      type: 'text[]',
      kind: 'label',
      description: "Extensions of the connection's own database, sorted.",
    },
    { name: 'is_in_recovery', type: 'boolean', kind: 'label', description: 'True on a standby.' },
    {
      name: 'postmaster_start_time',
      type: 'timestamp with time zone',
      kind: 'time',
      description: 'When the server was started.',
    },
  ],
  caps: { maxRows: 1, maxBytes: 262_144, timeoutMs: 5000 },
  sql: ({ may_read_control }) => `select
  pg_catalog.version() as version,
  pg_catalog.split_part(s.server_version, ' ', 1) as server_version,
  s.server_version_num::integer as server_version_num,
  ${
    may_read_control
      ? '(select c.system_identifier::text from pg_catalog.pg_control_system() c)'
      : 'null::text'
  } as system_identifier,
  s.cluster_name as cluster_name,
  s.data_directory as data_directory,
  s.max_connections::integer as max_connections,
  s.max_connections::integer - s.reserved_connections::integer as usable_connections,
  s.max_wal_senders::integer as max_wal_senders,
  s.max_replication_slots::integer as max_replication_slots,
  array(
    select e.extname::text
    from pg_catalog.pg_extension e
    order by e.extname
  ) as installed_extensions,
  pg_catalog.pg_is_in_recovery() as is_in_recovery,
  pg_catalog.pg_postmaster_start_time() as postmaster_start_time
from (
  select
    pg_catalog.max(g.setting) filter (where g.name = 'server_version') as server_version,
    pg_catalog.max(g.setting) filter (where g.name = 'server_version_num') as server_version_num,
    pg_catalog.max(g.setting) filter (where g.name = 'cluster_name') as cluster_name,
    pg_catalog.max(g.setting) filter (where g.name = 'data_directory') as data_directory,
    pg_catalog.max(g.setting) filter (where g.name = 'max_connections') as max_connections,
    pg_catalog.sum(
      case
        when g.name in ('superuser_reserved_connections', 'reserved_connections') then g.setting::integer
      end
    ) as reserved_connections,
    pg_catalog.max(g.setting) filter (where g.name = 'max_wal_senders') as max_wal_senders,
    pg_catalog.max(g.setting) filter (where g.name = 'max_replication_slots') as max_replication_slots
  from pg_catalog.pg_settings g
) s`,
});
