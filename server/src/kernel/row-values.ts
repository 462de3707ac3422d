// How values of the datastore arrive: timestamps as RFC 3339 text in UTC, 64-bit integers as numbers while they are
// exact. Everything else as the driver reads it.
import pg from 'pg';

const INT8 = 20;
const TIMESTAMPTZ = 1184;

function exactNumber(value: string): number | string {
  const parsed = Number(value);
  return Number.isSafeInteger(parsed) ? parsed : value;
}

function isoTime(value: string): string {
  if (value === 'infinity' || value === '-infinity') return value;
  return new Date(value.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString();
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
