// Rows of probes as the server answers them: their columns by name, each read as what it is. Pure. Guards: what is not
// there or of another kind is null, never zero.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { percentOf } from '../../../lib/format.ts';

export type Row = OperationTypes['getLatestMetrics']['result']['rows'][number];

export const textOf = (row: Row, column: string): string | null => {
  const value = row[column];
  return typeof value === 'string' && value !== '' ? value : null;
};

/** Numbers beyond what JavaScript counts exactly may come as text. */
export function numberOf(row: Row, column: string): number | null {
  const value = row[column];
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

export const flagOf = (row: Row, column: string): boolean | null => {
  const value = row[column];
  return typeof value === 'boolean' ? value : null;
};

/** Milliseconds since 1970. */
function timeOf(row: Row, column: string): number | null {
  const value = row[column];
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

export const isoOf = (row: Row, column: string): string | null => {
  const at = timeOf(row, column);
  return at === null ? null : new Date(at).toISOString();
};

/** The newest of several times. */
export function latestOf(row: Row, columns: readonly string[]): string | null {
  const times = columns.flatMap((column) => timeOf(row, column) ?? []);
  return times.length === 0 ? null : new Date(times.reduce((most, one) => Math.max(most, one))).toISOString();
}

/** Percent of blocks that were found in shared buffers; null where nobody looked for one. */
export function hitPercent(row: Row, found: string, read: string): number | null {
  const [hits, reads] = [numberOf(row, found), numberOf(row, read)];
  return hits === null || reads === null ? null : percentOf(hits, hits + reads);
}

/** When the oldest of them was read. */
export function readAt(rows: readonly Row[]): string | null {
  const times = rows.flatMap((row) => timeOf(row, 'collected_at') ?? []);
  return times.length === 0
    ? null
    : new Date(times.reduce((least, one) => Math.min(least, one))).toISOString();
}
