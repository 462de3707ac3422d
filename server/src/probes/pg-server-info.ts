// Who the server is: identity, version, limits and role. Read at each (re)connect and promotion too, so nothing
// here may change by itself while the server runs: each change becomes a row of history.
import { defineProbe } from './types.ts';
import { counts, labels, times } from './view-columns.ts';

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
    ...labels([
      [
        'system_identifier',
        'Given once by initdb and shared by physical standbys; null without the right to read it.',
      ],
      ['cluster_name', 'The setting of that name.'],
      ['data_directory', 'Path on the server; null without pg_read_all_settings.'],
    ]),
    ...counts([
      ['max_connections', 'Most sessions at a time.'],
      ['usable_connections', 'Of these, how many are not reserved for some roles.'],
      ['max_wal_senders', 'Most replication senders.'],
      ['max_replication_slots', 'Most replication slots.'],
    ]),
    {
      name: 'installed_extensions',
      type: 'text[]',
      kind: 'label',
      description: "Extensions of the connection's own database, sorted.",
    },
    { name: 'is_in_recovery', type: 'boolean', kind: 'label', description: 'True on a standby.' },
    ...times([['postmaster_start_time', 'When the server was started.']]),
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
