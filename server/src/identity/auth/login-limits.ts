// How often one may try to sign in, as arithmetic on what was tried before. An attempt is written down as a failure
// before its password is looked at and forgiven when it turns out right, so attempts under way count too.

import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import type { Config } from '../../kernel/config.ts';
import { MINUTE_MS } from '../../kernel/units.ts';

/** As the settings say. */
export interface LoginLimits {
  /** Attempts of any outcome from one address within ATTEMPTS_WITHIN_MS. */
  attempts: number;
  /** Failures from one address within FAILURES_WITHIN_MS. */
  failures: number;
  /** From this many failures in a row on, an account pauses. */
  account_failures: number;
}

export const limitsOf = (auth: Config['auth']): LoginLimits => ({
  attempts: auth.attempts_per_minute,
  failures: auth.failures_per_quarter_hour,
  account_failures: auth.account_failures,
});

export const ATTEMPTS_WITHIN_MS = MINUTE_MS;
export const FAILURES_WITHIN_MS = 15 * MINUTE_MS;
const FIRST_PAUSE_MS = MINUTE_MS;
const LONGEST_PAUSE_MS = 15 * MINUTE_MS;

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
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - limits.account_failures));
}

const secondsUntil = (allowedAt: number, now: number) => Math.max(0, Math.ceil((allowedAt - now) / 1000));

const budgetAllowsAt = (history: AddressHistory) =>
  Math.max(
    (history.limiting_attempt_at ?? -Infinity) + ATTEMPTS_WITHIN_MS,
    (history.limiting_failure_at ?? -Infinity) + FAILURES_WITHIN_MS,
  );

/** Whole seconds until the next attempt is allowed; 0 when it is allowed now. */
export function secondsToWait(history: LoginHistory, limits: LoginLimits, now: number): number {
  const pause = pauseMs(history.account_failures, limits);
  const pauseEndsAt = pause > 0 ? (history.account_last_failure_at ?? -Infinity) + pause : -Infinity;
  return secondsUntil(Math.max(budgetAllowsAt(history), pauseEndsAt), now);
}

/** The same by what was tried on one account from one address that it is known to sign in from. */
export const secondsToWaitWhereKnown = (history: AddressHistory, now: number): number =>
  secondsUntil(budgetAllowsAt(history), now);

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
