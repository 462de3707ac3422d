// The newest rows of a probe as a file. Pure. Guards: a row that moved while parts were fetched stands in the file once.
import { csvText } from '../../../lib/csv.ts';
import type { Row } from './rows.ts';

/** Each row once, the last of it. */
export const eachOnce = (rows: readonly Row[], rowKey: (row: Row) => string): Row[] => [
  ...new Map(rows.map((row) => [rowKey(row), row])).values(),
];

export function contentOf(rows: readonly Row[], ending: 'csv' | 'json'): Blob {
  if (ending === 'json') return new Blob([JSON.stringify(rows, null, 2)], { type: 'application/json' });
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: unknown) => {
    if (value === null || value === undefined) return null;
    return typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
  };
  return new Blob([csvText([names, ...rows.map((row) => names.map((name) => cell(row[name])))])], {
    type: 'text/csv',
  });
}
