import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { Fault } from './errors.ts';
import { addressKey, createRateLimit } from './rate-limit.ts';

function limited(limit: number, max_keys = 100) {
  const clock = manualClock(0);
  return { clock, rate: createRateLimit({ limit, window_ms: 60_000, clock, max_keys }) };
}

describe('createRateLimit', () => {
  it('lets the limit through and refuses the next with the seconds to wait', () => {
    const { clock, rate } = limited(60);
    for (let count = 0; count < 60; count += 1) expect(rate.take('a')).toEqual({ allowed: true });
    clock.advance(15_500);
    expect(rate.take('a')).toEqual({ allowed: false, retry_after_seconds: 45 });
    clock.advance(44_499);
    expect(rate.take('a')).toEqual({ allowed: false, retry_after_seconds: 1 });
    clock.advance(1);
    expect(rate.take('a')).toEqual({ allowed: true });
  });

  it('counts keys apart', () => {
    const { rate } = limited(1);
    expect(rate.take('a').allowed).toBe(true);
    expect(rate.take('b').allowed).toBe(true);
    expect(rate.take('a').allowed).toBe(false);
  });

  it('does not let a refused caller push the end of the wait away', () => {
    const { clock, rate } = limited(1);
    rate.take('a');
    for (let second = 0; second < 59; second += 1) {
      clock.advance(1000);
      expect(rate.take('a').allowed).toBe(false);
    }
    clock.advance(1000);
    expect(rate.take('a').allowed).toBe(true);
  });

  it('never allows more than the limit in any window, whatever the pace', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(20_000), { maxLength: 120 }),
        fc.integer({ min: 1, max: 8 }),
        (gaps, limit) => {
          const { clock, rate } = limited(limit);
          const allowed: number[] = [];
          for (const gap of gaps) {
            clock.advance(gap);
            if (rate.take('a').allowed) allowed.push(clock.now());
          }
          for (const start of allowed) {
            const inWindow = allowed.filter((time) => time >= start && time < start + 60_000);
            expect(inWindow.length).toBeLessThanOrEqual(limit);
          }
        },
      ),
    );
  });

  it('forgets the key that was quiet longest when there are too many', () => {
    const { rate } = limited(1, 3);
    for (const key of ['a', 'b', 'c', 'd']) rate.take(key);
    expect(rate.size).toBe(3);
    expect(rate.take('d').allowed).toBe(false);
    expect(rate.take('a').allowed).toBe(true);
  });

  it('throws a 429 with Retry-After', () => {
    const { rate } = limited(1);
    rate.enforce('a');
    const refused = () => rate.enforce('a');
    expect(refused).toThrow(Fault);
    expect(refused).toThrow('Too many requests. Try again in 60 seconds.');
    try {
      rate.enforce('a');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_requests', status: 429, retryAfterSeconds: 60 });
    }
  });
});

describe('addressKey', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['not an address', 'not an address'],
  ])('%s counts as %s', (address, key) => expect(addressKey(address)).toBe(key));
});
