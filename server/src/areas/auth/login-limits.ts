// How often one may try to sign in, as arithmetic on what was tried before. An attempt is written down as a failure
// before its password is looked at and forgiven when it turns out right, so attempts under way count too.

import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { greatest } from '../../kernel/lists.ts';

export interface LoginLimits {
  /** Attempts of any outcome from one address. */
  attempts: number;
  attempts_within_ms: number;
  /** Failures from one address. */
  failures: number;
  failures_within_ms: number;
  /** From this many failures in a row on, an account pauses. */
  account_failures: number;
  first_pause_ms: number;
  longest_pause_ms: number;
}

const MINUTE_MS = 60_000;

export const DEFAULT_LIMITS: LoginLimits = {
  attempts: 20,
  attempts_within_ms: MINUTE_MS,
  failures: 10,
  failures_within_ms: 15 * MINUTE_MS,
  account_failures: 10,
  first_pause_ms: MINUTE_MS,
  longest_pause_ms: 15 * MINUTE_MS,
};

/** What the datastore remembers, in milliseconds since the epoch. */
export interface AttemptHistory {
  /** The attempt as many back as the limit allows; undefined when there are fewer. */
  limiting_attempt_at: number | undefined;
  limiting_failure_at: number | undefined;
  account_failures: number;
  account_last_failure_at: number | undefined;
}

/** The pause after so many failures in a row: none, then one minute, doubling up to the longest. */
export function pauseMs(failures: number, limits: LoginLimits): number {
  if (failures < limits.account_failures) return 0;
  return Math.min(limits.longest_pause_ms, limits.first_pause_ms * 2 ** (failures - limits.account_failures));
}

/** Whole seconds until the next attempt is allowed; 0 when it is allowed now. */
export function secondsToWait(history: AttemptHistory, limits: LoginLimits, now: number): number {
  const pause = pauseMs(history.account_failures, limits);
  const allowedAt = [
    (history.limiting_attempt_at ?? -Infinity) + limits.attempts_within_ms,
    (history.limiting_failure_at ?? -Infinity) + limits.failures_within_ms,
    pause > 0 ? (history.account_last_failure_at ?? -Infinity) + pause : -Infinity,
  ];
  return Math.max(0, Math.ceil((greatest(allowedAt) - now) / 1000));
}

function hextets(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array.from({ length: missing }, () => '0'), ...right];
}

/** What counts as one address: an IPv4 address, or the /64 of an IPv6 one, since a single machine owns that much. */
export function networkOf(address: string): string {
  const plain = (address.split('%')[0] ?? '').toLowerCase();
  const mapped = /^::ffff:([\d.]+)$/.exec(plain)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (!isIPv6(plain)) return plain.slice(0, 64);
  const network = hextets(plain).slice(0, 4);
  return `${network.map((part) => Number.parseInt(part, 16).toString(16)).join(':')}::/64`;
}

/** The name attempts on an account are counted under; the same for accounts that do not exist. */
export function accountKey(username: string): string {
  const digest = createHash('sha256').update(username.normalize('NFKC').toLowerCase()).digest('hex');
  return `account:${digest.slice(0, 32)}`;
}
