// When a delivery that failed is tried again: after 5 s at first, twice as long each time, 15 minutes at most, and not
// everybody at the same moment; or when the other side asked for it. Pure.
import { DAY_MS } from '../../kernel/units.ts';

const FIRST_MS = 5000;
const LONGEST_MS = 15 * 60_000;
const JITTER = 0.2;

export interface Failure {
  /** How often in a row, with this one. */
  failures: number;
  retry_after_ms: number | undefined;
  /** From 0 to 1. */
  random: number;
}

export function retryDelayMs({ failures, retry_after_ms, random }: Failure): number {
  const grown = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20));
  const own = Math.round(grown * (1 - JITTER * random));
  return retry_after_ms === undefined ? own : Math.min(DAY_MS, Math.max(retry_after_ms, FIRST_MS));
}
