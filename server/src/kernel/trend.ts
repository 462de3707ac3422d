// When something that fills up will be full, from a value a day. Pure. Guards: one odd day moves nothing, since the slope is the
// median of all slopes between two days (Theil and Sen) and the band comes from the ranks of these; what falls back again and
// again gets no date from the climb between; nobody is told a date further away than ten times what was seen, or five years.
import { DAY_MS } from './units.ts';

export interface TrendPoint {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly value: number;
}

export interface TrendQuery {
  /** In order of time, at most one a day is needed; days that nobody measured are not there. */
  readonly points: readonly TrendPoint[];
  /** Null: nobody knows it. */
  readonly limit: number | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Below it the server itself brings the value back down in time: growth until there says nothing. */
  readonly heldBelow?: number | undefined;
  /** What fell back once does so again, without anybody's doing. */
  readonly fallsBack?: boolean | undefined;
}

export type TrendState = 'runs_out' | 'not_growing' | 'unknown';

export interface Trend {
  readonly state: TrendState;
  /** Milliseconds since the epoch; null where there is no date. */
  readonly at: number | null;
  /** If it grows as fast as the days still allow; where no date can be told, the first that it can be. */
  readonly earliest: number | null;
  /** If it grows as slowly as they allow; null: further away than can be told. */
  readonly latest: number | null;
  /** Null where no slope was found. */
  readonly per_day: number | null;
  /** From the first to the last of the values it was found from. */
  readonly days_of_data: number;
  /** In one sentence; null where the date says it all. */
  readonly reason: string | null;
}

/** Slopes are between any two of these. */
const MOST_POINTS = 62;
const LEAST_POINTS = 4;
const LEAST_DAYS = 3;
const RECENT = 8;
const FARTHEST_TIMES = 10;
const FARTHEST_MS = 5 * 365 * DAY_MS;
/** Of the normal distribution, for a band that holds the truth nine times in ten. */
const Z = 1.645;
/** What rose by a smaller part of the limit in all days that were seen, and does not reach it, does not grow to speak of. */
const SLIGHT = 0.01;
/** Peaks may differ by such a part of the limit and still be the same. */
const SAME_PEAK = 0.05;

interface Fit {
  readonly slope: number;
  readonly low: number;
  readonly high: number;
  /** Now, by the line. */
  readonly level: number;
  readonly points: readonly TrendPoint[];
}

const byNumber = (a: number, b: number) => a - b;

function quantile(sorted: readonly number[], rank: number): number {
  const last = sorted.length - 1;
  return sorted[Math.min(last, Math.max(0, rank))] ?? 0;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted(byNumber);
  const half = sorted.length / 2;
  return (quantile(sorted, Math.ceil(half) - 1) + quantile(sorted, Math.floor(half))) / 2;
}

const daysOf = (points: readonly TrendPoint[]): number =>
  points.length < 2 ? 0 : ((points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0)) / DAY_MS;

const isEnough = (points: readonly TrendPoint[]): boolean =>
  points.length >= LEAST_POINTS && daysOf(points) >= LEAST_DAYS - 0.1;

/** Theil and Sen: median of the slopes of all pairs, and the band from their ranks. Slopes are by day. */
function fitted(points: readonly TrendPoint[], now: number): Fit {
  const slopes: number[] = [];
  for (const [index, later] of points.entries())
    for (const earlier of points.slice(0, index))
      if (later.at > earlier.at)
        slopes.push(((later.value - earlier.value) * DAY_MS) / (later.at - earlier.at));
  slopes.sort(byNumber);
  const n = points.length;
  const spread = Z * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  const slope = median(slopes);
  const low = quantile(slopes, Math.floor((slopes.length - spread) / 2));
  const high = quantile(slopes, Math.ceil((slopes.length + spread) / 2));
  const level = median(points.map(({ at, value }) => value + (slope * (now - at)) / DAY_MS));
  return { slope, low, high, level, points };
}

/** The longest past that goes on as the newest days do: what was otherwise before says nothing of tomorrow. */
function fitOf(points: readonly TrendPoint[], now: number): Fit {
  const whole = fitted(points, now);
  if (points.length <= RECENT) return whole;
  const recent = fitted(points.slice(-RECENT), now);
  const goesOn = ({ slope }: Fit) => slope >= recent.low && slope <= recent.high;
  if (goesOn(whole)) return whole;
  const half = fitted(points.slice(-2 * RECENT), now);
  return goesOn(half) ? half : recent;
}

interface Steps {
  /** Indexes of the first values after a fall, and after a jump up. */
  readonly falls: readonly number[];
  readonly jumps: readonly number[];
  /** By day, as most days are. */
  readonly usual: number;
}

/** Each value as the middle one of itself and its neighbours: a single odd day is no step, up or down. */
function withoutSpikes(points: readonly TrendPoint[]): TrendPoint[] {
  return points.map(({ at, value }, index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    return { at, value: before && after ? median([before.value, value, after.value]) : value };
  });
}

/** Changes from one value to the next that are nothing like the others. */
function changesIn(points: readonly TrendPoint[]): Steps {
  const changes = points.slice(1).map((point, index) => {
    const before = points[index] ?? point;
    const days = (point.at - before.at) / DAY_MS;
    return { days, change: point.value - before.value };
  });
  const rates = changes.map(({ days, change }) => change / days);
  const usual = median(rates);
  const scatter = median(rates.map((rate) => Math.abs(rate - usual)));
  const values = points.map(({ value }) => value);
  let [most, least] = [-Infinity, Infinity];
  for (const value of values) [most, least] = [Math.max(most, value), Math.min(least, value)];
  const threshold = Math.max(8 * scatter, 0.2 * (most - least));
  const falls: number[] = [];
  const jumps: number[] = [];
  for (const [index, { days, change }] of changes.entries()) {
    const beyond = change - usual * days;
    if (change < 0 && -beyond > threshold) falls.push(index + 1);
    else if (change > 0 && beyond > threshold) jumps.push(index + 1);
  }
  return { falls, jumps, usual };
}

/** One or two odd days are no steps; what falls often falls, even if it is up again after a day. */
function stepsOf(points: readonly TrendPoint[]): Steps {
  const measured = changesIn(points);
  return measured.falls.length > 2 ? measured : changesIn(withoutSpikes(points));
}

/** A single jump, such as a restored database, is no growth: what was before is lifted by it. */
function withoutJump(points: readonly TrendPoint[]): readonly TrendPoint[] {
  if (points.length <= LEAST_POINTS) return points;
  const { jumps, usual } = stepsOf(points);
  const [index] = jumps;
  const [before, after] = [points[(index ?? 0) - 1], points[index ?? -1]];
  // Of the newest value nobody knows yet whether it is one.
  if (jumps.length !== 1 || !before || !after || index === points.length - 1) return points;
  const lift = after.value - before.value - (usual * (after.at - before.at)) / DAY_MS;
  return points.map((point, n) => (n < (index ?? 0) ? { at: point.at, value: point.value + lift } : point));
}

const NONE = { at: null, earliest: null, latest: null, per_day: null } as const;

const unknown = (reason: string, points: readonly TrendPoint[]): Trend => ({
  ...NONE,
  state: 'unknown',
  days_of_data: daysOf(points),
  reason,
});

const still = (
  reason: string | null,
  points: readonly TrendPoint[],
  per_day: number | null = null,
): Trend => ({
  ...NONE,
  state: 'not_growing',
  per_day,
  days_of_data: daysOf(points),
  reason,
});

function tooLittle(points: readonly TrendPoint[], since = ''): Trend {
  const days = Math.round(daysOf(points) * 10) / 10;
  return unknown(
    `Not enough data yet: a forecast needs ${LEAST_POINTS} values over ${LEAST_DAYS} days, and there ${points.length === 1 ? 'is 1' : `are ${points.length}`} over ${days} ${days === 1 ? 'day' : 'days'}${since}.`,
    points,
  );
}

/** From where it is now, if it grows as fast as the days before it fell allow; null: they are too few to say. */
function earliestAfterFall({ points, limit, now }: TrendInput, before: readonly TrendPoint[]): number | null {
  const newest = points.at(-1);
  if (!newest || !isEnough(before)) return null;
  const { high } = fitted(before, now);
  if (high <= 0) return null;
  const days = Math.min((limit - newest.value) / high, FARTHEST_TIMES * daysOf(before));
  return Math.min(now + days * DAY_MS, now + FARTHEST_MS);
}

/** The date at which a line reaches the limit; null: further away than may be told. */
function reachedAt(fit: Fit, limit: number, { slope, now }: { slope: number; now: number }): number | null {
  if (slope <= 0) return null;
  const ahead = (Math.max(0, limit - fit.level) / slope) * DAY_MS;
  const farthest = Math.min(FARTHEST_MS, FARTHEST_TIMES * daysOf(fit.points) * DAY_MS);
  return ahead <= farthest ? now + ahead : null;
}

function dated(fit: Fit, limit: number, now: number): Trend {
  const { points, slope, low, high } = fit;
  const days_of_data = daysOf(points);
  if (slope <= 0) return still(null, points, slope);
  if (low <= 0) return still('No growth can be told from its ups and downs.', points, slope);
  const at = reachedAt(fit, limit, { slope, now });
  if (at === null) {
    const days = Math.min(FARTHEST_MS / DAY_MS, FARTHEST_TIMES * days_of_data);
    if (slope * days_of_data < SLIGHT * limit)
      return still(
        `It grew by less than ${100 * SLIGHT} % of its limit in ${Math.floor(days_of_data)} days.`,
        points,
        slope,
      );
    return {
      ...{ state: 'unknown', at, latest: null, per_day: slope, days_of_data },
      earliest: now + days * DAY_MS,
      reason: `It is more than ${Math.floor(days)} days away: further than ${Math.floor(days_of_data)} days of data can tell.`,
    };
  }
  return {
    ...{ state: 'runs_out', at, per_day: slope, days_of_data, reason: null },
    earliest: reachedAt(fit, limit, { slope: high, now }) ?? at,
    latest: reachedAt(fit, limit, { slope: low, now }),
  };
}

interface TrendInput {
  readonly points: readonly TrendPoint[];
  readonly limit: number;
  readonly now: number;
  readonly fallsBack: boolean;
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** What fell back at least once. */
function afterFalls({ points, limit, now, fallsBack }: TrendInput, falls: readonly number[]): Trend {
  const last = falls.at(-1) ?? 0;
  const rest = points.slice(last);
  const newest = points.at(-1)?.value ?? 0;
  const peaks = falls.flatMap((index) => points[index - 1] ?? []);
  const highest = peaks.reduce((most, { value }) => Math.max(most, value), -Infinity);
  const isHeld = newest <= highest + SAME_PEAK * limit;
  const fallenOn = dayOf(points[last]?.at ?? now);
  // What once fell back to where it was held does so again; a disk that was once cleaned may not be.
  if (isHeld && falls.length === 1 && fallsBack) return still(`It fell back on ${fallenOn}.`, points);
  if (isHeld && falls.length > 1) {
    const rise = (peaks.at(-1)?.value ?? 0) - (peaks[0]?.value ?? 0);
    if (rise <= SAME_PEAK * limit)
      return still(`It fell back ${falls.length} times, last on ${fallenOn}.`, points);
    if (isEnough(peaks)) return dated(fitted(peaks, now), limit, now);
  }
  if (!isEnough(rest)) {
    const earliest = earliestAfterFall(
      { points, limit, now, fallsBack },
      points.slice(falls.at(-2) ?? 0, last),
    );
    return { ...tooLittle(rest, ` since it fell back on ${fallenOn}`), earliest };
  }
  return dated(fitOf(withoutJump(rest), now), limit, now);
}

/** When the limit is reached, or why there is no date. */
export function trendOf({ points: all, limit, now, heldBelow, fallsBack = false }: TrendQuery): Trend {
  const finite = all.filter(({ at, value }) => Number.isFinite(at) && Number.isFinite(value));
  const points = finite.toSorted((a, b) => a.at - b.at).slice(-MOST_POINTS);
  const newest = points.at(-1);
  if (!newest) return unknown('Nothing was collected.', points);
  if (limit === null || !(limit > 0)) return unknown('Its limit is unknown.', points);
  if (newest.value >= limit)
    return {
      ...{ state: 'runs_out', at: now, earliest: now, latest: now, per_day: null },
      ...{ days_of_data: daysOf(points), reason: 'The limit is reached.' },
    };
  if (heldBelow !== undefined && newest.value <= heldBelow)
    return still('Autovacuum to prevent wraparound starts near this age and lowers it.', points);
  if (!isEnough(points)) return tooLittle(points);
  const { falls } = stepsOf(points);
  if (falls.length > 0) return afterFalls({ points, limit, now, fallsBack }, falls);
  return dated(fitOf(withoutJump(points), now), limit, now);
}
