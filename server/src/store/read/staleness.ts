// How old the newest sample of each probe is, in the intervals at which the probe runs. Guards: what was skipped, being
// switched off or not applicable, is not stale; what was set to run more often a moment ago is not late yet; two statements for all
// connections.
import type { Db } from '../../kernel/db.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { longestIntervalSeconds } from '../../probes/types.ts';
import { readIntervals } from '../layout/intervals.ts';
import { newestTimes } from './newest.queries.ts';
import type { MetricValue, NewestMetricQuery } from './newest-metric.ts';

interface RunTime {
  connection_id: number;
  probe: string;
  database_name: string;
  /** Milliseconds since the epoch. */
  at: number | null;
}

export async function staleness(
  db: Db,
  {
    metric,
    connection_ids,
    now,
    isWanted,
  }: Pick<NewestMetricQuery, 'metric' | 'connection_ids' | 'now' | 'isWanted'>,
): Promise<MetricValue[]> {
  const [runs, intervals] = await Promise.all([
    db.rows<RunTime>(newestTimes(connection_ids)),
    readIntervals(db),
  ]);
  const known = new Map(
    probes.map((probe) => [
      probe.name as string,
      {
        probe: probe.name,
        intervalSeconds: longestIntervalSeconds(probe),
        busyIntervalSeconds: probe.intervalSeconds,
      },
    ]),
  );
  return runs.flatMap(({ connection_id, probe, database_name, at }) => {
    const layout = known.get(probe);
    if (!layout) return [];
    const seconds = intervals.within(layout, connection_id, { from: at ?? now, to: now });
    const value = at === null ? null : Math.max(0, now - at) / 1000 / seconds;
    if (isWanted && !isWanted(metric, connection_id, value)) return [];
    const time = at === null ? null : new Date(at).toISOString();
    return [{ connection_id, database_name, object: { probe }, at: time, value }];
  });
}
