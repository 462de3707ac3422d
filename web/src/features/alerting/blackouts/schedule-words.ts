// What the form of a schedule holds: weekdays with two times, or a cron expression with a length. Pure. Guards: a stored expression
// that is more than weekdays and one window stays as it is.
import type { Input } from '../../../api/client.ts';
import { isComplete, type Schedule, type TargetDraft, targetBody, targetDraft } from './blackout-words.ts';
import { type CronTimes, timesOfWeekly, type Weekly, weeklyOf } from './weekly.ts';

export interface ScheduleDraft {
  target: TargetDraft;
  name: string;
  /** Advanced: what holds is the expression, not the weekdays. */
  isCron: boolean;
  weekly: Weekly;
  cron_expression: string;
  duration_minutes: string;
  timezone: string;
  reason: string;
  enabled: boolean;
}

const SUNDAYS: Weekly = { days: ['SUN'], from: '02:00', to: '04:00' };
const SUNDAYS_CRON: CronTimes = { cron_expression: '0 2 * * SUN', duration_minutes: 120 };

export function scheduleDraft(
  schedule: Schedule | undefined,
  zone: string,
  target: TargetDraft,
): ScheduleDraft {
  const { cron_expression, duration_minutes } = schedule ?? SUNDAYS_CRON;
  const weekly = weeklyOf({ cron_expression, duration_minutes });
  return {
    target: schedule ? targetDraft(schedule) : target,
    name: schedule?.name ?? '',
    isCron: weekly === undefined,
    weekly: weekly ?? SUNDAYS,
    cron_expression,
    duration_minutes: String(duration_minutes),
    timezone: schedule?.timezone ?? zone,
    reason: schedule?.reason ?? '',
    enabled: schedule?.enabled ?? true,
  };
}

/** Whole minutes of up to a week; undefined for what is no such number. */
function minutesOf(text: string): number | undefined {
  const minutes = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  return minutes >= 1 && minutes <= 10_080 ? minutes : undefined;
}

function cronTimes({ cron_expression, duration_minutes }: ScheduleDraft): CronTimes | undefined {
  const minutes = minutesOf(duration_minutes);
  const cron = cron_expression.trim();
  return minutes === undefined || cron === ''
    ? undefined
    : { cron_expression: cron, duration_minutes: minutes };
}

/** When it begins and how long it lasts; undefined while something of it is missing. */
export const timesOf = (draft: ScheduleDraft): CronTimes | undefined =>
  draft.isCron
    ? cronTimes(draft)
    : timesOfWeekly(draft.weekly, cronTimes(draft) ?? { cron_expression: '', duration_minutes: 0 });

/** The same as a cron expression. */
export function asCron(draft: ScheduleDraft): ScheduleDraft {
  const times = timesOf(draft);
  if (times === undefined) return { ...draft, isCron: true };
  const { cron_expression, duration_minutes } = times;
  return { ...draft, isCron: true, cron_expression, duration_minutes: String(duration_minutes) };
}

/** The same as weekdays; undefined where it is more than that. */
export function asWeekly(draft: ScheduleDraft): ScheduleDraft | undefined {
  const times = cronTimes(draft);
  const weekly = times && weeklyOf(times);
  return weekly && { ...draft, isCron: false, weekly };
}

export function scheduleFault(draft: ScheduleDraft): string | undefined {
  if (draft.name.trim() === '') return 'Give it a name.';
  if (!isComplete(draft.target)) return 'Choose what to silence.';
  if (timesOf(draft) !== undefined) return undefined;
  if (draft.isCron) return 'Give a cron expression and a length of 1 to 10080 minutes.';
  return draft.weekly.days.length === 0
    ? 'Choose at least one weekday.'
    : 'Give the times from and to, such as 02:00.';
}

export function scheduleBody(draft: ScheduleDraft): Input<'createBlackoutSchedule'>['body'] {
  const { target, name, timezone, reason, enabled } = draft;
  return {
    ...targetBody(target),
    ...(timesOf(draft) ?? { cron_expression: '', duration_minutes: 0 }),
    timezone,
    enabled,
    name: name.trim(),
    reason: reason.trim(),
  };
}
