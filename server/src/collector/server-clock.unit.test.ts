// Only a difference that the way there and back cannot explain is told.
import { expect, it } from 'vitest';
import { HOUR_MS } from '../kernel/units.ts';
import { clockWords } from './server-clock.ts';

const attempted_at = Date.parse('2026-11-29T10:00:00Z');
const told = (ms: number, took_ms = 3) =>
  clockWords(new Date(attempted_at + ms).toISOString(), { attempted_at, took_ms });

it('tells which way the clocks differ, and what that does to ages', () => {
  expect(told(HOUR_MS)).toBe(
    'The clock of the server is 1 h ahead of the clock of the datastore: its sessions, transactions and lock waits seem that much younger. Synchronize the clocks by NTP.',
  );
  expect(told(-HOUR_MS)).toContain('is 1 h behind the clock of the datastore');
  expect(told(-HOUR_MS)).toContain('seem that much older');
});

it('is silent of what is little, of what a slow answer explains, and where the time is unknown', () => {
  expect([told(2), told(20_000), told(-20_000), told(60_000, 60_000)]).toEqual(Array(4).fill(undefined));
  for (const theirs of [undefined, null, '', 'infinity'])
    expect(clockWords(theirs, { attempted_at, took_ms: 3 })).toBeUndefined();
});
