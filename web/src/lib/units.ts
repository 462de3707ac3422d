// Lengths of time, as the server counts them, once for all pages.
export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../server/src/kernel/units.ts';

/** A moment as the API writes it. */
export const iso = (ms: number): string => new Date(ms).toISOString();
