// A number with its unit, as people read it: at most three significant digits, sizes as PostgreSQL prints them, durations as
// `2 min 22 s`. Pure.
import { once } from './once.ts';
import { HOUR_MS } from './units.ts';

/** The first one reads the runtime's tables of all languages, 10 to 20 ms that a start has no use for. */
const whole = once(() => new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 }));

/** With its digits in groups of three, without a fraction. */
export const wholeNumber = (value: number): string => whole().format(value);

/** So many of what is counted: `1 row`, `1,200 rows`. */
export const shownCount = (count: number, one: string, many = `${one}s`): string =>
  `${wholeNumber(count)} ${count === 1 ? one : many}`;

/** Names on one line, so many at most: `a, b and 3 more`. */
export const shownNames = (names: readonly string[], most: number): string =>
  `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;

const rounded = (value: number) =>
  Math.abs(value) >= 100 ? wholeNumber(value) : String(Number(value.toPrecision(3)));

const BYTES = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

function inBytes(value: number): string {
  let rest = value;
  let unit = 0;
  while (Math.abs(rest) >= 1024 && unit < BYTES.length - 1) {
    rest /= 1024;
    unit += 1;
  }
  return `${rounded(rest)} ${BYTES[unit]}`;
}

/** The smaller unit is left out where it is zero. */
const both = (large: string, small: number, unit: string) =>
  small === 0 ? large : `${large} ${small} ${unit}`;

function inTime(seconds: number): string {
  if (Math.abs(seconds) < 60) return `${rounded(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return both(`${minutes} min`, Math.floor(seconds % 60), 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return both(`${hours} h`, minutes % 60, 'min');
  return both(`${wholeNumber(Math.floor(hours / 24))} days`, hours % 24, 'h');
}

/** A value with its unit, for people. */
export function shownValue(value: number, unit: string): string {
  if (unit === 'percent') return `${rounded(value)} %`;
  if (unit === 'bytes') return inBytes(value);
  if (unit === 'bytes/s') return `${inBytes(value)}/s`;
  if (unit === 'seconds') return inTime(value);
  if (unit === 'hours') return inTime(value * (HOUR_MS / 1000));
  if (unit === 'ms' && Math.abs(value) >= 1000) return inTime(value / 1000);
  if (unit === 'days') return value === 1 ? '1 day' : `${rounded(value)} days`;
  if (unit === '' || unit === 'count') return rounded(value);
  return `${rounded(value)} ${unit}`;
}

/** A moment (text or milliseconds since the epoch) to the second, for people. */
export const shownTime = (at: string | number): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
