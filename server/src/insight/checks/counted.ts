// Over what time cumulative counters count, for checks that judge one reading of them. Pure. Guards: a rate is over an hour at least, so
// that what was counted for minutes is never exaggerated; counters that were reset a moment ago and show nothing are unknown.
import { shownTime, shownValue } from '../../kernel/shown-value.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import type { Unknown } from './types.ts';

/** Counters that count for less than that and show nothing prove nothing. */
export const LEAST_COUNTED_MS = 600_000;

export interface Counted {
  readonly since: number;
  readonly ms: number;
}

export const countedFrom = (since: number, now: number): Counted => ({
  since,
  ms: Math.max(0, now - since),
});

export const isCountedBriefly = ({ ms }: Counted): boolean => ms < LEAST_COUNTED_MS;

/** How often in so many milliseconds, over the time that it was counted. */
export const rateIn = (count: number, { ms }: Counted, unit_ms: number): number =>
  (count * unit_ms) / Math.max(ms, HOUR_MS);

/** "in 18 min, since 2026-11-27 08:00:00 UTC". */
export const countedWords = ({ since, ms }: Counted): string =>
  `in ${shownValue(ms / 1000, 'seconds')}, since ${shownTime(since)}`;

/** Of what begins to count so lately that its silence says nothing. */
export const countedBriefly = (what: string, { since, ms }: Counted): Unknown => ({
  because: `${what} have been counted for only ${shownValue(ms / 1000, 'seconds')}, since ${shownTime(since)}. At least ${shownValue(LEAST_COUNTED_MS / 1000, 'seconds')} are needed.`,
  mend: null,
});

export const SINCE_UNKNOWN = 'The start time of the counters is unknown.';
