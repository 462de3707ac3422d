// Daily, weekly and monthly times and the cron expression of the same: what is more than that is not read as one of them.
import { expect, it } from 'vitest';
import { cronOfTimes, sendTimesOf, withRhythm } from './send-times.ts';

it.each([
  ['30 6 * * *', { rhythm: 'daily', at: '06:30' }],
  ['0 8 * * MON', { rhythm: 'weekly', at: '08:00', days: ['MON'] }],
  ['15 17 * * MON,FRI', { rhythm: 'weekly', at: '17:15', days: ['MON', 'FRI'] }],
  ['0 9 1 * *', { rhythm: 'monthly', at: '09:00', monthDay: 1 }],
  ['5 23 28 * *', { rhythm: 'monthly', at: '23:05', monthDay: 28 }],
] as const)('reads %s as %o, and writes it again', (cron, said) => {
  const times = sendTimesOf(cron);
  expect(times).toMatchObject(said);
  expect(cronOfTimes(times)).toBe(cron);
});

it.each(['*/30 8 * * MON', '0 8 29 * *', '0 8 1 * MON', '0 8 1 1 *', '0 25 1 * *', '@weekly'])(
  'keeps %s as an expression',
  (cron) => {
    const times = sendTimesOf(cron);
    expect(times.rhythm).toBe('cron');
    expect(cronOfTimes(times)).toBe(cron);
  },
);

it('says as an expression what was chosen before, and keeps time and day from one rhythm to the next', () => {
  const weekly = { ...sendTimesOf('0 8 * * MON'), at: '07:45' };
  expect(withRhythm(weekly, 'cron').cron).toBe('45 7 * * MON');
  expect(cronOfTimes(withRhythm(weekly, 'daily'))).toBe('45 7 * * *');
  expect(cronOfTimes(withRhythm(weekly, 'monthly'))).toBe('45 7 1 * *');
});

it('is nothing while a weekday, the time or the expression is missing', () => {
  const weekly = sendTimesOf('0 8 * * MON');
  expect(cronOfTimes({ ...weekly, days: [] })).toBeUndefined();
  expect(cronOfTimes({ ...weekly, at: '' })).toBeUndefined();
  expect(cronOfTimes({ ...weekly, rhythm: 'monthly', at: '' })).toBeUndefined();
  expect(cronOfTimes({ ...weekly, rhythm: 'cron', cron: ' ' })).toBeUndefined();
});
