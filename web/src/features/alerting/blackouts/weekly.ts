// Windows on weekdays, as the form holds them, and the cron expression that says the same. Pure. Guards: an expression that is
// anything else is not read as one, so nothing of it is lost. When a schedule is due is computed by the server alone.
export const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const WEEKDAY_WORDS: Record<Weekday, string> = {
  MON: 'Monday',
  TUE: 'Tuesday',
  WED: 'Wednesday',
  THU: 'Thursday',
  FRI: 'Friday',
  SAT: 'Saturday',
  SUN: 'Sunday',
};

export interface Weekly {
  /** From Monday on. */
  days: readonly Weekday[];
  /** "02:00", by the clock of the zone. */
  from: string;
  /** On the next day where it is not after `from`. */
  to: string;
}

export interface CronTimes {
  cron_expression: string;
  duration_minutes: number;
}

const DAY_MINUTES = 1440;
const two = (value: number) => String(value).padStart(2, '0');
const clock = (minutes: number) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;

/** Minutes of the day; undefined for what is no time. */
function minutesOfDay(text: string): number | undefined {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hour === undefined ? undefined : Number(hour) * 60 + Number(minute);
}

/** 0 is Monday; undefined for what is no weekday of cron. */
function weekdayAt(text: string): number | undefined {
  const names: readonly string[] = WEEKDAYS;
  const name = names.indexOf(text.toUpperCase());
  if (name !== -1) return name;
  // 0 and 7 are Sunday.
  return /^[0-7]$/.test(text) ? (Number(text) + 6) % 7 : undefined;
}

function daysOfPart(part: string): number[] | undefined {
  const [first, last, ...more] = part.split('-');
  const [from, to] = [first, last ?? first].map((text) => weekdayAt(text ?? ''));
  if (from === undefined || to === undefined || to < from || more.length > 0) return undefined;
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function daysOf(field: string): Weekday[] | undefined {
  if (field === '*') return [...WEEKDAYS];
  const parts = field.split(',').map(daysOfPart);
  if (parts.some((part) => part === undefined)) return undefined;
  const found = new Set(parts.flatMap((part) => part ?? []));
  return WEEKDAYS.filter((_, index) => found.has(index));
}

/** Undefined: it is more than one window a day on weekdays. */
export function weeklyOf({ cron_expression, duration_minutes }: CronTimes): Weekly | undefined {
  const [, minute, hour, field] =
    /^(\d{1,2})\s+(\d{1,2})\s+\*\s+\*\s+(\S+)$/.exec(cron_expression.trim()) ?? [];
  const start = Number(hour) * 60 + Number(minute);
  const days = daysOf(field ?? '');
  if (days === undefined || !(Number(hour) < 24 && Number(minute) < 60)) return undefined;
  if (duration_minutes < 1 || duration_minutes > DAY_MINUTES) return undefined;
  return { days, from: clock(start), to: clock((start + duration_minutes) % DAY_MINUTES) };
}

/** Undefined: a weekday or a time is missing. */
export function cronOf({ days, from, to }: Weekly): CronTimes | undefined {
  const [start, end] = [minutesOfDay(from), minutesOfDay(to)];
  if (days.length === 0 || start === undefined || end === undefined) return undefined;
  const field =
    days.length === WEEKDAYS.length ? '*' : WEEKDAYS.filter((day) => days.includes(day)).join(',');
  return {
    cron_expression: `${start % 60} ${Math.floor(start / 60)} * * ${field}`,
    duration_minutes: end > start ? end - start : end - start + DAY_MINUTES,
  };
}

/** It lasts into the next day. */
export const endsNextDay = ({ from, to }: Weekly): boolean => from !== '' && to !== '' && to <= from;

/** Of the window on these days what was stored, where it says the same, so that saving it again changes nothing. */
export function timesOfWeekly(weekly: Weekly, stored: CronTimes): CronTimes | undefined {
  const before = weeklyOf(stored);
  const isSame =
    before !== undefined &&
    before.from === weekly.from &&
    before.to === weekly.to &&
    before.days.join() === WEEKDAYS.filter((day) => weekly.days.includes(day)).join();
  return isSame ? stored : cronOf(weekly);
}
