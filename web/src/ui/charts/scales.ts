// Axes of charts: round figures by the unit, round moments by the clock of the reader. Pure. Guards: the axis of values
// begins at 0 and holds every value; moments are round also on days with a change of the clock.

import type { Window } from '../../lib/time-window.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/units.ts';
import { dateText, hourText, instantOf, wallOf } from '../../lib/zone.ts';

/** Steps that read as whole seconds, minutes, hours or days. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].flatMap((count) => [count, 60 * count]),
  ...[1, 2, 3, 6, 12, 24, 48].map((count) => 3600 * count),
].sort((a, b) => a - b);

/** The next larger 1, 2 or 5 of a power of ten, 1, 2, 4 … of a power of 1024, or round time. */
function roundStep(least: number, unit: string): number {
  const perSecond = unit === 'seconds' ? 1 : unit === 'ms' ? 1000 : undefined;
  if (perSecond !== undefined && least >= perSecond) {
    const step = TIME_STEPS.find((one) => one * perSecond >= least);
    if (step !== undefined) return step * perSecond;
  }
  if (/^bytes/.test(unit)) return 2 ** Math.ceil(Math.log2(Math.max(1, least)));
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((one) => one * power >= least * 0.999_999) ?? 10;
  return step * power;
}

export interface ValueAxis {
  top: number;
  ticks: number[];
}

/** Nothing smaller is worth an axis of its own. */
const LEAST_TOP = 1e-9;

/** From 0 up to above `largest`, with about `wanted` steps. Percent go to 100, counts in whole steps. */
export function valueAxis(largest: number, unit: string, wanted = 4): ValueAxis {
  const shown = Math.max(largest, 0);
  if (unit === 'percent' && shown <= 100) return { top: 100, ticks: [0, 25, 50, 75, 100] };
  if (shown <= LEAST_TOP) return { top: 1, ticks: [0, 1] };
  const isWhole = unit === 'count' || unit === 'rows' || unit === 'blocks' || unit === 'bytes';
  const least = shown / wanted;
  const step = roundStep(isWhole ? Math.max(1, least) : least, unit);
  const count = Math.max(1, Math.ceil(shown / step - 1e-9));
  const exact = (index: number) => Number((index * step).toPrecision(12));
  return { top: exact(count), ticks: Array.from({ length: count + 1 }, (_, index) => exact(index)) };
}

const STEPS = [
  ...[1, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 7, 14, 28, 56, 112].map((count) => count * DAY_MS),
];

export interface TimeTick {
  at: number;
  label: string;
}

/** Round moments of the zone's clock in the window, at most `most` of them. */
export function timeTicks({ from, to }: Window, zone: string, most: number): TimeTick[] {
  const least = (to - from) / Math.max(1, most);
  const step = STEPS.find((one) => one >= least) ?? 366 * DAY_MS;
  const first = Math.ceil(wallOf(from, zone) / step) * step;
  const found = new Set<number>();
  for (let wall = first - step; wall <= wallOf(to, zone) + step; wall += step) {
    const at = instantOf(wall, zone);
    if (at >= from && at <= to) found.add(at);
  }
  return [...found]
    .sort((a, b) => a - b)
    .slice(0, most + 1)
    .map((at) => ({ at, label: tickLabel(at, zone, step) }));
}

const day = (at: number, zone: string) => {
  const [, month, date] = dateText(at, zone).split('-').map(Number);
  return `${date} ${MONTHS[(month ?? 1) - 1]}`;
};
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The day at midnight and where steps are days, else the hour. */
function tickLabel(at: number, zone: string, step: number): string {
  const hour = hourText(at, zone, step < MINUTE_MS);
  return step >= DAY_MS || hour === '00:00' ? day(at, zone) : hour;
}
