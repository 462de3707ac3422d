// When a report is sent, as the form holds it: daily, weekly or monthly at a time, or a cron expression. Pure. Guards: a stored
// expression that says more than that stays as it is. When a report is due is computed by the server alone.
import { cronOf, WEEKDAYS, type Weekday, weeklyOf } from '../../alerting/blackouts/weekly.ts';

export const RHYTHMS = ['daily', 'weekly', 'monthly', 'cron'] as const;
export type Rhythm = (typeof RHYTHMS)[number];

/** Every month has these days. */
export const MONTH_DAYS = Array.from({ length: 28 }, (_, index) => index + 1);

export interface SendTimes {
  rhythm: Rhythm;
  /** "08:00", by the clock of the zone. */
  at: string;
  /** Weekly: from Monday on. */
  days: readonly Weekday[];
  /** Monthly. */
  monthDay: number;
  /** What holds where the rhythm is cron. */
  cron: string;
}

const MONDAYS = { at: '08:00', days: ['MON'], monthDay: 1 } as const;

function monthlyOf(cron: string): { at: string; monthDay: number } | undefined {
  const [, minute, hour, day] = /^(\d{1,2})\s+(\d{1,2})\s+(\d{1,2})\s+\*\s+\*$/.exec(cron.trim()) ?? [];
  // The time is read as that of every day.
  const at = weeklyOf({ cron_expression: `${minute} ${hour} * * *`, duration_minutes: 1 })?.from;
  return at === undefined || !MONTH_DAYS.includes(Number(day)) ? undefined : { at, monthDay: Number(day) };
}

/** What is no time of day, week or month is an expression. */
export function sendTimesOf(cron: string): SendTimes {
  const monthly = monthlyOf(cron);
  if (monthly) return { ...MONDAYS, ...monthly, rhythm: 'monthly', cron };
  const weekly = weeklyOf({ cron_expression: cron, duration_minutes: 1 });
  if (!weekly) return { ...MONDAYS, rhythm: 'cron', cron };
  const { days, from: at } = weekly;
  const isDaily = days.length === WEEKDAYS.length;
  return { ...MONDAYS, at, cron, ...(isDaily ? { rhythm: 'daily' } : { rhythm: 'weekly', days }) };
}

const written = (at: string, days: readonly Weekday[]) => cronOf({ days, from: at, to: at })?.cron_expression;

/** Undefined: a weekday, a time or the expression is missing. */
export function cronOfTimes({ rhythm, at, days, monthDay, cron }: SendTimes): string | undefined {
  if (rhythm === 'cron') return cron.trim() === '' ? undefined : cron.trim();
  if (rhythm === 'weekly') return written(at, days);
  const daily = written(at, WEEKDAYS);
  return rhythm === 'daily' ? daily : daily?.replace('* * *', `${monthDay} * *`);
}

/** The same by another rhythm; the expression says what was chosen before. */
export function withRhythm(times: SendTimes, rhythm: Rhythm): SendTimes {
  return { ...times, rhythm, cron: cronOfTimes(times) ?? times.cron };
}
