// How long something lasts, as people write it: a number and a unit.
import { DAY_MS, HOUR_MS } from './units.ts';

const UNIT_MS = { h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS, m: 30 * DAY_MS, y: 365 * DAY_MS };
const LONGEST_MS = 10 * UNIT_MS.y;

/** `<n>h|d|w|m|y` in milliseconds (m = 30 days, y = 365 days), at most ten years; undefined for anything else. */
export function lifetimeMs(text: string): number | undefined {
  const match = /^([1-9]\d{0,5})([hdwmy])$/.exec(text);
  const unit = match?.[2];
  if (unit !== 'h' && unit !== 'd' && unit !== 'w' && unit !== 'm' && unit !== 'y') return undefined;
  const ms = Number(match?.[1]) * UNIT_MS[unit];
  return ms <= LONGEST_MS ? ms : undefined;
}
