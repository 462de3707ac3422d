// Weekdays with one window and the cron expression of the same: what one can say is said alike by the other, and what is more is not
// read as one.
import { expect, it } from 'vitest';
import { cronOf, timesOfWeekly, weeklyOf } from './weekly.ts';

const cron = (cron_expression: string, duration_minutes = 120) => ({ cron_expression, duration_minutes });
const DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;

it.each([
  ['0 2 * * SUN', 120, ['SUN'], '02:00', '04:00'],
  ['0 2 * * 0', 120, ['SUN'], '02:00', '04:00'],
  ['0 2 * * 7', 120, ['SUN'], '02:00', '04:00'],
  [' 5 23  * * mon-wed,5', 60, ['MON', 'TUE', 'WED', 'FRI'], '23:05', '00:05'],
  ['0 0 * * FRI-SUN', 1440, ['FRI', 'SAT', 'SUN'], '00:00', '00:00'],
  ['30 4 * * *', 1, [...DAYS], '04:30', '04:31'],
] as const)('reads %s for %i minutes as weekdays', (...[expression, minutes, days, from, to]) => {
  expect(weeklyOf(cron(expression, minutes))).toEqual({ days, from, to });
});

it.each([
  cron('*/5 2 * * SUN'),
  cron('0 2,14 * * SUN'),
  cron('0 2 1-7 * SUN'),
  cron('0 2 * 3 SUN'),
  cron('0 2 * * */2'),
  cron('0 2 * * SUN-TUE'),
  cron('0 24 * * SUN'),
  cron('0 2 * * SUN', 1441),
  cron('0 2 * * ,'),
  cron('@weekly'),
])('does not read %j as weekdays', (times) => {
  expect(weeklyOf(times)).toBeUndefined();
});

it('writes weekdays as a cron expression that reads as the same', () => {
  const weekly = { days: ['MON', 'SUN'] as const, from: '22:30', to: '04:00' };
  expect(cronOf(weekly)).toEqual(cron('30 22 * * MON,SUN', 330));
  expect(weeklyOf(cron('30 22 * * MON,SUN', 330))).toEqual(weekly);
  expect(cronOf({ ...weekly, days: DAYS })).toEqual(cron('30 22 * * *', 330));
  expect(cronOf({ ...weekly, to: '22:30' })?.duration_minutes).toBe(1440);
  expect(cronOf({ ...weekly, days: [] })).toBeUndefined();
  expect(cronOf({ ...weekly, to: '' })).toBeUndefined();
});

it('keeps the expression that is stored where it says the same', () => {
  const stored = cron('00 02 * * 7');
  const weekly = weeklyOf(stored);
  if (weekly === undefined) throw new Error('weekdays');
  expect(timesOfWeekly(weekly, stored)).toBe(stored);
  expect(timesOfWeekly({ ...weekly, to: '05:00' }, stored)).toEqual(cron('0 2 * * SUN', 180));
});
