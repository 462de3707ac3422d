// How often one may try to sign in, as arithmetic on what was tried before. An attempt is written down as a failure
// before its password is looked at and forgiven when it turns out right, so attempts under way count too.

import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';

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

/** What the datastore remembers of one address, in milliseconds since the epoch. */
export interface AddressHistory {
  /** The attempt as many back as the limit allows; undefined when there are fewer. */
  limiting_attempt_at: number | undefined;
  limiting_failure_at: number | undefined;
}

export interface LoginHistory extends AddressHistory {
  /** Of the account from this network, in a row. */
  account_failures: number;
  account_last_failure_at: number | undefined;
}

/** The pause after so many failures in a row: none, then one minute, doubling up to the longest. */
export function pauseMs(failures: number, limits: LoginLimits): number {
  if (failures < limits.account_failures) return 0;
  return Math.min(limits.longest_pause_ms, limits.first_pause_ms * 2 ** (failures - limits.account_failures));
}

const secondsUntil = (allowedAt: number, now: number) => Math.max(0, Math.ceil((allowedAt - now) / 1000));

const budgetAllowsAt = (history: AddressHistory, limits: LoginLimits) =>
  Math.max(
    (history.limiting_attempt_at ?? -Infinity) + limits.attempts_within_ms,
    (history.limiting_failure_at ?? -Infinity) + limits.failures_within_ms,
  );

/** Whole seconds until the next attempt is allowed; 0 when it is allowed now. */
export function secondsToWait(history: LoginHistory, limits: LoginLimits, now: number): number {
  const pause = pauseMs(history.account_failures, limits);
  const pauseEndsAt = pause > 0 ? (history.account_last_failure_at ?? -Infinity) + pause : -Infinity;
  return secondsUntil(Math.max(budgetAllowsAt(history, limits), pauseEndsAt), now);
}

/** The same by what was tried on one account from one address that it is known to sign in from. */
export const secondsToWaitWhereKnown = (history: AddressHistory, limits: LoginLimits, now: number): number =>
  secondsUntil(budgetAllowsAt(history, limits), now);

function hextets(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array.from({ length: missing }, () => '0'), ...right];
}

/** An address without its zone, an IPv4 address as such however it is written. */
function plainAddress(address: string): string {
  const plain = (address.split('%')[0] ?? '').toLowerCase();
  const mapped = /^::ffff:([\d.]+)$/.exec(plain)?.[1];
  return mapped !== undefined && isIPv4(mapped) ? mapped : plain;
}

/** What counts as one address: an IPv4 address, or the /64 of an IPv6 one, since a single machine owns that much. */
export function addressOf(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain.slice(0, 64);
  const network = hextets(plain).slice(0, 4);
  return `${network.map((part) => Number.parseInt(part, 16).toString(16)).join(':')}::/64`;
}

/** What counts as one network for the failures of an account: the /24 of an IPv4 address, the /64 of an IPv6 one. */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  return isIPv4(plain) ? `${plain.split('.').slice(0, 3).join('.')}.0/24` : addressOf(address);
}

/** The name attempts on an account are counted under; the same for accounts that do not exist. */
export const accountKey = (username: string): string =>
  createHash('sha256').update(username.normalize('NFKC').toLowerCase()).digest('hex').slice(0, 32);

/** What one attempt is counted under. */
export interface Subjects {
  address: string;
  /** Absent for attempts that name no account. */
  account?: {
    key: string;
    /** All failures on the account from this network. */
    from_network: string;
    /** The attempts on the account from this address alone. */
    from_address: string;
  };
}

export function subjectsOf(address: string, username: string | undefined): Subjects {
  const counted = addressOf(address);
  if (username === undefined) return { address: counted };
  const key = accountKey(username);
  return {
    address: counted,
    account: {
      key,
      from_network: `account:${key}@${networkOf(address)}`,
      from_address: `known:${key}@${counted}`,
    },
  };
}
