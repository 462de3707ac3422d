// Moments of a run as they are stored. Guards: stored times have whole milliseconds, so a finer one would be later than itself: a reading
// after a restart would be compared with itself, and not with the one before.
import type { ProbeRun } from '../layout/types.ts';

export function inWholeMilliseconds(run: ProbeRun): ProbeRun {
  const { outcome, made_after } = run;
  const made = made_after === undefined ? {} : { made_after: Math.floor(made_after) };
  if (outcome.kind !== 'ran') return { ...run, ...made };
  return { ...run, ...made, outcome: { ...outcome, collected_at: Math.floor(outcome.collected_at) } };
}
