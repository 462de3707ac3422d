// The figures of the overview, and which metrics each is of.

export interface TileSource {
  title: string;
  probe: string;
  /** Their sum where there are several. */
  metrics: readonly string[];
  tab: string;
}

export const TRANSACTIONS: TileSource = {
  title: 'Transactions',
  probe: 'pg_stat_database',
  metrics: ['xact_commit_per_sec', 'xact_rollback_per_sec'],
  tab: 'activity',
};
export const CACHE_HIT: TileSource = {
  title: 'Cache hit ratio',
  probe: 'pg_stat_database',
  metrics: ['cache_hit_ratio'],
  tab: 'activity',
};
export const MEAN_TIME: TileSource = {
  title: 'Mean query time',
  probe: 'pg_stat_statements',
  metrics: ['mean_time'],
  tab: 'queries',
};
export const CONNECTIONS: TileSource = {
  title: 'Connections',
  probe: 'pg_stat_activity',
  metrics: ['client_count'],
  tab: 'sessions',
};
export const WAL: TileSource = {
  title: 'WAL written',
  probe: 'pg_stat_wal',
  metrics: ['wal_bytes_per_sec'],
  tab: 'activity',
};
