// Moments as numbers: microseconds in mixed units, so that nothing is computed of calendars. Pure. Guards: each moment is
// another number, and reads as it was written.

const FIRST_YEAR = 1970;
/** Beyond it microseconds do not fit into a double. */
const LAST_YEAR = 2240;
/** Month, day, hour, minute and second: where they stand, from which number on, and how many there are. */
const FIELDS = [
  { at: 5, first: 1, size: 12 },
  { at: 8, first: 1, size: 31 },
  { at: 11, first: 0, size: 24 },
  { at: 14, first: 0, size: 60 },
  { at: 17, first: 0, size: 60 },
] as const;
const NO_FIELD = { at: 0, first: 0, size: 1 } as const;
const SIZES = [...FIELDS.map(({ size }) => size), 1_000_000];

const two = (number: number) => String(number).padStart(2, '0');

/** NaN: something else stands there as well. */
function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let index = from; index < to; index += 1) {
    const digit = text.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

/** Microseconds of what follows the seconds: nothing, or a point and digits without a zero at their end. */
function microsOf(text: string): number {
  const end = text.length - 1;
  if (end === 19) return 0;
  if (text[19] !== '.' || text[end - 1] === '0') return Number.NaN;
  return digits(text, 20, end) * 10 ** (26 - end);
}

const isLaidOut = (text: string) =>
  text.length >= 20 &&
  text.length <= 27 &&
  text.length !== 21 &&
  text[10] === 'T' &&
  text.endsWith('Z') &&
  text[4] === '-' &&
  text[7] === '-' &&
  text[13] === ':' &&
  text[16] === ':';

/** A moment as one number, each as another one; NaN: it is none, or written otherwise. */
export function timeCode(text: string): number {
  if (!isLaidOut(text)) return Number.NaN;
  const year = digits(text, 0, 4);
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR)) return Number.NaN;
  let code = year - FIRST_YEAR;
  for (let field = 0; field < FIELDS.length; field += 1) {
    const { at, first, size } = FIELDS[field] ?? NO_FIELD;
    const value = digits(text, at, at + 2) - first;
    if (!(value >= 0 && value < size)) return Number.NaN;
    code = code * size + value;
  }
  return code * 1_000_000 + microsOf(text);
}

export function timeText(code: number): string {
  let rest = code;
  const next = (size: number) => {
    const field = rest % size;
    rest = Math.floor(rest / size);
    return field;
  };
  const [micros, second, minute, hour, day, month] = [...SIZES].reverse().map(next);
  const fraction = micros ? `.${String(micros).padStart(6, '0').replace(/0+$/, '')}` : '';
  const date = `${rest + FIRST_YEAR}-${two((month ?? 0) + 1)}-${two((day ?? 0) + 1)}`;
  return `${date}T${two(hour ?? 0)}:${two(minute ?? 0)}:${two(second ?? 0)}${fraction}Z`;
}
