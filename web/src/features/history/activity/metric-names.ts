// What people call a metric in a chart, beside its name in the API, which is in the tooltip. Pure.

const NAMES: Readonly<Record<string, string>> = {
  xact_commit_per_sec: 'Commits',
  xact_rollback_per_sec: 'Rollbacks',
  cache_hit_ratio: 'Cache hit ratio',
  blks_read_per_sec: 'Blocks read',
  blks_hit_per_sec: 'Blocks hit in shared buffers',
  temp_bytes_per_sec: 'Temp files written',
  deadlocks: 'Deadlocks',
  conflicts: 'Recovery conflicts',
  client_count: 'Connections',
  active_count: 'Connections, active',
  blocked_count: 'Connections, waiting for a lock',
  wal_bytes_per_sec: 'WAL written',
  num_timed: 'Checkpoints, timed',
  num_requested: 'Checkpoints, requested',
  write_lag: 'Write lag',
  flush_lag: 'Flush lag',
  replay_lag: 'Replay lag',
  lag_bytes: 'Lag',
  max_retained_bytes: 'WAL retained by slots',
  total_bytes_per_sec: 'Decoded',
  spill_bytes_per_sec: 'Spilled to disk',
  processor_time_percent: 'CPU busy',
  user_time_percent: 'CPU, user',
  privileged_time_percent: 'CPU, system',
  io_completion_percent: 'CPU, I/O wait',
  load_avg_one_minute: 'Load average, 1 min',
  load_avg_five_minutes: 'Load average, 5 min',
  load_avg_fifteen_minutes: 'Load average, 15 min',
  used_memory: 'Memory used',
  cache_total: 'File cache',
  free_memory: 'Memory free',
  swap_used: 'Swap used',
  used_percent: 'Disk used',
  read_bytes_per_sec: 'Read',
  write_bytes_per_sec: 'Written',
  total_reads_per_sec: 'Reads',
  total_writes_per_sec: 'Writes',
  read_time_ms_per_sec: 'Time of reads',
  write_time_ms_per_sec: 'Time of writes',
  rx_bytes_per_sec: 'Received',
  tx_bytes_per_sec: 'Sent',
  rx_errors: 'Receive errors',
  tx_errors: 'Send errors',
  rx_dropped: 'Dropped on receive',
  tx_dropped: 'Dropped on send',
  process_count: 'Processes',
  total_exec_time_per_sec: 'Execution time',
  calls_per_sec: 'Calls',
  calls: 'Calls',
  mean_time: 'Mean time',
  rows: 'Rows',
  rows_per_sec: 'Rows',
};

/** "dead_tuple_ratio" is "Dead tuple ratio"; of several servers the rest of the name stays. */
export function metricName(metric: string, name = metric): string {
  const own = Object.hasOwn(NAMES, metric) ? NAMES[metric] : undefined;
  const words = metric.replace(/_per_sec$/, '').replaceAll('_', ' ');
  const label = own ?? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
  return name.startsWith(metric) ? `${label}${name.slice(metric.length)}` : label;
}
