// Which time a page shows, as it stands in its address. Pure. Guards: whatever stands there, the page has a window that
// the server answers; a window up to now moves on with the clock, one from moment to moment stands still.
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';
import type { Zone } from './zone.ts';

export const RANGES = ['5m', '15m', '1h', '6h', '24h', '7d', '30d'] as const;
export type Range = (typeof RANGES)[number];

const LENGTHS: Record<Range, number> = {
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
};

/** Milliseconds since 1970. */
export interface Window {
  from: number;
  to: number;
}

/** Another window of the same length, to compare with. */
export const COMPARISONS = ['previous', 'day', 'week'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export const COMPARISON_WORDS: Record<Comparison, string> = {
  previous: 'the time before',
  day: 'a day earlier',
  week: 'a week earlier',
};

/** How long before this window the other one begins. */
export const comparedBy = (comparison: Comparison, { from, to }: Window): number =>
  ({ previous: to - from, day: DAY_MS, week: 7 * DAY_MS })[comparison];

export interface TimeState {
  /** Up to now, and following it. */
  range: Range;
  /** Instead of the range. */
  fixed: Window | undefined;
  zone: Zone;
  compare?: Comparison | undefined;
}

/** As the server takes it at most. */
const LONGEST_MS = 366 * DAY_MS;
/** Less than this shows nothing: most is collected every few minutes. */
export const SHORTEST_MS = MINUTE_MS;
/** Every chart of a page has so many buckets. */
export const BUCKETS = 120;

const FIRST = Date.UTC(2000, 0, 1);
const LAST = Date.UTC(2200, 0, 1);

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/;

function instant(text: string | null): number | undefined {
  if (text === null || !INSTANT.test(text)) return undefined;
  const at = Date.parse(text);
  return at >= FIRST && at <= LAST ? at : undefined;
}

/** What is shown of a server of that age where the address says nothing: its charts begin about where its history does. */
export function usualRange(ageMs: number): Range {
  if (ageMs < LENGTHS['5m']) return '5m';
  return ageMs < LENGTHS['15m'] ? '15m' : '1h';
}

/** Why this cannot be shown; undefined where it can. */
export function windowFault({ from, to }: Window): string | undefined {
  if (from < FIRST || to > LAST) return 'A time between the years 2000 and 2199 is needed.';
  if (to <= from) return 'The end has to be later than the beginning.';
  if (to - from < SHORTEST_MS) return 'At least one minute can be shown.';
  if (to - from > LONGEST_MS) return 'At most 366 days can be shown at once.';
  return undefined;
}

/** What an address says; what cannot be shown counts as the usual range of the page. */
export function readTime(search: URLSearchParams, usual: Range = '1h'): TimeState {
  const from = instant(search.get('from'));
  const to = instant(search.get('to'));
  const isFixed = from !== undefined && to !== undefined && windowFault({ from, to }) === undefined;
  const named = search.get('range');
  const compare = COMPARISONS.find((one) => one === search.get('compare'));
  return {
    range: RANGES.find((range) => range === named) ?? usual,
    fixed: isFixed ? { from, to } : undefined,
    zone: search.get('zone') === 'utc' ? 'utc' : 'local',
    ...(compare && { compare }),
  };
}

const put = (search: URLSearchParams, name: string, value: string | undefined) => {
  if (value === undefined) search.delete(name);
  else search.set(name, value);
};

const isoText = (at: number) => new Date(at).toISOString().replace(/\.000Z$/, 'Z');

/** The address with this in it; what is usual leaves no trace. */
export function writeTime(
  before: URLSearchParams,
  { range, fixed, zone, compare }: TimeState,
  usual: Range = '1h',
): URLSearchParams {
  const next = new URLSearchParams(before);
  put(next, 'range', range === usual ? undefined : range);
  put(next, 'from', fixed && isoText(fixed.from));
  put(next, 'to', fixed && isoText(fixed.to));
  put(next, 'zone', zone === 'utc' ? 'utc' : undefined);
  put(next, 'compare', compare);
  return next;
}

/** The moment of which the state is shown, within the window that stands still; undefined: the newest one. */
export function readMoment(search: URLSearchParams, { fixed }: TimeState): number | undefined {
  const at = instant(search.get('at'));
  if (fixed === undefined) return undefined;
  return at !== undefined && at >= fixed.from && at <= fixed.to ? at : fixed.to;
}

/** The address with this moment in it. */
export function writeMoment(before: URLSearchParams, at: number | undefined): URLSearchParams {
  const next = new URLSearchParams(before);
  put(next, 'at', at === undefined ? undefined : isoText(Math.round(at / 1000) * 1000));
  return next;
}

/** Of an address only what says which time is shown, for a link to another page. */
export function timeOf(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams();
  for (const name of ['range', 'from', 'to', 'zone', 'at', 'compare'])
    put(next, name, search.get(name) ?? undefined);
  return next;
}

/** Short windows would be read anew with every bucket. */
const LEAST_STEP_MS = 10_000;

/** How long one bucket of a range is. */
export const bucketOf = (range: Range): number => LENGTHS[range] / BUCKETS;

/** A window that was not chosen is read anew less often: it is what most pages show that are left open. */
export const CALM_STEP_MS = 30_000;

/** A window that follows the clock moves on by as much: whole buckets, and not more often than every few seconds. */
export const stepOf = (range: Range, least = LEAST_STEP_MS): number =>
  bucketOf(range) * Math.ceil(least / bucketOf(range));

/** The window at that time. Its ends stand on whole buckets, so that it does not change every second. */
export function windowAt({ range, fixed }: TimeState, now: number, leastStep = LEAST_STEP_MS): Window {
  if (fixed) return fixed;
  const step = stepOf(range, leastStep);
  const to = Math.ceil(now / step) * step;
  return { from: to - LENGTHS[range], to };
}

/** What is read as a whole each time moves on in steps of this. */
const COARSE_MS = 2 * MINUTE_MS;

/** As long, and not before its end: for lists that would be read anew with each step of a window that follows the clock. */
export function coarseWindow({ from, to }: Window, isLive: boolean): Window {
  if (!isLive) return { from, to };
  const end = Math.ceil(to / COARSE_MS) * COARSE_MS;
  return { from: from + end - to, to: end };
}

/** The window that somebody drew between two moments, long enough to be shown and within what was shown. */
export function drawnWindow(one: number, other: number, shown: Window): Window {
  const [first, last] = one < other ? [one, other] : [other, one];
  const middle = (first + last) / 2;
  const length = Math.max(SHORTEST_MS, last - first);
  const from = Math.max(shown.from, Math.min(shown.to - length, middle - length / 2));
  const whole = Math.round(from / 1000) * 1000;
  return { from: whole, to: whole + Math.round(length / 1000) * 1000 };
}
