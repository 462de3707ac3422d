// How values of the datastore arrive: timestamps as RFC 3339 text in UTC, 64-bit integers as numbers while they are
// exact. Everything else as the driver reads it.
import pg from 'pg';

const INT8 = 20;
const TIMESTAMPTZ = 1184;

function exactNumber(value: string): number | string {
  const parsed = Number(value);
  return Number.isSafeInteger(parsed) ? parsed : value;
}

/** Rows that were collected together have the same times, and making a text of one costs more than all else of a row. */
const times = new Map<string, string>();
const MOST_TIMES = 512;

function isoTime(value: string): string {
  const known = times.get(value);
  if (known !== undefined) return known;
  if (value === 'infinity' || value === '-infinity') return value;
  const made = new Date(value.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString();
  if (times.size >= MOST_TIMES) times.clear();
  times.set(value, made);
  return made;
}

const parsers = new Map<number, (value: string) => unknown>([
  [INT8, exactNumber],
  [TIMESTAMPTZ, isoTime],
]);

export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return parsers.get(oid) ?? pg.types.getTypeParser(oid, format);
  },
};
