// Values of stored rows in their types. Pure. Guards: what has another type is null.
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

export const booleanOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);

/** 64-bit integers are numbers while they are exact. */
export const idOf = (value: unknown): string | null =>
  typeof value === 'number' || typeof value === 'string' ? String(value) : null;

/** Byte counts beyond what a number holds exactly are as near as it gets. */
export function bytesOf(value: unknown): number | null {
  const count = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof count === 'number' && Number.isFinite(count) ? Math.round(count) : null;
}

/** A time as a request may hold it; -infinity and the like are none. */
export function momentOf(value: unknown): string | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) ? new Date(ms).toISOString() : null;
}

/** Seconds from then to that time (milliseconds since the epoch), never less than none. */
export function secondsTo(at: number, value: unknown): number | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) ? Math.max(0, at - ms) / 1000 : null;
}
