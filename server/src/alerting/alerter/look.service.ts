// One look of the alerter: keeps the lease, and says what a round would have to judge, so that a round without anything new need not be.
import type { Db } from '../../kernel/db.ts';
import { type LookQuery, type LookRow, look } from './look.queries.ts';
import { recentRunsOf } from './recent-runs.queries.ts';
import type { RecentRun } from './recent-runs.ts';

export interface Look {
  /** The datastore's time, in milliseconds since the epoch. */
  now: number;
  runs: RecentRun[];
  /** Another text whenever something changed that no run tells. */
  mark: string;
}

export interface LookOptions extends Pick<LookQuery, 'lease'> {
  probes: readonly string[];
  /** Runs since then, in milliseconds since the epoch. */
  from: number;
}

/** Undefined: somebody else has the lease by now. */
export async function lookForNews(db: Db, { lease, probes, from }: LookOptions): Promise<Look | undefined> {
  const seen = await db.maybe<LookRow>(look({ lease, runs: recentRunsOf({ probes, from }) }));
  if (!seen) return undefined;
  const runs = seen.runs.map(([connection_id, probe, at]) => ({ connection_id, probe, at }));
  return { ...seen, runs };
}
