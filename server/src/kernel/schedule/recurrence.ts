// When a schedule begins: wall-clock times of a cron expression in a zone, as instants. Guards: a time that the clocks skip
// begins at the first instant after the gap, a repeated one once, at its first occurrence; whatever is due at the same
// instant is one occurrence.
import { Fault } from '../errors.ts';
import { DAY_MS, MINUTE_MS } from '../units.ts';
import { type Cron, parseCron } from './cron.ts';

export interface Recurrence {
  readonly cron: Cron;
  /** An IANA name. */
  readonly timezone: string;
}

export interface Occurrence {
  /** Milliseconds since the epoch. */
  at: number;
  /** What the expression says, by the wall clock: such as 2026-03-29T02:30. */
  wall: string;
  /** Where the clocks do not show that time at all, or show it twice. */
  shift?: 'skipped' | 'repeated';
}

/** Further ahead nobody looks for a date. */
const YEARS_AHEAD = 4;

const IANA_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/** The name in its usual spelling; 400 when there is no such zone. */
export function demandZone(name: string): string {
  try {
    if (name.length <= 64 && IANA_NAME.test(name)) return new Temporal.ZonedDateTime(0n, name).timeZoneId;
  } catch {
    // Said below.
  }
  throw new Fault(
    'bad_request',
    'timezone must be the IANA name of a time zone, like Europe/Vienna or America/New_York.',
  );
}

function matchesDay({ cron }: Recurrence, date: Temporal.PlainDate): boolean {
  const { byDay, byWeekday, days, weekdays } = cron;
  const isDay = days.includes(date.day);
  const isWeekday = weekdays.includes(date.dayOfWeek % 7);
  return byDay && byWeekday ? isDay || isWeekday : isDay && isWeekday;
}

const two = (value: number) => String(value).padStart(2, '0');
const wallOf = (date: Temporal.PlainDate, minuteOfDay: number) =>
  `${date.toString()}T${two(Math.floor(minuteOfDay / 60))}:${two(minuteOfDay % 60)}`;

/** Through the zone's own rules, minute by minute: for a day on which the clocks change. */
function throughZone(wall: string, timezone: string): Occurrence {
  const plain = Temporal.PlainDateTime.from(wall);
  const early = plain.toZonedDateTime(timezone, { disambiguation: 'earlier' });
  const late = plain.toZonedDateTime(timezone, { disambiguation: 'later' });
  if (early.epochMilliseconds === late.epochMilliseconds) return { at: early.epochMilliseconds, wall };
  // What repeats is that wall-clock time both times; what is skipped is neither.
  if (early.toPlainDateTime().equals(plain)) return { at: early.epochMilliseconds, wall, shift: 'repeated' };
  const after = early.getTimeZoneTransition('next') ?? late;
  return { at: after.epochMilliseconds, wall, shift: 'skipped' };
}

function* onDay({ cron, timezone }: Recurrence, date: Temporal.PlainDate): Generator<Occurrence> {
  const start = date.toPlainDateTime().toZonedDateTime(timezone, { disambiguation: 'earlier' });
  const change = start.getTimeZoneTransition('next');
  const isEven =
    start.toPlainDate().equals(date) &&
    (change === null || change.epochMilliseconds > start.epochMilliseconds + DAY_MS);
  for (const hour of cron.hours)
    for (const minute of cron.minutes) {
      const minuteOfDay = hour * 60 + minute;
      const wall = wallOf(date, minuteOfDay);
      yield isEven
        ? { at: start.epochMilliseconds + minuteOfDay * MINUTE_MS, wall }
        : throughZone(wall, timezone);
    }
}

function* days(
  { cron }: Recurrence,
  first: Temporal.PlainDate,
  last: Temporal.PlainDate,
): Generator<Temporal.PlainDate> {
  let date = first;
  while (Temporal.PlainDate.compare(date, last) <= 0) {
    if (cron.months.includes(date.month)) {
      yield date;
      date = date.add({ days: 1 });
    } else date = date.with({ day: 1 }).add({ months: 1 });
  }
}

const dateAt = (ms: number, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate();

/** All after `after` up to and including `until`, both in milliseconds since the epoch, in ascending order. */
export function* occurrencesBetween(
  recurrence: Recurrence,
  { after, until }: { after: number; until: number },
): Generator<Occurrence> {
  const { timezone } = recurrence;
  let last = after;
  for (const date of days(recurrence, dateAt(after, timezone), dateAt(until, timezone))) {
    if (!matchesDay(recurrence, date)) continue;
    for (const occurrence of onDay(recurrence, date)) {
      if (occurrence.at > until) return;
      if (occurrence.at <= last) continue;
      last = occurrence.at;
      yield occurrence;
    }
  }
}

/** The next ones, at most `count`, within the years that are looked ahead. */
export function nextOccurrences(recurrence: Recurrence, after: number, count: number): Occurrence[] {
  const until = Temporal.Instant.fromEpochMilliseconds(after)
    .toZonedDateTimeISO(recurrence.timezone)
    .add({ years: YEARS_AHEAD }).epochMilliseconds;
  const found: Occurrence[] = [];
  if (count <= 0) return found;
  for (const occurrence of occurrencesBetween(recurrence, { after, until }))
    if (found.push(occurrence) === count) break;
  return found;
}

/** What people wrote, checked: 400 for what is no expression, no zone, or is never due. */
export function demandRecurrence(
  { cron_expression, timezone }: { cron_expression: string; timezone: string },
  now: number,
): Recurrence {
  const recurrence = { cron: parseCron(cron_expression), timezone: demandZone(timezone) };
  if (nextOccurrences(recurrence, now, 1).length === 0)
    throw new Fault(
      'bad_request',
      `cron_expression: there is no such date within the next ${YEARS_AHEAD} years.`,
    );
  return recurrence;
}
