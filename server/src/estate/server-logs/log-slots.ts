// How a window of the logs of many servers is cut, so that few rows are read. Pure. Guards: the pieces cover the window, none of it twice; a bucket
// begins and ends where a slot does.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';

/** What is summed as counts are stored (migration 0072), the longest first. */
const SLOTS = [6 * HOUR_MS, HOUR_MS, 10 * MINUTE_MS] as const;
const WIDTHS = [
  ...[10 * MINUTE_MS, 20 * MINUTE_MS, 30 * MINUTE_MS],
  ...[HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, DAY_MS],
];
/** Shorter windows are counted by the minute. */
const LEAST_SUMMED_MS = 2 * HOUR_MS;

/** Milliseconds since the epoch. */
interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Buckets {
  /** Where the first one begins: not after the window does. */
  readonly start: number;
  readonly width: number;
  /** Lengths of the slots of which each is within one bucket, the longest first. */
  readonly slots: readonly number[];
}

export interface SlotPiece extends Window {
  /** How long its slots are; null: minutes. */
  readonly slot: number | null;
}

export function bucketsOf({ from, to }: Window, most: number): Buckets {
  const least = Math.max(1, Math.ceil((to - from) / most / MINUTE_MS)) * MINUTE_MS;
  if (to - from < LEAST_SUMMED_MS) return { start: from, width: least, slots: [] };
  if (most === 1) return { start: from, width: least, slots: SLOTS };
  // The first and the last one may be parts.
  const fits = (width: number) => Math.ceil(to / width) - Math.floor(from / width) <= most;
  const width = WIDTHS.find(fits) ?? Math.ceil((to - from) / (most - 1) / DAY_MS) * DAY_MS;
  return {
    start: Math.floor(from / width) * width,
    width,
    slots: SLOTS.filter((slot) => width % slot === 0),
  };
}

function cut({ from, to }: Window, slots: readonly number[]): SlotPiece[] {
  if (to <= from) return [];
  const [slot, ...shorter] = slots;
  if (slot === undefined) return [{ slot: null, from, to }];
  const first = Math.ceil(from / slot) * slot;
  const last = Math.floor(to / slot) * slot;
  if (last <= first) return cut({ from, to }, shorter);
  return [
    ...cut({ from, to: first }, shorter),
    { slot, from: first, to: last },
    ...cut({ from: last, to }, shorter),
  ];
}

/** `wholeFrom`: slots before it are not whole. */
export function piecesOf({ from, to }: Window, slots: readonly number[], wholeFrom: number): SlotPiece[] {
  const whole = Math.min(Math.max(from, wholeFrom), to);
  return [...cut({ from, to: whole }, []), ...cut({ from: whole, to }, slots)];
}
