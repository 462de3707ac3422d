// Schedules in words, and what a change of the clocks does to one of their times. Pure texts; the times are those of
// recurrence.ts.
import type { Cron } from './cron.ts';
import type { Occurrence } from './recurrence.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
/** More times of a day are told as minutes and hours. */
const MOST_TIMES = 6;

const two = (value: number) => String(value).padStart(2, '0');
const nameIn = (names: readonly string[], index: number) => names[index] ?? String(index);

function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function ordinal(value: number): string {
  const tens = value % 100;
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return `${value}${ending}`;
}

/** Neighbours as ranges: 1, 2, 3, 7 are 1 to 3 and 7. */
function ranges(values: readonly number[], word: (value: number) => string): string {
  const runs: number[][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run && run.at(-1) === value - 1) run.push(value);
    else runs.push([value]);
  }
  const words = runs.flatMap((run) => {
    const [first = 0] = run;
    const last = run.at(-1) ?? first;
    return run.length > 2 ? [`${word(first)} to ${word(last)}`] : run.map(word);
  });
  return listed(words);
}

/** The step, where the values are every so many from the first to the end of `size`. */
function stepOf(values: readonly number[], size: number): number | undefined {
  const [first, second] = values;
  if (first !== 0 || second === undefined) return undefined;
  const isEven = values.every((value, index) => value === index * second);
  return isEven && values.length === Math.ceil(size / second) && size % second === 0 ? second : undefined;
}

function times({ minutes, hours }: Cron): string {
  if (minutes.length * hours.length <= MOST_TIMES)
    return `at ${listed(hours.flatMap((hour) => minutes.map((minute) => `${two(hour)}:${two(minute)}`)))}`;
  const minuteStep = stepOf(minutes, 60);
  const hourStep = stepOf(hours, 24);
  const minute =
    minuteStep === undefined
      ? `at ${minutes.length === 1 ? 'minute' : 'minutes'} ${ranges(minutes, String)}`
      : minuteStep === 1
        ? 'every minute'
        : `every ${minuteStep} minutes`;
  if (hourStep === 1) return minuteStep === undefined ? `${minute} of every hour` : minute;
  if (hourStep !== undefined) return `${minute} of every ${ordinal(hourStep)} hour from 00:00`;
  return `${minute} of the hours ${ranges(hours, String)}`;
}

const weekdaysOf = ({ weekdays }: Cron) => {
  // The week begins on Monday, so that Friday to Sunday is one range.
  const fromMonday = weekdays.map((day) => (day + 6) % 7).sort((a, b) => a - b);
  return ranges(fromMonday, (day) => nameIn(DAYS, (day + 1) % 7));
};

function days(cron: Cron): string {
  const months =
    cron.months.length === 12 ? undefined : ranges(cron.months, (month) => nameIn(MONTHS, month - 1));
  const inMonths = months === undefined ? '' : ` in ${months}`;
  const byDay = `on the ${ranges(cron.days, ordinal)} of ${months ?? 'each month'}`;
  const byWeekday = `every ${weekdaysOf(cron)}`;
  if (cron.byDay && cron.byWeekday) return `${byDay} and ${byWeekday}${inMonths}`;
  if (cron.byDay) return byDay;
  return cron.byWeekday ? `${byWeekday}${inMonths}` : `every day${inMonths}`;
}

const units: readonly (readonly [minutes: number, one: string])[] = [
  [1440, 'day'],
  [60, 'hour'],
  [1, 'minute'],
];

/** Such as 1 hour and 30 minutes. */
export function durationWords(minutes: number): string {
  let left = minutes;
  const parts = units.flatMap(([size, one]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count === 0 ? [] : [`${count} ${one}${count === 1 ? '' : 's'}`];
  });
  return listed(parts);
}

export interface Spoken {
  cron: Cron;
  timezone: string;
  duration_minutes: number;
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Such as: Every Sunday at 02:00, for 2 hours, Europe/Vienna. */
export function scheduleWords({ cron, timezone, duration_minutes }: Spoken): string {
  return sentence(`${days(cron)} ${times(cron)}, for ${durationWords(duration_minutes)}, ${timezone}`);
}

/** The same of what takes no time: Every Monday at 08:00, Europe/Vienna. */
export const whenWords = ({ cron, timezone }: Omit<Spoken, 'duration_minutes'>): string =>
  sentence(`${days(cron)} ${times(cron)}, ${timezone}`);

const zoned = (at: number, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);

const clock = ({ hour, minute }: { hour: number; minute: number }) => `${two(hour)}:${two(minute)}`;

/** `date` where it is another than that of `beside`. */
const clockOf = (time: Temporal.ZonedDateTime, beside: string) => {
  const date = time.toPlainDate().toString();
  return date === beside ? clock(time) : `${clock(time)} on ${date}`;
};

/** What the clocks do to it, in one sentence; undefined where they do nothing. */
export function shiftWords(
  { at, wall, shift }: Occurrence,
  spoken: Omit<Spoken, 'cron'>,
): string | undefined {
  const { timezone, duration_minutes } = spoken;
  const [date = '', time = ''] = wall.split('T');
  const start = zoned(at, timezone);
  if (shift === 'skipped') {
    // What the clocks would show at that instant, had they gone on as before.
    const from = zoned(at - 60_000, timezone)
      .toPlainDateTime()
      .add({ minutes: 1 });
    return `There is no ${time} on ${date}: the clocks go from ${clock(from)} to ${clockOf(start, from.toPlainDate().toString())}, and it starts then.`;
  }
  if (shift === 'repeated')
    return `${time} on ${date} comes twice, since the clocks go back: it starts once, at the first.`;
  const end = zoned(at + duration_minutes * 60_000, timezone);
  if (start.offsetNanoseconds === end.offsetNanoseconds) return undefined;
  return `The clocks change while it lasts: after ${durationWords(duration_minutes)} it is ${clockOf(end, date)}.`;
}
