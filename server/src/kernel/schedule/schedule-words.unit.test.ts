// Schedules in words, as people would say them.
import { describe, expect, it } from 'vitest';
import { parseCron } from './cron.ts';
import { nextOccurrences } from './recurrence.ts';
import { durationWords, scheduleWords, shiftWords } from './schedule-words.ts';

describe('a schedule', () => {
  it.each([
    ['0 2 * * SUN', 'Every Sunday at 02:00'],
    ['0 2 * * *', 'Every day at 02:00'],
    ['30 1,13 * * *', 'Every day at 01:30 and 13:30'],
    ['0 22 * * MON-FRI', 'Every Monday to Friday at 22:00'],
    ['0 22 * * FRI-SUN', 'Every Friday to Sunday at 22:00'],
    ['0 22 * * 1,3', 'Every Monday and Wednesday at 22:00'],
    ['0 3 1 * *', 'On the 1st of each month at 03:00'],
    ['0 3 1,15 * *', 'On the 1st and 15th of each month at 03:00'],
    ['0 3 22-24 * *', 'On the 22nd to 24th of each month at 03:00'],
    ['0 3 13 * FRI', 'On the 13th of each month and every Friday at 03:00'],
    ['0 0 31 12 *', 'On the 31st of December at 00:00'],
    ['0 4 * 6-8 SAT', 'Every Saturday in June to August at 04:00'],
    ['*/15 * * * *', 'Every day every 15 minutes'],
    ['* * * * *', 'Every day every minute'],
    ['5 * * * *', 'Every day at minute 5 of every hour'],
    ['0,30 */2 * * *', 'Every day every 30 minutes of every 2nd hour from 00:00'],
    ['10,50 8-17 * * *', 'Every day at minutes 10 and 50 of the hours 8 to 17'],
  ])('%s is %s', (expression, words) => {
    const spoken = { cron: parseCron(expression), timezone: 'Europe/Vienna', duration_minutes: 120 };
    expect(scheduleWords(spoken)).toBe(`${words}, for 2 hours, Europe/Vienna`);
  });

  it.each([
    [1, '1 minute'],
    [90, '1 hour and 30 minutes'],
    [1440, '1 day'],
    [10_080, '7 days'],
    [1561, '1 day, 2 hours and 1 minute'],
  ])('lasts %i minutes as %s', (minutes, words) => {
    expect(durationWords(minutes)).toBe(words);
  });
});

describe('what the clocks do to it', () => {
  const words = (expression: string, timezone: string, after: string) => {
    const recurrence = { cron: parseCron(expression), timezone };
    const [next] = nextOccurrences(recurrence, Date.parse(after), 1);
    return next && shiftWords(next, { timezone, duration_minutes: 120 });
  };

  it.each([
    [
      '30 2 * * *',
      'Europe/Vienna',
      '2026-03-28T12:00Z',
      'There is no 02:30 on 2026-03-29: the clocks go from 02:00 to 03:00, and it starts then.',
    ],
    [
      '30 0 * * *',
      'Africa/Cairo',
      '2024-04-25T12:00Z',
      'There is no 00:30 on 2024-04-26: the clocks go from 00:00 to 01:00, and it starts then.',
    ],
    [
      '0 2 30 12 *',
      'Pacific/Apia',
      '2011-12-29T12:00Z',
      'There is no 02:00 on 2011-12-30: the clocks go from 00:00 to 00:00 on 2011-12-31, and it starts then.',
    ],
    [
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T03:00Z',
      '01:45 on 2026-04-05 comes twice, since the clocks go back: it starts once, at the first.',
    ],
    [
      '0 1 * * *',
      'Europe/Vienna',
      '2026-03-28T12:00Z',
      'The clocks change while it lasts: after 2 hours it is 04:00.',
    ],
    [
      '30 23 * * *',
      'America/Sao_Paulo',
      '2017-10-14T12:00Z',
      'The clocks change while it lasts: after 2 hours it is 02:30 on 2017-10-15.',
    ],
    ['0 2 * * *', 'Asia/Kolkata', '2026-03-28T12:00Z', undefined],
    ['0 4 * * *', 'Europe/Vienna', '2026-03-28T12:00Z', undefined],
  ])('%s in %s after %s', (...[expression, timezone, after, said]) => {
    expect(words(expression, timezone, after)).toBe(said);
  });
});
