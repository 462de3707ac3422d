// How often something may happen for each key, in the memory of one process. Invariant: asking and recording are
// one step, so parallel requests cannot pass between them; the number of keys is bounded, so strangers cannot fill
// the memory.
import { isIPv6 } from 'node:net';
import type { Clock } from './clock.ts';
import { Fault } from './errors.ts';

export interface RateLimitOptions {
  /** Most events of a key within the window. */
  limit: number;
  window_ms: number;
  clock: Clock;
  /** Most keys remembered; beyond it the key that was quiet longest is forgotten. 10,000 when absent. */
  max_keys?: number;
}

export type Taken = { allowed: true } | { allowed: false; retry_after_seconds: number };

export interface RateLimit {
  /** Counts one event, or refuses it (refused events do not count). */
  take(key: string): Taken;
  /** As take(), but throws the 429 fault with Retry-After. */
  enforce(key: string): void;
  /** Keys remembered now. */
  readonly size: number;
}

/** Exact sliding window: at most `limit` events of a key in any stretch of `window_ms`. */
export function createRateLimit({ limit, window_ms, clock, max_keys = 10_000 }: RateLimitOptions): RateLimit {
  const events = new Map<string, number[]>();

  /** Puts the key last, so that the first key is always the one that was quiet longest. */
  const remember = (key: string, times: number[]) => {
    events.delete(key);
    events.set(key, times);
    const oldest = events.keys().next();
    if (events.size > max_keys && !oldest.done) events.delete(oldest.value);
  };

  const take = (key: string): Taken => {
    const now = clock.monotonic();
    const recent = (events.get(key) ?? []).filter((time) => now - time < window_ms);
    const first = recent[0];
    if (first !== undefined && recent.length >= limit) {
      const wait = Math.ceil((first + window_ms - now) / 1000);
      return { allowed: false, retry_after_seconds: Math.max(1, wait) };
    }
    remember(key, [...recent, now]);
    return { allowed: true };
  };

  return {
    take,
    enforce(key) {
      const taken = take(key);
      if (taken.allowed) return;
      const retryAfterSeconds = taken.retry_after_seconds;
      const unit = retryAfterSeconds === 1 ? 'second' : 'seconds';
      throw new Fault('too_many_requests', `Too many requests. Try again in ${retryAfterSeconds} ${unit}.`, {
        retryAfterSeconds,
      });
    },
    get size() {
      return events.size;
    },
  };
}

/** An address as a key: IPv6 by its /64, because one subscriber has all of it; mapped IPv4 as IPv4. */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const plain = address.replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = [...left, ...middle, ...right].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${groups.join(':')}::/64`;
}
