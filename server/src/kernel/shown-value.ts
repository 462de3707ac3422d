// A number with its unit, as people read it. Pure.
import { once } from './once.ts';

/** The first one reads the runtime's tables of all languages, 10 to 20 ms that a start has no use for. */
const whole = once(() => new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 }));

/** With its digits in groups of three, without a fraction. */
export const wholeNumber = (value: number): string => whole().format(value);

const rounded = (value: number) =>
  Math.abs(value) >= 100 ? wholeNumber(value) : String(Number(value.toPrecision(3)));

const BYTES = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

function inBytes(value: number): string {
  let rest = value;
  let unit = 0;
  while (Math.abs(rest) >= 1024 && unit < BYTES.length - 1) {
    rest /= 1024;
    unit += 1;
  }
  return `${rounded(rest)} ${BYTES[unit]}`;
}

function inTime(seconds: number): string {
  if (Math.abs(seconds) < 60) return `${rounded(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
}

/** A value with its unit, for people. */
export function shownValue(value: number, unit: string): string {
  if (unit === 'percent') return `${rounded(value)} %`;
  if (unit === 'bytes') return inBytes(value);
  if (unit === 'seconds') return inTime(value);
  if (unit === '' || unit === 'count') return rounded(value);
  return `${rounded(value)} ${unit}`;
}

/** A moment (text or milliseconds since the epoch) to the second, for people. */
export const shownTime = (at: string | number): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
