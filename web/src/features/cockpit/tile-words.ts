// The figures of the overview: which metric each is of, and what its newest value says. Pure. Guards: what was not measured is
// null, never zero, and a figure says of which time it is.

import { bucketSpan, type Grid, onGrid } from '../../ui/charts/series.ts';
import type { MetricSeries } from '../activity/answers.ts';

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

export interface TileFigure {
  values: (number | null)[];
  unit: string;
  /** The newest value, and from when to when it is. */
  newest: { value: number; from: number; to: number } | undefined;
}

/** A bucket counts where all of its metrics were measured. */
export function figureOf(found: readonly MetricSeries[], { metrics }: TileSource, grid: Grid): TileFigure {
  const own = found.filter(({ metric }) => metrics.includes(metric));
  const lines = own.map(({ data }) => onGrid(data, grid));
  const values = Array.from({ length: grid.buckets }, (_none, bucket) =>
    lines.reduce<number | null>(
      (sum, line) => {
        const value = line[bucket] ?? null;
        return sum === null || value === null ? null : sum + value;
      },
      lines.length === metrics.length ? 0 : null,
    ),
  );
  const last = values.findLastIndex((value) => value !== null);
  const value = values[last] ?? null;
  const [from, to] = bucketSpan(grid, Math.max(0, last));
  return { values, unit: own[0]?.unit ?? '', newest: value === null ? undefined : { value, from, to } };
}
