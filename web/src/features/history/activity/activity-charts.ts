// Which metrics of which probe stand together in a chart. What they are called, their unit and their meaning comes from
// the server.
export interface ActivityChart {
  title: string;
  metrics: readonly string[];
  /** What is marked in it besides what is marked in all charts. */
  marks?: 'checkpoints';
}

export interface ActivitySource {
  probe: string;
  charts: readonly ActivityChart[];
}

/** In the order of the page; one request for each. All metrics of a chart have the same unit. */
export const SOURCES: readonly ActivitySource[] = [
  {
    probe: 'pg_stat_database',
    charts: [
      { title: 'Transactions', metrics: ['xact_commit_per_sec', 'xact_rollback_per_sec'] },
      { title: 'Cache hit ratio', metrics: ['cache_hit_ratio'] },
      { title: 'Blocks', metrics: ['blks_read_per_sec', 'blks_hit_per_sec'] },
      { title: 'Temporary files', metrics: ['temp_bytes_per_sec'] },
      { title: 'Deadlocks and conflicts', metrics: ['deadlocks', 'conflicts'] },
    ],
  },
  {
    probe: 'pg_stat_activity',
    charts: [{ title: 'Sessions', metrics: ['client_count', 'active_count', 'blocked_count'] }],
  },
  {
    probe: 'pg_stat_wal',
    charts: [{ title: 'WAL', metrics: ['wal_bytes_per_sec'], marks: 'checkpoints' }],
  },
  {
    probe: 'pg_stat_checkpointer',
    charts: [{ title: 'Checkpoints', metrics: ['num_timed', 'num_requested'] }],
  },
  {
    probe: 'pg_stat_replication',
    charts: [{ title: 'Replication lag', metrics: ['write_lag', 'flush_lag', 'replay_lag'] }],
  },
  {
    probe: 'pg_sys_cpu_usage_info',
    charts: [{ title: 'CPU', metrics: ['processor_time_percent', 'io_completion_percent'] }],
  },
  {
    probe: 'pg_sys_memory_info',
    charts: [{ title: 'Memory', metrics: ['used_memory', 'cache_total', 'swap_used'] }],
  },
  { probe: 'pg_sys_disk_info', charts: [{ title: 'Disk', metrics: ['used_percent'] }] },
];
