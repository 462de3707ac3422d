// Which hours are over, and how long the intervals are that decide about them. Pure. Guards: no hour is taken for over while a value
// can still reach back into it.
import type { Database } from '../../kernel/db.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import type { Engine } from '../layout/engine/types.ts';
import { gapSeconds, type Intervals } from '../layout/intervals.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import { hotOf } from '../layout/tiers.ts';
import type { Hour } from './compact.queries.ts';

/** What is being compacted. */
export interface CompactionJob {
  db: Database;
  engine: Engine;
  layout: TableLayout;
  now: number;
  before: number;
  intervals: Intervals;
}

export const holeMs = (intervalSeconds: number) => Math.ceil(gapSeconds(intervalSeconds)) * 1000;

export const hourCeil = (ms: number) => Math.ceil(ms / HOUR_MS) * HOUR_MS;

/** What is before this is over: nobody's value reaches back into it any more. */
export function closedBefore(layout: TableLayout, now: number): number {
  const { hot_ms, step_ms } = hotOf(layout);
  return Math.floor((now - Math.max(hot_ms, holeMs(layout.intervalSeconds))) / step_ms) * step_ms;
}

/** The longest interval that decides about those hours or their neighbours. */
export function longestOf(
  { intervals, layout }: Pick<CompactionJob, 'intervals' | 'layout'>,
  run: readonly Pick<Hour, 'connection_id' | 'hour'>[],
): number {
  const [first, last] = [run[0]?.hour ?? 0, run.at(-1)?.hour ?? 0];
  const within = (beside: number) =>
    intervals.within(layout, run[0]?.connection_id ?? 0, {
      from: first - beside,
      to: last + HOUR_MS + beside,
    });
  const beside = 4 * HOUR_MS;
  return within(beside + 2 * hourCeil(holeMs(within(beside))));
}
