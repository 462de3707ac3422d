// Server information: one answer with everything slow that is known of a server, read from what the collector
// stored and never from the server itself. Nothing that was not collected is made up: scalars are null, lists empty.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

/** The curated settings, in the order of the answer. */
export const KEY_SETTINGS = [
  'shared_buffers',
  'work_mem',
  'effective_cache_size',
  'maintenance_work_mem',
  'max_worker_processes',
  'wal_level',
  'archive_mode',
  'max_wal_size',
  'min_wal_size',
  'checkpoint_completion_target',
  'random_page_cost',
  'effective_io_concurrency',
  'max_parallel_workers',
  'max_parallel_workers_per_gather',
  'autovacuum',
  'log_min_duration_statement',
] as const;

const ServerDisk = s.component('ServerDisk', {
  mount_point: s.text(),
  filesystem_type: s.text(),
  total_bytes: s.bytes(),
  used_bytes: s.bytes(),
  free_bytes: s.bytes(),
});

const SystemInfo = s.component('SystemInfo', {
  os_name: s.nullable(s.text()),
  os_version: s.nullable(s.text()),
  architecture: s.nullable(s.text()),
  hostname: s.nullable(s.text()),
  cpu_model: s.nullable(s.text()),
  cpu_cores: s.nullable(s.integer({ description: 'Physical cores over all sockets.' })),
  cpu_logical: s.nullable(s.integer({ description: 'Logical processors.' })),
  cpu_clock_speed: s.nullable(s.bytes({ description: 'Hertz.' })),
  memory_total_bytes: s.nullable(s.bytes({ description: "The cgroup's limit where one is set." })),
  memory_used_bytes: s.nullable(s.bytes({ description: 'Total minus available.' })),
  memory_free_bytes: s.nullable(s.bytes()),
  swap_total_bytes: s.nullable(s.bytes()),
  swap_used_bytes: s.nullable(s.bytes()),
  disks: s.list(ServerDisk),
});

const PostgreSQLInfo = s.component('PostgreSQLInfo', {
  version: s.nullable(s.text()),
  cluster_name: s.nullable(s.text()),
  data_directory: s.nullable(s.text()),
  max_connections: s.nullable(s.integer()),
  max_wal_senders: s.nullable(s.integer()),
  max_replication_slots: s.nullable(s.integer()),
});

const ServerDatabase = s.component('ServerDatabase', {
  name: s.text(),
  size_bytes: s.nullable(s.bytes()),
  encoding: s.nullable(s.text()),
  connection_limit: s.nullable(s.integer({ description: '-1 for none.' })),
  extensions: s.list(s.text()),
});

const ServerExtension = s.component('ServerExtension', {
  name: s.text(),
  version: s.nullable(s.text()),
  schema: s.nullable(s.text()),
  database: s.text(),
});

export const KeySetting = s.component('KeySetting', {
  name: s.text(),
  setting: s.nullable(s.text()),
  unit: s.optional(s.text()),
  category: s.nullable(s.text()),
});

/** When what stands in each section was read; of several databases the oldest. */
const SectionTimes = s.component('SectionTimes', {
  system: s.nullable(s.timestamp()),
  postgresql: s.nullable(s.timestamp()),
  databases: s.nullable(s.timestamp()),
  extensions: s.nullable(s.timestamp()),
  key_settings: s.nullable(s.timestamp()),
});

export const ServerInfoResponse = s.component('ServerInfoResponse', {
  connection_id: s.id(),
  collected_at: s.nullable(s.timestamp()),
  system: SystemInfo,
  postgresql: PostgreSQLInfo,
  databases: s.list(ServerDatabase),
  extensions: s.list(ServerExtension),
  key_settings: s.list(KeySetting),
  sections_collected_at: s.optional(s.ours(SectionTimes)),
});

const AIAnalysis = s.component('AIAnalysis', { databases: s.record(s.text()), generated_at: s.timestamp() });

const params = s.object({ connection_id: s.id() });
const paramsExample = { connection_id: 1 };
const access = { connection: 'connection_id', need: 'read', unknown: 'forbidden' } as const;

export const getServerInfo = operation({
  id: 'getServerInfo',
  route: 'GET /api/v1/server-info/{connection_id}',
  tag: 'server-info',
  summary: 'Get server information',
  access,
  params,
  paramsExample,
  datastoreFaultIs500: true,
  success: ok(ServerInfoResponse, {
    connection_id: 1,
    collected_at: '2026-11-20T10:00:00.000Z',
    system: {
      os_name: 'Debian GNU/Linux',
      os_version: '12 (bookworm)',
      architecture: 'x86_64',
      hostname: 'db1',
      cpu_model: 'AMD EPYC 7B13',
      cpu_cores: 8,
      cpu_logical: 16,
      cpu_clock_speed: 2450000000,
      memory_total_bytes: 33554432000,
      memory_used_bytes: 12884901888,
      memory_free_bytes: 4294967296,
      swap_total_bytes: 0,
      swap_used_bytes: 0,
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
    postgresql: {
      version: 'PostgreSQL 18.4 on x86_64-pc-linux-gnu',
      cluster_name: 'orders',
      data_directory: '/var/lib/postgresql/18/main',
      max_connections: 100,
      max_wal_senders: 10,
      max_replication_slots: 10,
    },
    databases: [
      {
        name: 'orders',
        size_bytes: 44023414784,
        encoding: 'UTF8',
        connection_limit: -1,
        extensions: ['plpgsql'],
      },
    ],
    extensions: [{ name: 'plpgsql', version: '1.0', schema: 'pg_catalog', database: 'orders' }],
    key_settings: [
      { name: 'shared_buffers', setting: '16384', unit: '8kB', category: 'Resource Usage / Memory' },
    ],
    sections_collected_at: {
      system: '2026-11-20T10:00:00.000Z',
      postgresql: '2026-11-20T10:00:00.000Z',
      databases: '2026-11-20T10:00:00.000Z',
      extensions: '2026-11-20T09:58:00.000Z',
      key_settings: '2026-11-20T09:55:00.000Z',
    },
  }),
  notes: [
    'collected_at is the newest collection time over all sections; null only when nothing was ever collected.',
    'system and postgresql are always objects; a member that could not be collected is null. Arrays are never null.',
    'key_settings holds the 16 curated names in fixed order once settings were collected; unit is absent where none applies.',
    'databases never contains template0 or template1.',
    'An unknown connection id answers 403 like one without access; a malformed id 400; a datastore failure 500.',
  ],
});

export const getServerAiAnalysis = operation({
  id: 'getServerAiAnalysis',
  route: 'GET /api/v1/server-info/{connection_id}/ai-analysis',
  tag: 'server-info',
  summary: 'Get AI analysis',
  access,
  params,
  paramsExample,
  datastoreFaultIs500: true,
  success: ok(s.nullable(AIAnalysis), {
    databases: { orders: 'Order management of a web shop; PostGIS suggests delivery routing.' },
    generated_at: '2026-11-20T10:00:00.000Z',
  }),
  notes: [
    'Body is JSON null when no LLM provider is configured or the connection has no databases to analyse.',
    'Cached 5 minutes per connection; access is checked before the cache; concurrent requests share one model call.',
    'A failing model call answers 500 and is not cached; null is not cached either.',
    'Input to the model: database names, sizes and extension names only.',
  ],
});
