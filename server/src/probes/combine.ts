// How the values of several entities at one moment become one.
import type { Column, Combine } from './types.ts';

export type { Combine };

/** Unless a column declares otherwise: ages and durations by their worst, percentages by their mean, the rest adds up. */
const BY_UNIT: Partial<Record<NonNullable<Column['unit']>, Combine>> = {
  ms: 'max',
  seconds: 'max',
  transactions: 'max',
  percent: 'avg',
};

/** Increases of counters always add up. */
export function combineOf({ kind, unit, combine }: Column): Combine {
  if (kind === 'counter') return 'sum';
  return combine ?? (unit && BY_UNIT[unit]) ?? 'sum';
}

/** Of the known values; null without any. */
export function combined(how: Combine, values: Iterable<number | null>): number | null {
  let [total, count] = [0, 0];
  let [most, least] = [-Infinity, Infinity];
  for (const value of values) {
    if (value === null) continue;
    total += value;
    count += 1;
    most = Math.max(most, value);
    least = Math.min(least, value);
  }
  if (count === 0) return null;
  if (how === 'max') return most;
  if (how === 'min') return least;
  return how === 'avg' ? total / count : total;
}
