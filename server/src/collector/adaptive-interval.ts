// How often a probe that adapts runs: step by step less often while nothing goes on, as declared from the first run on
// that finds something. Pure.
import type { Probe } from '../probes/types.ts';
import { type Outcome, valueIn } from '../store/layout/types.ts';

/** How many runs in a row found nothing going on, after this one. What could not be read tells nothing: from the start. */
export function quietRuns({ adaptive }: Probe, before: number, outcome: Outcome): number {
  if (!adaptive || outcome.kind !== 'ran') return 0;
  const { column, value } = adaptive.busy;
  return outcome.rows.some((row) => valueIn(row, column) === value) ? 0 : before + 1;
}

/** The time to the next run after so many runs that found nothing. */
export function adaptiveIntervalMs(
  { adaptive, intervalSeconds }: Pick<Probe, 'adaptive' | 'intervalSeconds'>,
  quietRuns: number,
): number {
  const slowest = Math.max(intervalSeconds, adaptive?.slowestSeconds ?? 0);
  return 1000 * Math.min(slowest, intervalSeconds * (1 + quietRuns));
}
