// A month of silences as the calendars draw it: what is stored, and what schedules will make, each with the days that it touches
// by the reader's clock.
import { useSyncExternalStore } from 'react';
import { currentSecond, subscribeToSeconds } from '../../../lib/clock.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { dateText, zoneName } from '../../../lib/zone.ts';
import { holdsIn } from './blackout-scopes.ts';
import { type Blackout, type Schedule, targetWords } from './blackout-words.ts';
import { boundsOf, lastDay, monthOf, weeksOf } from './month.ts';
import { type BlackoutsRequest, useBetween, usePlanned, useSchedules } from './use-blackouts.ts';

const minute = () => Math.floor(currentSecond() / 60) * 60;

export interface Item {
  key: string;
  start_time: string;
  end_time: string;
  /** The first and the last day that it touches. */
  from: string;
  to: string;
  what: string;
  state: 'past' | 'now' | 'coming' | 'planned';
  of: Blackout | Schedule;
}

export const STATE_WORDS: Record<Item['state'], string> = {
  past: 'over',
  now: 'in force',
  coming: 'coming',
  planned: 'by a schedule',
};

export function useMonth(wanted: BlackoutsRequest) {
  const zone = zoneName('local');
  const now = useSyncExternalStore(subscribeToSeconds, minute) * 1000;
  const [text, setMonth] = useUrlText('month');
  const month = monthOf(text, now, zone);
  const weeks = weeksOf(month);
  const bounds = boundsOf(weeks, zone);
  const stored = useBetween(wanted, bounds);
  const planned = usePlanned(bounds);
  const schedules = new Map((useSchedules().data?.schedules ?? []).map((one) => [one.id, one]));
  const { place } = wanted;
  const blackouts = stored.data?.blackouts ?? [];
  const made = new Set(blackouts.map(({ schedule_id, start_time }) => `${schedule_id} ${start_time}`));
  const days = ({ start_time, end_time }: Pick<Item, 'start_time' | 'end_time'>) => ({
    ...{ start_time, end_time, from: dateText(Date.parse(start_time), zone) },
    to: lastDay({ start_time, end_time }, zone),
  });
  const stateOf = (one: Blackout): Item['state'] =>
    one.is_active ? 'now' : Date.parse(one.start_time) > now ? 'coming' : 'past';
  const items: Item[] = [
    ...blackouts.map((one) => ({
      ...days(one),
      ...{ key: `b${one.id}`, what: targetWords(one), state: stateOf(one), of: one },
    })),
    ...(planned.data?.planned ?? []).flatMap((times) => {
      const schedule = schedules.get(times.schedule_id);
      const isElsewhere = schedule && place !== undefined && holdsIn(schedule, place) === undefined;
      if (!schedule || isElsewhere || made.has(`${schedule.id} ${times.start_time}`)) return [];
      return [
        {
          ...days(times),
          key: `s${schedule.id} ${times.start_time}`,
          what: schedule.name,
          state: 'planned' as const,
          of: schedule,
        },
      ];
    }),
  ];
  return {
    ...{ zone, month, setMonth, weeks, stored, items, today: dateText(now, zone) },
    /** Not all that is planned is listed. */
    isCut: planned.data?.is_cut === true,
    /** Why what is planned is not shown. */
    plannedFault: (planned.error ?? undefined)?.message,
  };
}

export type Month = ReturnType<typeof useMonth>;
