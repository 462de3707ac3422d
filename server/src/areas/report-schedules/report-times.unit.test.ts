// When reports are due and which time each tells of: from report to report, over changes of the clocks, seldom enough.
import { describe, expect, it } from 'vitest';
import { parseCron } from '../../kernel/schedule/cron.ts';
import type { Recurrence } from '../../kernel/schedule/recurrence.ts';
import { demandSeldom, lastUntil, nextAfter, windowOf } from './report-times.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (text: string) => Date.parse(text);
const every = (expression: string, timezone = 'Europe/Vienna'): Recurrence => ({
  cron: parseCron(expression),
  timezone,
});

describe('the time that a report tells of', () => {
  it.each([
    ['a week', '0 8 * * MON', '2026-11-23T07:00:00Z', 7 * DAY],
    [
      'a week with an hour more, after the clocks went back',
      '0 8 * * MON',
      '2026-10-26T07:00:00Z',
      7 * DAY + HOUR,
    ],
    ['three days, of two in a week', '0 8 * * MON,THU', '2026-11-26T07:00:00Z', 3 * DAY],
    ['a month', '0 8 1 * *', '2026-12-01T07:00:00Z', 30 * DAY],
    ['as long as a year at most', '0 8 29 2 *', '2028-02-29T07:00:00Z', 7 * DAY],
    ['a week, where it is sent between two times', '0 8 * * MON', '2026-11-25T12:00:00Z', 7 * DAY],
  ])('is %s', (_what, expression, tick, length) => {
    const { from, to } = windowOf(every(expression), at(tick));
    expect([to, to - from]).toEqual([at(tick), length]);
  });

  it('joins that of the report before, so that nothing is left out', () => {
    const schedule = every('0 8 * * MON,THU');
    let tick = nextAfter(schedule, at('2026-10-20T00:00:00Z')) ?? 0;
    for (let count = 0; count < 6; count += 1) {
      const next = nextAfter(schedule, tick) ?? 0;
      expect(windowOf(schedule, next).from).toBe(tick);
      tick = next;
    }
  });
});

it('of several times that passed the last one is told', () => {
  const [first, until] = [at('2026-11-02T07:00:00Z'), at('2026-11-20T00:00:00Z')];
  expect(lastUntil(every('0 8 * * MON'), { first, until })).toBe(at('2026-11-16T07:00:00Z'));
  expect(lastUntil(every('0 8 * * MON'), { first, until: first })).toBe(first);
});

it('once an hour is seldom enough, and more is refused, also when it is rare', () => {
  const now = at('2026-11-22T00:00:00Z');
  for (const fits of ['0 * * * *', '30 8 * * *', '0 8,20 * * *'])
    expect(() => demandSeldom(every(fits), now)).not.toThrow();
  for (const often of ['*/30 * * * *', '* 8 * * *', '0,59 8 * * MON'])
    expect(() => demandSeldom(every(often), now)).toThrow('at most once an hour');
});
