// How the values of several entities at one moment become one.
import type { Column } from '../../probes/types.ts';

export type Combine = 'sum' | 'avg' | 'max' | 'min';

/** Ages, lags and durations by their worst, percentages and means by their mean, everything else adds up. */
export function combineOf({ name, unit }: Column): Combine {
  if (/(^|_)(age|lag)(_|$)/.test(name) || unit === 'ms' || unit === 'seconds') return 'max';
  return unit === 'percent' || /^mean_|_mean(_|$)|_avg(_|$)/.test(name) ? 'avg' : 'sum';
}

/** Of the known values; null without any. */
export function combined(how: Combine, values: readonly (number | null)[]): number | null {
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
