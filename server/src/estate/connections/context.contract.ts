// Facts about a monitored server for prompts, from what was collected. Guards: a section or member that nobody collected
// is absent, never made up.
import { byId, ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const Disk = s.object({
  mount_point: s.text(),
  filesystem_type: s.optional(s.text()),
  total_bytes: s.optional(s.bytes()),
  used_bytes: s.optional(s.bytes()),
  free_bytes: s.optional(s.bytes()),
});

export const ConnectionContext = s.component('ConnectionContext', {
  connection_id: s.id(),
  server_name: s.text(),
  postgresql: s.optional(
    s.object({
      version: s.optional(s.text()),
      version_num: s.optional(s.integer()),
      max_connections: s.optional(s.integer()),
      data_directory: s.optional(s.text()),
      installed_extensions: s.optional(s.list(s.text(), { description: 'Of all databases, sorted.' })),
      settings: s.optional(
        s.record(s.text(), {
          description: 'Those that differ from the default, with their unit; secrets are masked.',
        }),
      ),
    }),
  ),
  system: s.optional(
    s.object({
      os_name: s.optional(s.text()),
      os_version: s.optional(s.text()),
      architecture: s.optional(s.text()),
      hostname: s.optional(s.text()),
      cpu: s.optional(
        s.object({
          model: s.optional(s.text()),
          cores: s.optional(s.integer({ description: 'Physical cores over all sockets.' })),
          logical_processors: s.optional(s.integer()),
        }),
      ),
      memory: s.optional(s.object({ total_bytes: s.optional(s.bytes()), free_bytes: s.optional(s.bytes()) })),
      disks: s.optional(s.list(Disk)),
    }),
  ),
});

export const getConnectionContext = operation({
  id: 'getConnectionContext',
  route: 'GET /api/v1/connections/{id}/context',
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
