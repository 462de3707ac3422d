// The gap rule: a value stands for at most two and a half of its probe's intervals. What is older is not the value of
// now, and what lies between two samples further apart is a gap. Pure. Reading, rollups, compaction and pages that show
// the newest values all count by this one number.
export const GAP_INTERVALS = 2.5;

/** How long a value stands for, in seconds. */
export const gapSeconds = (intervalSeconds: number): number => GAP_INTERVALS * intervalSeconds;

/** The same in milliseconds. */
export const gapMs = (intervalSeconds: number): number => 1000 * gapSeconds(intervalSeconds);

/** Whether a value read at `at` still stands at `now` (milliseconds since the epoch). */
export const isCurrent = (at: number, now: number, intervalSeconds: number): boolean =>
  now - at <= gapMs(intervalSeconds);
