// Facts about a monitored server for prompts, from what was collected. Guards: a section or member that nobody collected
// is absent, never made up.
import { byId, ok, operation } from '../../kernel/contract.ts';
import { bytes, component, id, integer, list, object, optional, record, text } from '../../kernel/schema.ts';

const Disk = object({
  mount_point: text(),
  filesystem_type: optional(text()),
  total_bytes: optional(bytes()),
  used_bytes: optional(bytes()),
  free_bytes: optional(bytes()),
});

export const ConnectionContext = component('ConnectionContext', {
  connection_id: id(),
  server_name: text(),
  postgresql: optional(
    object({
      version: optional(text()),
      version_num: optional(integer()),
      max_connections: optional(integer()),
      data_directory: optional(text()),
      installed_extensions: optional(list(text(), { description: 'Of all databases, sorted.' })),
      settings: optional(
        record(text(), {
          description: 'Those that differ from the default, with their unit; secrets are masked.',
        }),
      ),
    }),
  ),
  system: optional(
    object({
      os_name: optional(text()),
      os_version: optional(text()),
      architecture: optional(text()),
      hostname: optional(text()),
      cpu: optional(
        object({
          model: optional(text()),
          cores: optional(integer({ description: 'Physical cores over all sockets.' })),
          logical_processors: optional(integer()),
        }),
      ),
      memory: optional(object({ total_bytes: optional(bytes()), free_bytes: optional(bytes()) })),
      disks: optional(list(Disk)),
    }),
  ),
});

export const getConnectionContext = operation({
  id: 'getConnectionContext',
  method: 'GET',
  path: '/api/v1/connections/{id}/context',
  tag: 'connections',
  summary: 'Facts about a connection for AI prompts',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  extra: true,
  success: ok(ConnectionContext, {
    connection_id: 2,
    server_name: 'orders-primary',
    postgresql: {
      version: 'PostgreSQL 18.4 on x86_64-pc-linux-gnu',
      version_num: 180004,
      max_connections: 100,
      data_directory: '/var/lib/postgresql/18/main',
      installed_extensions: ['pg_stat_statements', 'plpgsql'],
      settings: { shared_buffers: '4194304 kB', work_mem: '7168 kB' },
    },
    system: {
      os_name: 'Debian GNU/Linux',
      os_version: '12 (bookworm)',
      architecture: 'x86_64',
      hostname: 'db1',
      cpu: { model: 'AMD EPYC 7B13', cores: 8, logical_processors: 16 },
      memory: { total_bytes: 33554432000, free_bytes: 4294967296 },
      disks: [
        {
          mount_point: '/',
          filesystem_type: 'ext4',
          total_bytes: 107374182400,
          used_bytes: 53687091200,
          free_bytes: 53687091200,
        },
      ],
    },
  }),
  notes: ['Built from stored samples only, never live. A section that was not collected is absent.'],
});
