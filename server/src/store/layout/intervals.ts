// How often each probe ran on each connection over time, by which gaps are judged. Pure, but for reading. Guards: hours
// before a change of the interval are judged by the interval of their time, or by the longer one where both were in
// force. A value stands for at most two and a half intervals, and what lies between two samples further apart is a gap: reading,
// rollups, compaction and pages that show the newest values all count by this one number.

import type { Db } from '../../kernel/db.ts';
import { greatest } from '../../kernel/lists.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { type IntervalChange, intervalChanges } from './retention.queries.ts';
import type { TableLayout } from './table-layout.ts';
import { hotOf } from './tiers.ts';

export const GAP_INTERVALS = 2.5;

/** How long a value stands for, in seconds. */
export const gapSeconds = (intervalSeconds: number): number => GAP_INTERVALS * intervalSeconds;

/** The same in milliseconds. */
export const gapMs = (intervalSeconds: number): number => 1000 * gapSeconds(intervalSeconds);

/** Whether a value read at `at` still stands at `now` (milliseconds since the epoch). */
export const isCurrent = (at: number, now: number, intervalSeconds: number): boolean =>
  now - at <= gapMs(intervalSeconds);

/** How often a probe runs as it is declared. */
type Paced = Pick<TableLayout, 'probe' | 'intervalSeconds' | 'busyIntervalSeconds'>;

export class Intervals {
  readonly #changes: ReadonlyMap<string, readonly IntervalChange[]>;

  constructor(changes: readonly IntervalChange[]) {
    this.#changes = Map.groupBy(changes, ({ probe, connection_id }) => `${probe} ${connection_id}`);
  }

  /** The longest interval that was in force within that time (milliseconds since the epoch), in seconds. */
  within(layout: Paced, connectionId: number, { from, to }: { from: number; to: number }): number {
    const changes = this.#changes.get(`${layout.probe} ${connectionId}`);
    if (!changes) return layout.intervalSeconds;
    const first = changes.findLastIndex(({ since }) => since <= from);
    const inForce = changes.slice(Math.max(0, first)).filter(({ since }) => since <= to);
    // What a probe that adapts is set to, it may run more rarely still.
    const adapts = layout.busyIntervalSeconds < layout.intervalSeconds;
    const seconds = inForce.map(({ interval_seconds, is_declared }) =>
      is_declared || adapts ? Math.max(interval_seconds, layout.intervalSeconds) : interval_seconds,
    );
    return greatest(first === -1 ? [...seconds, layout.intervalSeconds] : seconds);
  }
}

/**
 * What decides about an hour (it begins at `hour`). Changes are noted when compaction runs, and no hour is made before
 * it was over for as long as rows stay raw: so this is the same whenever it is asked.
 */
export function intervalOfHour(
  intervals: Intervals,
  { layout, connection_id, hour }: { layout: TableLayout; connection_id: number; hour: number },
): number {
  const window = { from: hour - HOUR_MS, to: hour + HOUR_MS + hotOf(layout).hot_ms };
  return intervals.within(layout, connection_id, window);
}

export const readIntervals = async (db: Db): Promise<Intervals> =>
  new Intervals(await db.rows<IntervalChange>(intervalChanges));
