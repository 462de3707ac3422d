// For each rule what its probe stores when there is trouble and when there is none. Guards: the two are as near to the
// threshold as they can be, so that a rule with another threshold, operator or metric fails its test.
import type { RuleName } from '../../alerting/rules/catalog.gen.ts';
import type { DateRuleName } from './date-rule-cases.ts';
import type { LogRuleName } from './log-rule-cases.ts';
import type { PlanRuleName } from './plan-rule-cases.ts';
import {
  ages,
  blocks,
  type Case,
  counts,
  disk,
  HOUR,
  index,
  levels,
  logs,
  MINUTE,
  sequences,
  sessions,
  slot,
  slow,
  slower,
  tables,
  time,
  wraparound,
} from './rule-case-rows.ts';

export const CASES: Record<Exclude<RuleName, DateRuleName | LogRuleName | PlanRuleName>, Case> = {
  high_max_connections: levels('pg_settings', [
    [{ name: 'max_connections', setting: '501' }],
    [{ name: 'max_connections', setting: '500' }],
  ]),
  connection_utilization: levels('pg_stat_activity', [sessions(9), sessions(8)], {
    beside: { probe: 'pg_server_info', rows: [{ max_connections: 10 }] },
  }),
  session_count_anomaly: levels('pg_stat_activity', [sessions(201), sessions(200)]),
  replication_lag_bytes: levels(
    'pg_stat_replication',
    [
      [{ role: 'primary', pid: 5, application_name: 'standby1', lag_bytes: 104_857_601 }],
      [{ role: 'primary', pid: 6, application_name: 'standby1', lag_bytes: 104_857_600 }],
    ],
    { object: 'standby1' },
  ),
  replication_slot_inactive: levels(
    'pg_replication_slots',
    [slot({ active: false, retained_bytes: 2 ** 30 }), slot({ active: false, retained_bytes: 2 ** 30 - 1 })],
    { object: 's' },
  ),
  replication_standby_disconnected: levels(
    'pg_stat_replication',
    [[{ role: 'standby', pid: 0 }], [{ role: 'standby', pid: 9 }]],
    { lasts: MINUTE },
  ),
  subscription_worker_down: levels(
    'pg_stat_subscription',
    [
      [{ subid: '16400', subname: 'orders', datname: 'shop', pid: 0, is_stopped: true }],
      [{ subid: '16400', subname: 'orders', datname: 'shop', pid: 77, is_stopped: false }],
    ],
    { object: 'orders (database shop)' },
  ),
  replication_slot_retention_warn: levels(
    'pg_replication_slots',
    [slot({ retained_bytes: 2 ** 30 }), slot({ retained_bytes: 2 ** 30 - 1 })],
    { object: 's' },
  ),
  replication_slot_retention_high: levels(
    'pg_replication_slots',
    [slot({ retained_bytes: 10 * 2 ** 30 }), slot({ retained_bytes: 10 * 2 ** 30 - 1 })],
    { object: 's' },
  ),
  spock_recent_exceptions_present: logs('spock_exception_log', 1),
  spock_recent_exceptions_high: logs('spock_exception_log', 10),
  spock_recent_resolutions_present: logs('spock_resolutions', 1),
  spock_recent_resolutions_high: logs('spock_resolutions', 25),
  disk_usage_percent: levels('pg_sys_disk_info', [disk(81), disk(80)], { object: '/data' }),
  disk_usage_critical: levels('pg_sys_disk_info', [disk(96), disk(95)], { object: '/data' }),
  table_bloat_ratio: tables({ n_dead_tup: 5001 }, { n_dead_tup: 5000 }),
  cpu_usage_high: levels('pg_sys_cpu_usage_info', [
    [{ processor_time_percent: 81 }],
    [{ processor_time_percent: 80 }],
  ]),
  memory_usage_high: levels('pg_sys_memory_info', [
    [{ total_memory: 100, used_memory: 86 }],
    [{ total_memory: 100, used_memory: 85 }],
  ]),
  load_average_high: levels(
    'pg_sys_load_avg_info',
    [[{ load_avg_fifteen_minutes: 8.1 }], [{ load_avg_fifteen_minutes: 8 }]],
    { beside: { probe: 'pg_sys_cpu_info', rows: [{ logical_processor: 4 }] } },
  ),
  long_running_queries: ages('query_start', [602, 598], { state: 'active' }),
  blocked_queries: levels('pg_stat_activity', [
    sessions(6, { wait_event_type: 'Lock' }),
    sessions(5, { wait_event_type: 'Lock' }),
  ]),
  temp_files_created: counts(
    'pg_stat_database',
    [
      { datname: 'shop', temp_files: 1 },
      { datname: 'shop', temp_files: 102 },
    ],
    { database_name: 'shop' },
  ),
  long_running_transaction: ages('xact_start', [3602, 3598], { state: 'active' }),
  idle_in_transaction: ages('state_change', [302, 298], { state: 'idle in transaction' }),
  transaction_wraparound: levels(
    'pg_database',
    [
      [{ datname: 'template0', age_datfrozenxid: 1_620_000_000 }],
      [{ datname: 'template0', age_datfrozenxid: 1_600_000_000 }],
    ],
    { object: 'template0' },
  ),
  deadlocks_detected: counts(
    'pg_stat_database',
    [
      { datname: 'shop', deadlocks: 4 },
      { datname: 'shop', deadlocks: 5 },
    ],
    { database_name: 'shop' },
  ),
  lock_wait_time: ages('query_start', [32, 28], { state: 'active', wait_event_type: 'Lock' }),
  checkpoint_warning: counts('pg_stat_checkpointer', [{ num_requested: 10 }, { num_requested: 61 }]),
  wal_archive_failed: counts('pg_stat_wal', [{ failed_count: 0 }, { failed_count: 1 }]),
  autovacuum_not_running: tables(
    { n_dead_tup: 900, vacuum_threshold: 800 },
    { n_dead_tup: 0, vacuum_threshold: 800 },
    { lasts: HOUR + 10 * MINUTE },
  ),
  dead_tuple_ratio: tables({ n_dead_tup: 2501 }, { n_dead_tup: 2500 }),
  slow_query_count: {
    ...counts('pg_stat_statements', [{}, {}], { database_name: 'shop' }),
    before: slow(10, 1000),
    bad: () => slow(11, 2001),
    good: () => slow(11, 2001),
  },
  statement_slower: {
    ...{ probe: 'pg_stat_statements', database_name: 'shop', object: 'statement 1', lasts: 3 * HOUR },
    ...{
      bad: slower,
      good: slower,
      says: /^Mean time is 2\.\d+ times that of the day before \(2\d\.?\d* ms in the last hour, 10 ms in the day before; threshold 2\)/,
    },
  },
  cache_hit_ratio_low: {
    ...counts('pg_stat_database', [blocks(1000, 1000), blocks(1700, 1300)], { database_name: 'shop' }),
    // Nothing is known of an hour in which nothing was read.
    good: (at) => [blocks(1700 + at * 10, 1300)],
  },
  sequence_usage_high: sequences(76, 75),
  sequence_usage_critical: sequences(91, 90),
  xid_age_high: wraparound('xid_percent', 51, 50),
  multixact_wraparound: wraparound('mxid_percent', 76, 75),
  multixact_age_high: wraparound('mxid_percent', 51, 50),
  prepared_transaction_age: wraparound('prepared_seconds', 601, 600),
  replication_slot_lost: levels(
    'pg_replication_slots',
    [slot({ wal_status: 'lost' }), slot({ wal_status: 'reserved' })],
    { object: 's' },
  ),
  replication_slot_at_risk: levels(
    'pg_replication_slots',
    [slot({ wal_status: 'unreserved' }), slot({ wal_status: 'extended' })],
    { object: 's' },
  ),
  invalid_index: levels(
    'pg_index_health',
    [index('invalid'), [...index('unused'), ...index('overlapping')]],
    { database_name: 'shop', object: 'public.orders_buyer' },
  ),
  checkpoints_forced: {
    probe: 'pg_stat_checkpointer',
    before: [{ num_timed: 0, num_requested: 0 }],
    bad: (at) => [{ num_timed: 0, num_requested: 1000 + at / MINUTE }],
    good: (at) => [{ num_timed: 1000 + at / MINUTE, num_requested: 1000 }],
  },
  connections_exhausted: levels('pg_stat_activity', [sessions(10), sessions(9)], {
    beside: { probe: 'pg_server_info', rows: [{ usable_connections: 10 }] },
  }),
  load_above_processors: levels(
    'pg_sys_load_avg_info',
    [[{ load_avg_five_minutes: 4.1 }], [{ load_avg_five_minutes: 4 }]],
    { beside: { probe: 'pg_sys_cpu_info', rows: [{ logical_processor: 4 }] } },
  ),
  standby_replay_age: levels('pg_stat_replication', [
    [{ role: 'standby', pid: 9, replay_lag: 301 }],
    [{ role: 'standby', pid: 9, replay_lag: 300 }],
  ]),
  standby_behind_peers: levels(
    'pg_stat_replication',
    [
      [{ role: 'primary', pid: 5, application_name: 'standby1', behind_peers_bytes: 33_554_433 }],
      [{ role: 'primary', pid: 6, application_name: 'standby1', behind_peers_bytes: 33_554_432 }],
    ],
    { object: 'standby1' },
  ),
  archive_delayed: {
    probe: 'pg_wal_directory',
    bad: (at) => [{ archive_ready_files: 2, archive_oldest_ready_time: time(at, 1802) }],
    good: () => [{ archive_ready_files: 0, archive_oldest_ready_time: null }],
  },
  collation_version_mismatch: levels(
    'pg_database',
    [[{ datname: 'shop', collation_differs: true }], [{ datname: 'shop', collation_differs: false }]],
    { object: 'shop' },
  ),
  checksum_failures: levels(
    'pg_stat_database',
    [[{ datname: 'shop', checksum_failures: 1 }], [{ datname: 'shop', checksum_failures: 0 }]],
    { database_name: 'shop' },
  ),
  settings_pending_restart: levels('pg_settings', [
    [{ name: 'shared_buffers', pending_restart: true }],
    [{ name: 'shared_buffers', pending_restart: false }],
  ]),
  metric_staleness: {
    // The probe of another case, which stops; and the server still answers.
    ...levels('pg_connectivity', [[{ response_time_ms: 1 }], [{ response_time_ms: 1 }]]),
    object: 'pg_stat_checkpointer',
  },
};
