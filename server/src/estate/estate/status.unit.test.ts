import { describe, expect, it } from 'vitest';
import { type ServerStatus, serverStatus } from './status.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const before = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

interface Case {
  sampled?: number;
  added?: number;
  interval?: number;
  monitored?: boolean;
}
const statusOf = ({ sampled, added = 86_400, interval = 30, monitored = true }: Case): ServerStatus =>
  serverStatus({
    is_monitored: monitored,
    created_at: before(added),
    last_sample_at: sampled === undefined ? null : before(sampled),
    interval_seconds: interval,
    now: NOW,
  });

describe('serverStatus', () => {
  it.each<[ServerStatus, Case]>([
    ['online', { sampled: 0 }],
    ['online', { sampled: -5 }],
    ['online', { sampled: 59.9 }],
    ['warning', { sampled: 60 }],
    ['warning', { sampled: 149.9 }],
    ['offline', { sampled: 150 }],
    ['offline', { sampled: 1e6 }],
    ['initialising', { added: 0 }],
    ['initialising', { added: 149.9 }],
    ['unknown', { added: 150 }],
    ['unknown', { sampled: 0, monitored: false }],
    ['unknown', { added: 0, monitored: false }],
  ])('is %s for %o', (status, facts) => {
    expect(statusOf(facts)).toBe(status);
  });

  it('scales to two and five of a longer interval', () => {
    expect(statusOf({ interval: 300, sampled: 599 })).toBe('online');
    expect(statusOf({ interval: 300, sampled: 600 })).toBe('warning');
    expect(statusOf({ interval: 300, sampled: 1499 })).toBe('warning');
    expect(statusOf({ interval: 300, sampled: 1500 })).toBe('offline');
  });

  it('does not shrink with a shorter one', () => {
    expect(statusOf({ interval: 5, sampled: 59 })).toBe('online');
    expect(statusOf({ interval: 5, sampled: 149 })).toBe('warning');
  });
});
