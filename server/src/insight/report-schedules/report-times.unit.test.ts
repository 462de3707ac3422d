// When reports are due and which time each tells of: from report to report, over changes of the clocks, seldom enough.
import { describe, expect, it } from 'vitest';
import { parseCron } from '../../kernel/schedule/cron.ts';
import type { Recurrence } from '../../kernel/schedule/recurrence.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { demandSeldom, lastUntil, nextAfter, windowOf } from './report-times.ts';

const at = (text: string) => Date.parse(text);
const every = (expression: string, timezone = 'Europe/Vienna'): Recurrence => ({
  cron: parseCron(expression),
  timezone,
});

describe('the time that a report tells of', () => {
  it.each([
    { is: 'a week', cron: '0 8 * * MON', tick: '2026-11-23T07:00:00Z', length: 7 * DAY_MS },
    {
      is: 'an hour more as the clocks go back',
      cron: '0 8 * * MON',
      tick: '2026-10-26T07:00:00Z',
      length: 7 * DAY_MS + HOUR_MS,
    },
    {
      is: 'three days, of two in a week',
      cron: '0 8 * * MON,THU',
      tick: '2026-11-26T07:00:00Z',
      length: 3 * DAY_MS,
    },
    { is: 'a month', cron: '0 8 1 * *', tick: '2026-12-01T07:00:00Z', length: 30 * DAY_MS },
    {
      is: 'a week, of what is due once in years',
      cron: '0 8 29 2 *',
      tick: '2028-02-29T07:00:00Z',
      length: 7 * DAY_MS,
    },
    {
      is: 'a week, sent between two times',
      cron: '0 8 * * MON',
      tick: '2026-11-25T12:00:00Z',
      length: 7 * DAY_MS,
    },
  ])('is $is', ({ cron, tick, length }) => {
    const { from, to } = windowOf(every(cron), at(tick));
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
