// When reports are due and which time each tells of. Pure. Guards: a report tells of the time since the one before it, so that none
// is told twice and none is left out.
import { Fault } from '../../kernel/errors.ts';
import { nextOccurrences, occurrencesBetween, type Recurrence } from '../../kernel/schedule/recurrence.ts';
import { DAY_MS, HOUR_MS, WEEK_MS } from '../../kernel/units.ts';

/** What the report takes at most. */
const LONGEST_MS = 366 * DAY_MS;
/** So far back its times are looked for: a few hundred at most. */
const LOOK_BACK_DAYS = [8, 64, 800];
/** A month of every hour. */
const LOOKED_AT = 750;

/** 400 where it would be due more often than once an hour. */
export function demandSeldom(recurrence: Recurrence, now: number): void {
  const times = nextOccurrences(recurrence, now, LOOKED_AT).map(({ at }) => at);
  const isOften = times.some((at, index) => index > 0 && at - (times[index - 1] ?? 0) < HOUR_MS);
  if (isOften) throw new Fault('bad_request', 'cron_expression: a report is sent at most once an hour.');
}

export const nextAfter = (recurrence: Recurrence, after: number): number | undefined =>
  nextOccurrences(recurrence, after, 1)[0]?.at;

/** The last time from `first` to `until`: of several that were missed only that one is sent. */
export function lastUntil(
  recurrence: Recurrence,
  { first, until }: { first: number; until: number },
): number {
  let last = first;
  for (const { at } of occurrencesBetween(recurrence, { after: first, until })) last = at;
  return last;
}

/** As long as from one time of the schedule to the next, up to then. */
export function windowOf(recurrence: Recurrence, tick: number): { from: number; to: number } {
  for (const days of LOOK_BACK_DAYS) {
    const times: number[] = [];
    for (const { at } of occurrencesBetween(recurrence, { after: tick - days * DAY_MS, until: tick }))
      times.push(at);
    const [before, last] = times.slice(-2);
    if (before !== undefined && last !== undefined)
      return { from: tick - Math.min(last - before, LONGEST_MS), to: tick };
  }
  return { from: tick - WEEK_MS, to: tick };
}
