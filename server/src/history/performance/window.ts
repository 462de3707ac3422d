// The grid of a summary, and the points on it. Pure. Guards: sixty buckets and none narrower than ten seconds; what was
// not measured has no point.
import {
  type Comparison,
  comparedFrom,
  type NamedWindow,
  type RequestWindow,
  type TimeRange,
  windowOf,
} from '../metrics/metrics.service.ts';

const BUCKETS = 60;
const NARROWEST_MS = 10_000;

export interface Grid extends RequestWindow {
  readonly buckets: number;
  /** Where a second window begins. */
  readonly compare_from?: number;
}

type ComparedWindow = NamedWindow & { compare?: Comparison };

export function gridOf(named: ComparedWindow, of: { now: number; fallback: TimeRange }): Grid {
  const window = windowOf(named, of);
  const { compare } = named;
  const fitting = Math.floor((window.to - window.from) / NARROWEST_MS);
  return {
    ...window,
    buckets: Math.min(BUCKETS, Math.max(1, fitting)),
    ...(compare && { compare_from: comparedFrom(window, compare) }),
  };
}

/** The second window, as it is answered; undefined without one. */
export const secondOf = ({ from, to, compare_from }: Grid) =>
  compare_from === undefined
    ? undefined
    : {
        start_time: new Date(compare_from).toISOString(),
        end_time: new Date(compare_from + to - from).toISOString(),
      };

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
