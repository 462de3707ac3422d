// What the log of a server says of its upkeep: runs of autovacuum, and checkpoints. Guards: these are figures and names of tables without
// texts, so the right to read the connection is enough; where the log was not read, or does not say it, the answer says so.

import { windowQuery } from '../../history/metrics/metrics.schemas.ts';
import { byId, ok, operation } from '../../kernel/contract.ts';
import {
  boolean,
  bytes,
  component,
  id,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  timestamp,
} from '../../kernel/schema.ts';
import { LogReading } from './server-logs.contract.ts';

const RUN_KINDS = ['vacuum', 'wraparound_vacuum', 'analyze', 'cancelled'] as const;
const CHECKPOINT_CAUSES = ['time', 'wal', 'request'] as const;

const count = (description?: string) =>
  nullable(integer({ minimum: 0, ...(description && { description }) }));
const seconds = (description?: string) =>
  nullable(number({ minimum: 0, ...(description && { description }) }));

const VacuumRun = component('VacuumRun', {
  id: text(),
  ended_at: timestamp({ description: 'As the log says.' }),
  kind: oneOf(RUN_KINDS, { description: 'Cancelled: it gave way to a session that wanted a lock.' }),
  table: nullable(text({ description: 'database.schema.table; null: the line does not name it.' })),
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
  wal_bytes: nullable(bytes()),
  read_ms: nullable(number({ description: 'With track_io_timing.' })),
  write_ms: nullable(number({ description: 'With track_io_timing.' })),
});

const VacuumRuns = component('VacuumRuns', {
  connection_id: id(),
  start_time: timestamp(),
  end_time: timestamp(),
  reading: LogReading,
  min_duration_ms: nullable(
    integer({
      description:
        'log_autovacuum_min_duration of the server, which tables may override: shorter runs are not in the log. −1: none are. Null: not known.',
    }),
  ),
  events_logged: integer({ minimum: 0, description: 'Runs of all tables in this time that the log has.' }),
  events_kept: integer({ minimum: 0, description: 'Of those, how many were kept with their figures.' }),
  runs: list(VacuumRun, { description: 'Newest first.' }),
  is_cut: boolean({ description: 'There are more than are listed.' }),
});

const Checkpoint = component('Checkpoint', {
  id: text(),
  kind: oneOf(['checkpoint', 'restartpoint'], { description: 'A standby makes restartpoints.' }),
  cause: nullable(
    oneOf(CHECKPOINT_CAUSES, {
      description:
        'time: checkpoint_timeout; wal: max_wal_size; request: a command, a backup or a shutdown. Null: its beginning is not known.',
    }),
  ),
  started_at: nullable(timestamp()),
  ended_at: timestamp(),
  buffers: count('Written.'),
  wal_added: count('Files.'),
  wal_removed: count('Files.'),
  wal_recycled: count('Files.'),
  write_seconds: seconds(),
  sync_seconds: seconds(),
  total_seconds: seconds(),
  longest_sync_seconds: seconds(),
  distance_bytes: nullable(bytes({ description: 'WAL since the checkpoint before.' })),
});

const Checkpoints = component('Checkpoints', {
  connection_id: id(),
  start_time: timestamp(),
  end_time: timestamp(),
  reading: LogReading,
  is_logged: nullable(boolean({ description: 'log_checkpoints of the server; null: not known.' })),
  checkpoints: list(Checkpoint, { description: 'Those that ended in this time, newest first.' }),
  is_cut: boolean({ description: 'There are more than are listed.' }),
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
  method: 'GET',
  path: '/api/v1/connections/{id}/vacuum-runs',
  tag: 'connections',
  summary: 'Runs of autovacuum in the log of a server, newest first',
  access,
  ...byId(1),
  query: object({
    ...windowQuery('24h'),
    table: optional(
      text({ minLength: 1, maxLength: 191, description: 'Of this database.schema.table only.' }),
    ),
    search: optional(
      text({ minLength: 1, maxLength: 200, description: 'Is part of database.schema.table, in any case.' }),
    ),
    limit: optional(integer({ minimum: 1, maximum: 500, default: 100 })),
  }),
  extra: true,
  success: ok(VacuumRuns, {
    ...answer,
    min_duration_ms: 600_000,
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
  method: 'GET',
  path: '/api/v1/connections/{id}/checkpoints',
  tag: 'connections',
  summary: 'Checkpoints in the log of a server, newest first',
  access,
  ...byId(1),
  query: object({
    ...windowQuery('24h'),
    limit: optional(integer({ minimum: 1, maximum: 1000, default: 500 })),
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
