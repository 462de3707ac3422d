// Whether a server is there, from the age of its newest sample. Pure.
import type { SERVER_STATUSES } from './estate.contract.ts';

export type ServerStatus = (typeof SERVER_STATUSES)[number];

export interface StatusFacts {
  is_monitored: boolean;
  /** RFC 3339. */
  created_at: string;
  last_sample_at: string | null;
  /** How often the connectivity of the server is sampled. */
  interval_seconds: number;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Up to so old a newest sample is, the server is online; up to so old, there is only a warning. */
export const FRESH_MS = 60_000;
export const RECENT_MS = 150_000;

export function serverStatus(facts: StatusFacts): ServerStatus {
  const { is_monitored, created_at, last_sample_at, interval_seconds, now } = facts;
  const intervalMs = interval_seconds * 1000;
  const fresh = Math.max(FRESH_MS, 2 * intervalMs);
  const recent = Math.max(RECENT_MS, 5 * intervalMs);
  if (!is_monitored) return 'unknown';
  if (last_sample_at === null) return now - Date.parse(created_at) < recent ? 'initialising' : 'unknown';
  const age = now - Date.parse(last_sample_at);
  if (age < fresh) return 'online';
  return age < recent ? 'warning' : 'offline';
}
