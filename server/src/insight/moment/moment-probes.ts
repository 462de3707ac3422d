// What is read of an instant: probes and their columns. Pure.
import type { ProbeName } from '../../probes/catalog.gen.ts';
import { probes } from '../../probes/catalog.gen.ts';
import type { ProbeOfMoment } from './stored-moment.ts';

function asked(name: ProbeName, columns: readonly string[], mayBeEmpty = false): ProbeOfMoment {
  const probe = probes.find((one) => one.name === name);
  if (!probe) throw new Error(`there is no probe ${name}`);
  return { probe, columns, mayBeEmpty };
}

export const ASKED: readonly ProbeOfMoment[] = [
  asked('pg_stat_activity', [
    'pid',
    'leader_pid',
    'datname',
    'usename',
    'application_name',
    'client_addr',
    'backend_type',
    'state',
    'wait_event_type',
    'wait_event',
    'query_id',
    'query',
    'backend_start',
    'xact_start',
    'query_start',
    'state_change',
    'stands_for',
  ]),
  asked(
    'pg_locks_tree',
    [
      'pid',
      'blocking_pid',
      'datname',
      'usename',
      'application_name',
      'query',
      'locktype',
      'mode',
      'lock_object',
      'waitstart',
      'wait_seconds',
      'blocking_datname',
      'blocking_usename',
      'blocking_application_name',
      'blocking_client_addr',
      'blocking_state',
      'blocking_query',
      'blocking_xact_start',
      'blocking_xact_seconds',
      'blocking_gid',
      'blocking_idle_seconds',
    ],
    true,
  ),
  asked(
    'pg_stat_progress',
    [
      'command',
      'pid',
      'datname',
      'usename',
      'backend_type',
      'relation_name',
      'phase',
      'unit',
      'done',
      'total',
      'percent',
      'started_at',
    ],
    true,
  ),
  asked(
    'pg_stat_replication',
    [
      'role',
      'pid',
      'application_name',
      'client_addr',
      'state',
      'sync_state',
      'receiver_status',
      'sender_host',
      'lag_bytes',
      'write_lag',
      'flush_lag',
      'replay_lag',
      'replay_pause_state',
    ],
    true,
  ),
  asked(
    'pg_replication_slots',
    ['slot_name', 'slot_type', 'database', 'active', 'wal_status', 'retained_bytes'],
    true,
  ),
  asked('pg_sys_cpu_usage_info', ['processor_time_percent', 'io_completion_percent']),
  asked('pg_sys_cpu_info', ['logical_processor', 'model_name']),
  asked('pg_sys_load_avg_info', ['load_avg_one_minute', 'load_avg_five_minutes', 'load_avg_fifteen_minutes']),
  asked('pg_sys_memory_info', ['total_memory', 'used_memory', 'swap_used']),
  asked('pg_sys_disk_info', ['mount_point', 'total_space', 'used_space', 'free_space']),
];
