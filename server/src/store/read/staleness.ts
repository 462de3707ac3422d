// How old the newest sample of each probe is, in the intervals at which the probe runs. Guards: what was skipped, being
// switched off or not applicable, is not stale; what was set to run more often a moment ago is not late yet; two statements for all
// connections.
import type { Db } from '../../kernel/db.ts';
import { type ProbeName, probes } from '../../probes/catalog.gen.ts';
import { longestIntervalSeconds } from '../../probes/types.ts';
import { GAP_INTERVALS } from '../layout/gap-rule.ts';
import { readIntervals } from '../layout/intervals.ts';
import { newestTimes } from './newest.queries.ts';
import type { MetricValue, NewestMetricQuery } from './newest-values.ts';

interface RunTime {
  connection_id: number;
  probe: string;
  database_name: string;
  /** Milliseconds since the epoch. */
  at: number | null;
}

interface RunAge extends RunTime {
  probe: ProbeName;
  /** Null: never. */
  intervals: number | null;
}

type OfAges = Pick<NewestMetricQuery, 'connection_ids' | 'now'>;

async function runAges(db: Db, { connection_ids, now }: OfAges): Promise<RunAge[]> {
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
  return runs.flatMap((run) => {
    const layout = known.get(run.probe);
    if (!layout) return [];
    const seconds = intervals.within(layout, run.connection_id, { from: run.at ?? now, to: now });
    const age = run.at === null ? null : Math.max(0, now - run.at) / 1000 / seconds;
    return [{ ...run, probe: layout.probe, intervals: age }];
  });
}

export async function staleness(
  db: Db,
  { metric, isWanted, ...of }: OfAges & Pick<NewestMetricQuery, 'metric' | 'isWanted'>,
): Promise<MetricValue[]> {
  const ages = await runAges(db, of);
  return ages.flatMap(({ connection_id, database_name, probe, at, intervals }) => {
    if (isWanted && !isWanted(metric, connection_id, intervals)) return [];
    const time = at === null ? null : new Date(at).toISOString();
    return [{ connection_id, database_name, object: { probe }, at: time, value: intervals }];
  });
}

/** How many readings there are, and how many of them are late. */
export async function lateReadings(db: Db, of: OfAges): Promise<{ known: number; late: number }> {
  const ages = await runAges(db, of);
  const late = ages.filter(({ intervals }) => intervals === null || intervals > GAP_INTERVALS).length;
  return { known: ages.length, late };
}
