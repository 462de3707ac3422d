import { describe, expect, it } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { accountKey, addressOf, networkOf, pauseMs, secondsToWait } from './login-limits.ts';

const LIMITS = { attempts: 20, failures: 10, account_failures: 10 };
const NONE = {
  limiting_attempt_at: undefined,
  limiting_failure_at: undefined,
  account_failures: 0,
  account_last_failure_at: undefined,
};

describe('addresses', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ])('%s counts as %s', (address, counted) => {
    expect(addressOf(address)).toBe(counted);
  });

  it('keeps what is no address short', () => {
    expect(addressOf('x'.repeat(500))).toHaveLength(64);
  });
});

describe('networks', () => {
  it.each([
    ['192.0.2.7', '192.0.2.0/24'],
    ['::ffff:192.0.2.7', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['a socket', 'a socket'],
  ])('%s is part of %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('accounts', () => {
  it('are counted whatever the case, and the name itself is not kept', () => {
    expect(accountKey('Alice')).toBe(accountKey('aLICE'));
    expect(accountKey('alice')).not.toBe(accountKey('bob'));
    expect(accountKey('alice')).not.toContain('alice');
  });

  it.each([
    [0, 0],
    [9, 0],
    [10, 1],
    [11, 2],
    [12, 4],
    [13, 8],
    [14, 15],
    [15, 15],
    [5000, 15],
  ])('after %d failures in a row they pause %d minutes', (failures, minutes) => {
    expect(pauseMs(failures, LIMITS)).toBe(minutes * 60_000);
  });
});

describe('waiting', () => {
  it('is not needed without history', () => {
    expect(secondsToWait(NONE, LIMITS, manualClock(1e12).now())).toBe(0);
  });

  it('lasts until the attempt that fills the minute is a minute old', () => {
    const clock = manualClock(1e12);
    const history = { ...NONE, limiting_attempt_at: clock.now() };
    clock.advance(1);
    expect(secondsToWait(history, LIMITS, clock.now())).toBe(60);
    clock.advance(59_998);
    expect(secondsToWait(history, LIMITS, clock.now())).toBe(1);
    clock.advance(1);
    expect(secondsToWait(history, LIMITS, clock.now())).toBe(0);
  });

  it('lasts as long as the longest of the three rules asks for', () => {
    const clock = manualClock(1e12);
    const all = {
      limiting_attempt_at: clock.now(),
      limiting_failure_at: clock.now() - 10 * 60_000,
      account_failures: 12,
      account_last_failure_at: clock.now(),
    };
    expect(secondsToWait(all, LIMITS, clock.now())).toBe(300);
    expect(secondsToWait({ ...all, account_failures: 13 }, LIMITS, clock.now())).toBe(480);
    clock.advance(5 * 60_000);
    expect(secondsToWait(all, LIMITS, clock.now())).toBe(0);
  });
});
