// What the log of a server says of its upkeep: runs of autovacuum, and checkpoints. Guards: these are figures and names of tables without
// texts, so the right to read the connection is enough; where the log was not read, or does not say it, the answer says so.

import { windowQuery } from '../../history/metrics/metrics.schemas.ts';
import { byId, ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { LogReading } from './server-logs.contract.ts';

const RUN_KINDS = ['vacuum', 'wraparound_vacuum', 'analyze', 'cancelled'] as const;
const CHECKPOINT_CAUSES = ['time', 'wal', 'request'] as const;

const count = (description?: string) =>
  s.nullable(s.integer({ minimum: 0, ...(description && { description }) }));
const seconds = (description?: string) =>
  s.nullable(s.number({ minimum: 0, ...(description && { description }) }));

const VacuumRun = s.component('VacuumRun', {
  id: s.text(),
  ended_at: s.timestamp({ description: 'As the log says.' }),
  kind: s.oneOf(RUN_KINDS, { description: 'Cancelled: it gave way to a session that wanted a lock.' }),
  table: s.nullable(s.text({ description: 'database.schema.table; null: the line does not name it.' })),
  elapsed_seconds: seconds(),
  pages_removed: count(),
  pages_remain: count(),
  pages_scanned: count('From PostgreSQL 15 on.'),
  tuples_removed: count('Dead rows that were removed.'),
  tuples_remain: count(),
  tuples_not_removable: count('Dead rows that an old transaction still needed.'),
  index_scans: count(),
  buffer_hits: count(),
  buffer_reads: count(),
  buffers_dirtied: count(),
  wal_records: count(),
  wal_bytes: s.nullable(s.bytes()),
  read_ms: s.nullable(s.number({ description: 'With track_io_timing.' })),
  write_ms: s.nullable(s.number({ description: 'With track_io_timing.' })),
});

const VacuumRuns = s.component('VacuumRuns', {
  connection_id: s.id(),
  start_time: s.timestamp(),
  end_time: s.timestamp(),
  reading: LogReading,
  min_duration_ms: s.nullable(
    s.integer({
      description:
        'log_autovacuum_min_duration of the server, which tables may override: shorter runs are not in the log. −1: none are. Null: not known.',
    }),
  ),
  analyze_min_duration_ms: s.nullable(
    s.integer({
      description:
        'log_autoanalyze_min_duration, the same for runs of ANALYZE, which PostgreSQL has since 19. Null before it, where the other holds for both, and when it is not known.',
    }),
  ),
  events_logged: s.integer({ minimum: 0, description: 'Runs of all tables in this time that the log has.' }),
  events_kept: s.integer({ minimum: 0, description: 'Of those, how many were kept with their figures.' }),
  runs: s.list(VacuumRun, { description: 'Newest first.' }),
  is_cut: s.boolean({ description: 'There are more than are listed.' }),
});

const Checkpoint = s.component('Checkpoint', {
  id: s.text(),
  kind: s.oneOf(['checkpoint', 'restartpoint'], { description: 'A standby makes restartpoints.' }),
  cause: s.nullable(
    s.oneOf(CHECKPOINT_CAUSES, {
      description:
        'time: checkpoint_timeout; wal: max_wal_size; request: a command, a backup or a shutdown. Null: its beginning is not known.',
    }),
  ),
  started_at: s.nullable(s.timestamp()),
  ended_at: s.timestamp(),
  buffers: count('Written.'),
  wal_added: count('Files.'),
  wal_removed: count('Files.'),
  wal_recycled: count('Files.'),
  write_seconds: seconds(),
  sync_seconds: seconds(),
  total_seconds: seconds(),
  longest_sync_seconds: seconds(),
  distance_bytes: s.nullable(s.bytes({ description: 'WAL since the checkpoint before.' })),
});

const Checkpoints = s.component('Checkpoints', {
  connection_id: s.id(),
  start_time: s.timestamp(),
  end_time: s.timestamp(),
  reading: LogReading,
  is_logged: s.nullable(s.boolean({ description: 'log_checkpoints of the server; null: not known.' })),
  checkpoints: s.list(Checkpoint, { description: 'Those that ended in this time, newest first.' }),
  is_cut: s.boolean({ description: 'There are more than are listed.' }),
});

const time = '2026-11-20T10:00:00.000Z';
const reading = {
  state: 'reading',
  format: 'stderr',
  since: '2026-11-19T10:00:00.000Z',
  looked_at: time,
  read_until: null,
  reason: null,
  mend: null,
} as const;
const answer = { connection_id: 1, start_time: '2026-11-19T10:00:00.000Z', end_time: time, reading };

const access = { connection: 'id', need: 'read' } as const;

export const listConnectionVacuumRuns = operation({
  id: 'listConnectionVacuumRuns',
  route: 'GET /api/v1/connections/{id}/vacuum-runs',
  tag: 'connections',
  summary: 'Runs of autovacuum in the log of a server, newest first',
  access,
  ...byId(1),
  query: s.object({
    ...windowQuery('24h'),
    table: s.optional(
      s.text({ minLength: 1, maxLength: 191, description: 'Of this database.schema.table only.' }),
    ),
    search: s.optional(
      s.text({ minLength: 1, maxLength: 200, description: 'Is part of database.schema.table, in any case.' }),
    ),
    limit: s.optional(s.integer({ minimum: 1, maximum: 500, default: 100 })),
  }),
  extra: true,
  success: ok(VacuumRuns, {
    ...answer,
    min_duration_ms: 600_000,
    analyze_min_duration_ms: null,
    events_logged: 1,
    events_kept: 1,
    runs: [
      {
        id: '1041',
        ended_at: time,
        kind: 'vacuum',
        table: 'shop.public.orders',
        elapsed_seconds: 812.4,
        pages_removed: 0,
        pages_remain: 120_000,
        pages_scanned: 119_000,
        tuples_removed: 2_400_000,
        tuples_remain: 9_000_000,
        tuples_not_removable: 0,
        index_scans: 1,
        buffer_hits: 260_000,
        buffer_reads: 91_000,
        buffers_dirtied: 74_000,
        wal_records: 130_000,
        wal_bytes: 410_000_000,
        read_ms: null,
        write_ms: null,
      },
    ],
    is_cut: false,
  }),
  notes: [
    'From the log as it was read: runs before that, and those shorter than log_autovacuum_min_duration, are not in it.',
    'Kept for 90 days, and at most 200 of a kind in each MiB of the log.',
  ],
});

export const listConnectionCheckpoints = operation({
  id: 'listConnectionCheckpoints',
  route: 'GET /api/v1/connections/{id}/checkpoints',
  tag: 'connections',
  summary: 'Checkpoints in the log of a server, newest first',
  access,
  ...byId(1),
  query: s.object({
    ...windowQuery('24h'),
    limit: s.optional(s.integer({ minimum: 1, maximum: 1000, default: 500 })),
  }),
  extra: true,
  success: ok(Checkpoints, {
    ...answer,
    is_logged: true,
    checkpoints: [
      {
        id: '1042',
        kind: 'checkpoint',
        cause: 'wal',
        started_at: '2026-11-20T09:57:00.000Z',
        ended_at: time,
        buffers: 9000,
        wal_added: 2,
        wal_removed: 0,
        wal_recycled: 60,
        write_seconds: 171.2,
        sync_seconds: 0.4,
        total_seconds: 172,
        longest_sync_seconds: 0.1,
        distance_bytes: 1_073_741_824,
      },
    ],
    is_cut: false,
  }),
  notes: ['From the log as it was read, with log_checkpoints on. Kept for 90 days.'],
});
