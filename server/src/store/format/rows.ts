// The rows of an hour as they stand in the tables of samples and ticks, with values that lose nothing, and how values
// are read from and written as PostgreSQL's text. Pure.
import type { ColumnType } from '../../probes/types.ts';
import type { Cell, CellType } from './codec.ts';

/** Moments are microseconds since the epoch. */
export interface SampleRow {
  readonly at: number;
  readonly row_no: number;
  readonly server_instance: number | null;
  /** In the order of the layout's values. */
  readonly cells: readonly Cell[];
}

/**
 * Rows with numbers below zero say what counters were at a reading that did not have their object, since it was made after it
 * (write/samples/sample-births.ts): nothing else is known of it then.
 */
export const wasRead = ({ row_no }: SampleRow): boolean => row_no >= 0;

export interface TickRow {
  readonly at: number;
  readonly keyframe: boolean;
  readonly whole: boolean;
  readonly since: number | null;
  readonly ids: readonly number[];
  readonly gone: readonly number[] | null;
  /** By value column: one for each object; empty is unknown, null that nothing grew (or that all are null). */
  readonly columns: readonly (readonly Cell[] | null)[];
}

const [ZERO, NINE, DASH, SPACE, COLON, DOT, PLUS] = [48, 57, 45, 32, 58, 46, 43];
/** Where `2026-11-22 10:00:00` has something else than digits. */
const SEPARATORS: readonly (readonly [place: number, code: number])[] = [
  [4, DASH],
  [7, DASH],
  [10, SPACE],
  [13, COLON],
  [16, COLON],
];
const SECONDS_END = 19;

/** The number that stands there; NaN where anything else does. */
function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let place = from; place < to; place += 1) {
    const code = text.charCodeAt(place);
    if (!(code >= ZERO && code <= NINE)) return Number.NaN;
    value = value * 10 + code - ZERO;
  }
  return value;
}

/**
 * Microseconds since the epoch; undefined for what is no plain moment in UTC. By place and not by pattern: whole histories are read
 * through here, several times in each row.
 */
export function momentOf(text: string): number | undefined {
  const end = text.length - 3;
  if (end < SECONDS_END || end > SECONDS_END + 7 || end === SECONDS_END + 1) return undefined;
  if (text.charCodeAt(end) !== PLUS || digits(text, end + 1, end + 3) !== 0) return undefined;
  if (SEPARATORS.some(([place, code]) => text.charCodeAt(place) !== code)) return undefined;
  if (end > SECONDS_END && text.charCodeAt(SECONDS_END) !== DOT) return undefined;
  const ms = Date.UTC(
    digits(text, 0, 4),
    digits(text, 5, 7) - 1,
    digits(text, 8, 10),
    digits(text, 11, 13),
    digits(text, 14, 16),
    digits(text, 17, SECONDS_END),
  );
  const places = Math.max(0, end - SECONDS_END - 1);
  const micros = ms * 1000 + digits(text, SECONDS_END + 1, end) * 10 ** (6 - places);
  return Number.isNaN(micros) ? undefined : micros;
}

export function momentText(micros: number): string {
  const ms = Math.floor(micros / 1000);
  const rest = String(micros - ms * 1000).padStart(3, '0');
  return new Date(ms).toISOString().replace('Z', `${rest}Z`);
}

/** A value from PostgreSQL's text. Moments that are none stay text. */
export function cellOf(type: ColumnType, text: string | null): Cell {
  if (text === null) return null;
  if (type === 'integer') return Number(text);
  if (type === 'bigint') {
    const plain = Number(text);
    return Number.isSafeInteger(plain) ? plain : BigInt(text);
  }
  if (type === 'double precision') return Number(text);
  if (type === 'boolean') return text.startsWith('t');
  if (type === 'timestamp with time zone') return momentOf(text) ?? text;
  return text;
}

/** A value as text that PostgreSQL reads in that type. */
export function textOf(type: ColumnType, cell: Cell): string | null {
  if (cell === null) return null;
  if (type === 'timestamp with time zone' && typeof cell === 'number') return momentText(cell);
  return Object.is(cell, -0) ? '-0' : String(cell);
}

/** How a column is packed. Moments of which one is infinite are all packed as text. */
export function packable(type: ColumnType, cells: readonly Cell[]): [CellType, readonly Cell[]] {
  if (type === 'integer' || type === 'bigint') return ['whole', cells];
  if (type === 'double precision') return ['double', cells];
  if (type === 'boolean') return ['boolean', cells];
  if (type !== 'timestamp with time zone') return ['text', cells];
  if (cells.every((cell) => typeof cell !== 'string')) return ['whole', cells];
  return ['text', cells.map((cell) => textOf(type, cell))];
}

const ELEMENT = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/g;

/** The elements of an array of one dimension, from its text. */
export function elementsOf(text: string): (string | null)[] {
  if (text === '{}') return [];
  if (!text.includes('"'))
    return text
      .slice(1, -1)
      .split(',')
      .map((one) => (one === 'NULL' ? null : one));
  return [...text.matchAll(ELEMENT)].map(([, quoted, plain]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1');
    return plain === 'NULL' ? null : (plain ?? null);
  });
}

const [COMMA, MINUS, END] = [44, 45, 125];
/** So many digits are a number exactly. */
const EXACT_DIGITS = 15;

/** Where the whole number that begins there ends; beyond the digits that are exact it is not looked at. */
function integerAt(text: string, from: number): number | undefined {
  let value = 0;
  for (let at = from; at <= from + EXACT_DIGITS; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === END) return at === from ? undefined : value;
    if (code < ZERO || code > NINE) return undefined;
    value = value * 10 + code - ZERO;
  }
  return undefined;
}

/** Moments have neither commas nor escapes: quotes are all that is around them. */
function momentsIn(text: string): Cell[] {
  if (text === '{}') return [];
  const type = 'timestamp with time zone';
  return text
    .slice(1, -1)
    .split(',')
    .map((one) => (one === 'NULL' ? null : cellOf(type, one.startsWith('"') ? one.slice(1, -1) : one)));
}

/** The elements of an array of one dimension as values; whole numbers are read where they stand. */
export function cellsIn(type: ColumnType, text: string): Cell[] {
  if (type === 'timestamp with time zone') return momentsIn(text);
  if (type !== 'integer' && type !== 'bigint' && type !== 'double precision')
    return elementsOf(text).map((one) => cellOf(type, one));
  return numbersFrom(text, (one) => cellOf(type, one));
}

/** The elements of an array of numbers of one dimension; whole ones are read where they stand. */
function numbersFrom<T>(text: string, read: (one: string) => T): (T | number | null)[] {
  const numbers: (T | number | null)[] = [];
  const last = text.length - 1;
  for (let at = 1; at < last; ) {
    const comma = text.indexOf(',', at);
    const end = comma < 0 ? last : comma;
    const isNegative = text.charCodeAt(at) === MINUS;
    const value = integerAt(text, isNegative ? at + 1 : at);
    if (value === undefined) {
      const one = text.slice(at, end);
      numbers.push(one === 'NULL' ? null : read(one));
    } else numbers.push(isNegative ? -value : value);
    at = end + 1;
  }
  return numbers;
}

/** Of doubles, and of whole numbers that a double holds. */
export const numbersIn = (text: string): (number | null)[] => numbersFrom(text, Number);

export const numberOf = (text: string | null | undefined) =>
  text === null || text === undefined || text === 'NULL' ? null : Number(text);
export const listed = (text: string | null) => (text === null ? [] : elementsOf(text));

export function packedOf(text: string | null): Map<string, Buffer> {
  return new Map(
    (text ?? '').split(';').flatMap((one): [string, Buffer][] => {
      const end = one.indexOf(' ');
      return end < 0 ? [] : [[one.slice(0, end), Buffer.from(one.slice(end + 1), 'base64')]];
    }),
  );
}
