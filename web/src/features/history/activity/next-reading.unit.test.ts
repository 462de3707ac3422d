// By when a figure that is not there is there, of a server that was added a moment ago and of one that is read at its interval.
import { expect, it } from 'vitest';
import { nextReading, nextReadingText } from './next-reading.ts';

const AT = Date.parse('2026-11-20T14:01:20Z');
const entry = (secondsAgo: number | null, effective_interval_seconds = 600) => ({
  collected_at: secondsAgo === null ? null : new Date(AT - 1000 * secondsAgo).toISOString(),
  effective_interval_seconds,
});
const minute = (text: string) => Date.parse(`2026-11-20T${text}:00Z`);

it('is a minute after the first reading of a new server', () => {
  const own = [entry(20)];
  expect(nextReading([entry(25, 3600), ...own, entry(null)], own, AT)).toBe(minute('14:02'));
});

it('is an interval after the last one else, and nothing where it is overdue or was never read', () => {
  const own = [entry(20)];
  expect(nextReading([entry(1200, 3600), ...own], own, AT)).toBe(minute('14:11'));
  expect(nextReading([entry(90)], [entry(90)], AT)).toBe(minute('14:10'));
  expect(nextReading([entry(700)], [entry(700)], AT)).toBeUndefined();
  expect(nextReading([entry(5)], [entry(null)], AT)).toBeUndefined();
  expect(nextReading([entry(5)], [], AT)).toBeUndefined();
});

it('is said by the clock of the page', () => {
  const clock = { now: AT, zone: 'Europe/Berlin' };
  expect(nextReadingText([entry(5)], [entry(5)], clock)).toBe(' Next reading by 15:03.');
  expect(nextReadingText([entry(700)], [entry(700)], clock)).toBe('');
});
