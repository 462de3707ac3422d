// The grid of a summary, and the points on it. Pure. Guards: sixty buckets and none narrower than ten seconds; what was
// not measured has no point.
import {
  type NamedWindow,
  type RequestWindow,
  type TimeRange,
  windowOf,
} from '../metrics/metrics.service.ts';

const BUCKETS = 60;
const NARROWEST_MS = 10_000;

export interface Grid extends RequestWindow {
  readonly buckets: number;
}

export function gridOf(named: NamedWindow, of: { now: number; fallback: TimeRange }): Grid {
  const window = windowOf(named, of);
  const fitting = Math.floor((window.to - window.from) / NARROWEST_MS);
  return { ...window, buckets: Math.min(BUCKETS, Math.max(1, fitting)) };
}

/** A point of each bucket that has one, with when the bucket begins. */
export function pointsOf<T extends object>(
  { from, to, buckets }: Grid,
  pointOf: (bucket: number) => T | undefined,
): ({ time: string } & T)[] {
  const width = (to - from) / buckets;
  return Array.from({ length: buckets }).flatMap((_none, bucket) => {
    const point = pointOf(bucket);
    return point ? [{ time: new Date(Math.round(from + bucket * width)).toISOString(), ...point }] : [];
  });
}

/** Absent where it is not known: `...known(ratio, (current) => ({ current }))`. */
export const known = <T extends object>(value: number | null, of: (value: number) => T): T | undefined =>
  value === null ? undefined : of(value);
