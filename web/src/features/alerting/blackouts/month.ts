// A month as weeks of days, and what of it is kept quiet on which day. Pure.
import { DAY_MS } from '../../../lib/units.ts';
import { dateText, instantOf } from '../../../lib/zone.ts';

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** "2026-11" of the address, or the month that it is now. */
export const monthOf = (text: string, now: number, zone: string): string =>
  MONTH.test(text) ? text : dateText(now, zone).slice(0, 7);

const two = (value: number) => String(value).padStart(2, '0');

/** The month so many months later. */
export function monthAfter(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const all = year * 12 + number - 1 + count;
  return `${String(Math.floor(all / 12)).padStart(4, '0')}-${two((all % 12) + 1)}`;
}

const name = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
export const monthWords = (month: string): string => name.format(Date.parse(`${month}-01T00:00:00Z`));

const dayName = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });
/** "20 November". */
export const dayWords = (date: string): string => dayName.format(Date.parse(`${date}T00:00:00Z`));

export interface Day {
  /** "2026-11-20". */
  date: string;
  isOutside: boolean;
}

/** Weeks from Monday to Sunday that hold the month. */
export function weeksOf(month: string): Day[][] {
  const first = Date.parse(`${month}-01T00:00:00Z`);
  const monday = first - ((new Date(first).getUTCDay() + 6) % 7) * DAY_MS;
  const next = Date.parse(`${monthAfter(month, 1)}-01T00:00:00Z`);
  const weeks: Day[][] = [];
  for (let week = monday; week < next; week += 7 * DAY_MS)
    weeks.push(
      Array.from({ length: 7 }, (_, index) => {
        const date = new Date(week + index * DAY_MS).toISOString().slice(0, 10);
        return { date, isOutside: !date.startsWith(month) };
      }),
    );
  return weeks;
}

/** From when to when the weeks of a month last, by the clock of the zone. */
export function boundsOf(weeks: readonly (readonly Day[])[], zone: string): { from: number; to: number } {
  const first = weeks[0]?.[0]?.date ?? '1970-01-01';
  const last = weeks.at(-1)?.at(-1)?.date ?? first;
  return {
    from: instantOf(Date.parse(`${first}T00:00:00Z`), zone),
    to: instantOf(Date.parse(`${last}T00:00:00Z`) + DAY_MS, zone),
  };
}

export interface Span {
  start_time: string;
  end_time: string;
}

/** The last day that it touches. One that ends at midnight is none of the day after. */
export function lastDay({ start_time, end_time }: Span, zone: string): string {
  return dateText(Math.max(Date.parse(start_time), Date.parse(end_time) - 1), zone);
}

/** Those of a day, in the order in which they begin. */
export function onDay<T extends Span>(spans: readonly T[], date: string, zone: string): T[] {
  return spans
    .filter((span) => dateText(Date.parse(span.start_time), zone) <= date && lastDay(span, zone) >= date)
    .toSorted((a, b) => Date.parse(a.start_time) - Date.parse(b.start_time));
}
