// What is usual of the metrics of a server, for the alerter, which keeps it up, and for whoever shows a rule. Guards: the list of
// metrics stands here once; before a day is known, the answer says until when it is learned.

import type { Ctx } from '../../identity/identity.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { catalogProbe } from '../../probes/catalog-probe.ts';
import { type Metric, metricOf } from '../../probes/metrics.ts';
import type { Probe } from '../../probes/types.ts';
import {
  type Baseline,
  dueConnections,
  type HourBaseline,
  keptFor,
  knownSince,
  saveBaselines,
  usualAt,
} from './baselines.queries.ts';

export { type Baseline, dueConnections, type HourBaseline, keptFor, saveBaselines, usualAt };

/** Before so much is known, nothing is usual yet. */
export const LEARNING_MS = 24 * HOUR_MS;

/** Levels and rates of servers and databases, with their human names; what is judged object by object has its rules. */
const METRICS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pg_stat_database: {
    numbackends: 'session count',
    xact_commit_per_sec: 'commit rate',
    blks_read_per_sec: 'block read rate',
    temp_bytes_per_sec: 'temporary file write rate',
  },
  pg_sys_cpu_usage_info: { processor_time_percent: 'CPU usage' },
  pg_sys_load_avg_info: { load_per_cpu: 'load average per CPU' },
  pg_sys_memory_info: { used_percent: 'memory usage' },
};

export interface Watched {
  readonly probe: Probe;
  readonly metric: Metric;
}

export interface AnomalyMetric extends Watched {
  /** What people call it, within a sentence. */
  readonly label: string;
}

function watched(): AnomalyMetric[] {
  return Object.entries(METRICS).flatMap(([name, metrics]) => {
    const probe = catalogProbe(name);
    return Object.entries(metrics).map(([metric, label]) => {
      const found = metricOf(probe, metric);
      if (!found) throw new Error(`${name} has no metric ${metric}`);
      return { probe, metric: found, label };
    });
  });
}

/** Metrics whose unusual values raise alerts. */
export const anomalyMetrics: readonly AnomalyMetric[] = watched();

export interface BaselineState {
  state: 'learning' | 'known';
  /** RFC 3339; null: nothing has been read yet. */
  until: string | null;
}

/** Null: unusual values of the metric raise no alerts. Access to the connection has been checked. */
export async function baselineState(
  ctx: Ctx,
  { connection_id, metric }: { connection_id: number; metric: string },
): Promise<BaselineState | null> {
  if (!anomalyMetrics.some((one) => one.metric.wireName === metric)) return null;
  const known = await knownSince(ctx.db, { connection_id, metric });
  if (!known) return { state: 'learning', until: null };
  const until = Date.parse(known.known_since) + LEARNING_MS;
  return until <= ctx.clock.now()
    ? { state: 'known', until: null }
    : { state: 'learning', until: new Date(until).toISOString() };
}
