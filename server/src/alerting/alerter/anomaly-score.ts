// What is usual of a metric: median and spread by hour of the week, by hour of the day while weeks are few, and of all hours
// while days are few; and how far from that a value is. Pure. Guards: a metric that hardly ever changes has a least spread,
// so that a small step is no alarm; before a day is known nothing is usual.
import { LEARNING_MS, percentile } from '../../history/history.ts';
import { greatest, least } from '../../kernel/lists.ts';
import { DAY_MS, HOUR_MS, WEEK_MS } from '../../kernel/units.ts';

/** 1970 began on a Thursday. */
const MONDAY_MS = 4 * DAY_MS;
const HOURS_OF_WEEK = 168;
const HOURS_OF_DAY = 24;
const POSITIONS = HOURS_OF_WEEK + HOURS_OF_DAY + 1;

const LEAST_WEEKS = 3;
const LEAST_DAYS = 3;
const LEAST_VALUES = 3;

/** The median of absolute deviations of normally distributed values, times this, is their standard deviation. */
const OF_DEVIATIONS = 1.4826;
const LEAST_SHARE = 0.05;
/** By unit: less than this is no difference, however steady the metric is. */
const LEAST_SPREADS: Readonly<Record<string, number>> = {
  percent: 1,
  count: 1,
  bytes: 1_048_576,
  blocks: 100,
};
/** Further away says nothing more. */
const MOST_SPREADS = 10;

export interface Value {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly value: number;
}

export interface Profile {
  known_since: number;
  /** See the table matriarch.metric_baselines. */
  medians: (number | null)[];
  spreads: (number | null)[];
}

export const hourOfWeek = (at: number): number =>
  Math.floor((((at - MONDAY_MS) % WEEK_MS) + WEEK_MS) / HOUR_MS) % HOURS_OF_WEEK;

/** Places in a profile that tell of a moment, the most specific one first. */
export const placesOf = (at: number): readonly [number, number, number] => [
  hourOfWeek(at),
  HOURS_OF_WEEK + (hourOfWeek(at) % HOURS_OF_DAY),
  POSITIONS - 1,
];

const median = (values: readonly number[]) =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );

const daysIn = (values: readonly Value[], length: number) =>
  new Set(values.map(({ at }) => Math.floor((at - MONDAY_MS) / length))).size;

/** Whether there is enough to say what is usual in that place. */
function isEnough(place: number, values: readonly Value[]): boolean {
  if (values.length < LEAST_VALUES) return false;
  if (place < HOURS_OF_WEEK) return daysIn(values, WEEK_MS) >= LEAST_WEEKS;
  return place === POSITIONS - 1 || daysIn(values, DAY_MS) >= LEAST_DAYS;
}

/** Undefined: nothing is known at all. */
export function profileOf(values: readonly Value[], unit: string): Profile | undefined {
  if (values.length === 0) return undefined;
  const floor = LEAST_SPREADS[unit.replace(/\/s$/, '')] ?? 0;
  const byPlace = Array.from({ length: POSITIONS }, (): Value[] => []);
  for (const value of values) for (const place of placesOf(value.at)) byPlace[place]?.push(value);
  const times = values.map(({ at }) => at);
  const isShort = greatest(times) - least(times) < LEARNING_MS;
  const medians: (number | null)[] = [];
  const spreads: (number | null)[] = [];
  for (const [place, own] of byPlace.entries()) {
    const isKnown = !isShort && isEnough(place, own);
    const middle = isKnown ? median(own.map(({ value }) => value)) : null;
    medians.push(middle);
    const deviations = own.map(({ value }) => Math.abs(value - (middle ?? 0)));
    const spread = middle === null ? 0 : OF_DEVIATIONS * median(deviations);
    spreads.push(middle === null ? null : Math.max(spread, LEAST_SHARE * Math.abs(middle), floor));
  }
  return { known_since: least(times), medians, spreads };
}

/** How many spreads a value is away from the median. */
export function scoreOf(
  value: number,
  { median: middle, spread }: { median: number; spread: number },
): number {
  const away = Math.abs(value - middle);
  if (away === 0) return 0;
  return spread > 0 ? Math.min(MOST_SPREADS, away / spread) : MOST_SPREADS;
}

const SAMPLES = 5;
const OF_THEM = 3;

/** Scores of the newest samples of one metric on one database. */
export class Scores {
  #newest: { at: number; score: number }[] = [];

  /** Each sample counts once. */
  add(at: number, score: number): void {
    const last = this.#newest.at(-1);
    if (last && at <= last.at) return;
    this.#newest = [...this.#newest, { at, score }].slice(-SAMPLES);
  }

  /** What three of the last five samples reach; null while there are fewer. */
  get reached(): number | null {
    const sorted = this.#newest.map(({ score }) => score).sort((a, b) => b - a);
    return sorted[OF_THEM - 1] ?? null;
  }
}
