// Values of a row of system_stats: all of them come as text, and a server may send anything.
export type Row = Readonly<Record<string, unknown>>;

export function textOf(row: Row | undefined, column: string): string | undefined {
  const value = row?.[column];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

export function numberOf(row: Row | undefined, column: string): number | undefined {
  const value = Number(textOf(row, column) ?? Number.NaN);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

export function positive(row: Row | undefined, column: string): number | undefined {
  return numberOf(row, column) || undefined;
}

/** Null where the row does not tell. */
export const countFrom = (row: Row, column: string): number | null => numberOf(row, column) ?? null;
