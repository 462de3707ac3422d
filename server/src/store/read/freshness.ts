// Whether a sample still says what is so now: by the gap rule, with the interval that its probe has on its connection. One
// statement for all of them.
import type { Db } from '../../kernel/db.ts';
import { longestIntervalSeconds, type Probe } from '../../probes/types.ts';
import { isCurrent } from '../layout/gap-rule.ts';
import { readIntervals } from '../layout/intervals.ts';

export interface Sampled {
  probe: Probe;
  connection_id: number;
  /** Milliseconds since the epoch. */
  at: number;
}

export type Freshness = (sample: Sampled) => boolean;

/** As of `now`, in milliseconds since the epoch. */
export async function readFreshness(db: Db, now: number): Promise<Freshness> {
  const intervals = await readIntervals(db);
  return ({ probe, connection_id, at }) => {
    const pace = {
      probe: probe.name,
      intervalSeconds: longestIntervalSeconds(probe),
      busyIntervalSeconds: probe.intervalSeconds,
    };
    return isCurrent(at, now, intervals.within(pace, connection_id, { from: now, to: now }));
  };
}
