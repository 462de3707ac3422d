// Only a difference that the way there and back cannot explain is told, and it stays until another one is proven.
import { expect, it } from 'vitest';
import { HOUR_MS } from '../kernel/units.ts';
import { byOurs, isAsTold, ServerClock } from './server-clock.ts';

const attempted_at = Date.parse('2026-11-29T10:00:00Z');
const hear = (clock: ServerClock, ms: number, took_ms = 3) =>
  clock.heard(new Date(attempted_at + ms).toISOString(), { attempted_at, took_ms });

function told(ms: number, took_ms = 3) {
  const clock = new ServerClock();
  hear(clock, ms, took_ms);
  return clock.words;
}

it('tells which way the clocks differ', () => {
  expect(told(HOUR_MS)).toBe(
    'The clock of the server is 1 h ahead of the clock of the datastore. Ages are shown without that difference. Synchronize the clocks by NTP.',
  );
  expect(told(-HOUR_MS)).toContain('is 1 h behind the clock of the datastore');
});

it('is silent of what is little, of what a slow answer explains, and where the time is unknown', () => {
  expect([told(2), told(20_000), told(-20_000), told(60_000, 60_000)]).toEqual(Array(4).fill(undefined));
  for (const theirs of [undefined, null, '', 'infinity']) {
    const clock = new ServerClock();
    clock.heard(theirs, { attempted_at, took_ms: 3 });
    expect(clock.aheadMs).toBe(0);
  }
});

it('keeps the difference that it knows until an answer proves another one', () => {
  const clock = new ServerClock();
  hear(clock, HOUR_MS);
  const known = clock.aheadMs;
  expect(Math.abs(known - HOUR_MS)).toBeLessThan(5);
  for (const ms of [HOUR_MS + 900, HOUR_MS - 900]) hear(clock, ms);
  hear(clock, HOUR_MS + 5000, 6000);
  clock.heard(null, { attempted_at, took_ms: 3 });
  expect(clock.aheadMs).toBe(known);
  hear(clock, -HOUR_MS);
  expect(Math.abs(clock.aheadMs + HOUR_MS)).toBeLessThan(5);
  hear(clock, 20);
  expect([clock.aheadMs, clock.words]).toEqual([0, undefined]);
});

it('tells moments by our clock, but not what tells one life from the next, nor what another machine said', () => {
  expect(byOurs('2026-11-29T10:00:00.123456Z', HOUR_MS)).toBe('2026-11-29T09:00:00.123Z');
  expect(['xact_start', 'last_autovacuum', 'last_failed_time'].filter(isAsTold)).toEqual([]);
  const kept = [
    'stats_reset',
    'archiver_stats_reset',
    'minmax_stats_since',
    'postmaster_start_time',
    'reply_time',
  ];
  expect(kept.filter(isAsTold)).toEqual(kept);
});
