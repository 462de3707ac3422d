import { describe, expect, it } from 'vitest';
import { clockTime, dayText, everyText, exactTime, relativeTime, timeAhead } from './time.ts';

const NOW = Date.parse('2026-11-20T10:00:00.000Z') / 1000;
const before = (seconds: number) => new Date((NOW - seconds) * 1000).toISOString();

describe('relativeTime', () => {
  it.each([
    [0, 'now'],
    [1.9, 'now'],
    [2, '2 s ago'],
    [59, '59 s ago'],
    [60, '1 min ago'],
    [3599, '59 min ago'],
    [3600, '1 h ago'],
    [47 * 3600, '47 h ago'],
    [48 * 3600, '2 d ago'],
    [-30, 'now'],
  ])('%d seconds: %s', (seconds, text) => expect(relativeTime(before(seconds), NOW)).toBe(text));

  it('does not invent a time', () => expect(relativeTime('soon', NOW)).toBe('at an unknown time'));
});

it.each([
  [-1, 'now'],
  [0.5, 'in 1 s'],
  [59, 'in 59 s'],
  [61, 'in 2 min'],
  [3600, 'in 1 h'],
  [90_000, 'in 25 h'],
])('%d seconds ahead: %s', (seconds, text) => expect(timeAhead(before(-seconds), NOW)).toBe(text));

it.each([
  [5, 'every 5 s'],
  [60, 'every minute'],
  [90, 'every 90 s'],
  [300, 'every 5 min'],
  [3600, 'every hour'],
  [7200, 'every 2 h'],
  [86400, 'every day'],
])('%d seconds are %s', (seconds, text) => expect(everyText(seconds)).toBe(text));

it('has one form of dates and a clock of 24 hours, whatever the language of the browser', () => {
  const at = new Date(2026, 10, 20, 15, 4, 5);
  expect(clockTime(at.getTime())).toBe('15:04:05');
  expect(dayText(at.getTime())).toBe('20 Nov 2026');
  expect(exactTime(at.toISOString())).toMatch(/^20 Nov 2026, 15:04:05 \S+$/);
});
