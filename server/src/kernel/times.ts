// Times as people and clients write them. Guards: what is let through can be stored, compared and shown: PostgreSQL knows no
// year 0 and no offset of 16 hours, and the wire has four digits for a year.

/** RFC 3339 with an offset of less than 16 hours, and no leap second, of which PostgreSQL and half of JavaScript know nothing. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d{1,9})?(Z|[+-](0\d|1[0-5]):[0-5]\d)$/i;
/** The first and the last that can be stored, in milliseconds since the epoch. */
export const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
export const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Milliseconds since the epoch that lie in the years 1 to 9999 in UTC. */
export const isTimeInRange = (ms: number): boolean => ms >= FIRST_MS && ms <= LAST_MS;

/** Whether a text is a time that a request may hold. */
export function isWireTime(text: string): boolean {
  if (!DATE_TIME.test(text)) return false;
  try {
    const ms = Temporal.Instant.from(text.toUpperCase()).epochMilliseconds;
    // Both ways to read it have to know it.
    return isTimeInRange(ms) && Number.isFinite(Date.parse(text));
  } catch {
    return false;
  }
}

/** A moment as answers hold it, from milliseconds since the epoch. */
export const iso = (ms: number): string => new Date(ms).toISOString();

/** The same of a moment that may be missing. */
export const isoOrNull = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : iso(ms);

/** The same of a moment that was computed, to the nearest millisecond. */
export const isoRounded = (ms: number): string => iso(Math.round(ms));
