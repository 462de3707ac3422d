// What the page reads: blackouts in force, coming and past, those of a month, schedules and their next times. Of a cluster or
// server only what holds for it.
import { useQueries } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useOperation } from '../../api/use-operation.ts';
import type { Place } from './blackout-scopes.ts';
import type { Schedule } from './blackout-words.ts';

const EVERY_MS = 15_000;
/** Of the past so many are shown. */
const PAST = 50;
/** The next times of so many schedules stand in the calendar. */
export const MOST_PLANNED = 20;

export interface Wanted {
  /** Only what holds for this cluster or server, or for a part of it. */
  place: Place | undefined;
}

/** As many as can be named at once. */
const MOST_SERVERS = 1000;

function covering({ place }: Wanted) {
  if (place === undefined) return {};
  return { covers_connection_ids: place.servers.slice(0, MOST_SERVERS).join(',') };
}

export function useInForce(wanted: Wanted) {
  return useOperation(
    'listBlackouts',
    { query: { ...covering(wanted), active: true, limit: 1000 } },
    { everyMs: EVERY_MS },
  );
}

/** `now` as a time that does not change with every second, so that what is read can be kept. */
export function useComing(wanted: Wanted, now: string) {
  const query = { ...covering(wanted), active: false, start_time: now, limit: 1000 };
  return useOperation('listBlackouts', { query }, { everyMs: EVERY_MS, keepPrevious: true });
}

export function usePast(wanted: Wanted, now: string) {
  const query = { ...covering(wanted), active: false, end_time: now, limit: PAST };
  return useOperation('listBlackouts', { query }, { everyMs: EVERY_MS, keepPrevious: true });
}

export function useBetween(wanted: Wanted, { from, to }: { from: number; to: number }) {
  const [start_time, end_time] = [new Date(from).toISOString(), new Date(to).toISOString()];
  const query = { ...covering(wanted), start_time, end_time, limit: 1000 };
  return useOperation('listBlackouts', { query }, { everyMs: EVERY_MS, keepPrevious: true });
}

export function useSchedules() {
  return useOperation('listBlackoutSchedules', { query: { limit: 1000 } }, { everyMs: EVERY_MS });
}

export interface Planned {
  start_time: string;
  end_time: string;
  schedule: Schedule;
}

type Times = Pick<Schedule, 'cron_expression' | 'duration_minutes' | 'timezone'>;

const timesOf = ({ cron_expression, duration_minutes, timezone }: Times): Times => ({
  cron_expression,
  duration_minutes,
  timezone,
});
const timesKey = (times: Times): string => JSON.stringify(timesOf(times));

/** The next ten times of each of these. */
export function usePlanned(schedules: readonly Schedule[]): Planned[] {
  const shown = schedules.filter(({ enabled }) => enabled).slice(0, MOST_PLANNED);
  // Schedules that say the same are asked about once.
  const bodies = [...new Map(shown.map((one) => [timesKey(one), timesOf(one)])).values()];
  const previews = useQueries({
    queries: bodies.map((body) => ({
      queryKey: ['previewBlackoutSchedule', { body }],
      queryFn: ({ signal }: { signal: AbortSignal }) => call('previewBlackoutSchedule', { body }, signal),
      staleTime: 60_000,
    })),
  });
  const answers = new Map(bodies.map((body, index) => [timesKey(body), previews[index]?.data]));
  return shown.flatMap((schedule) =>
    (answers.get(timesKey(schedule))?.occurrences ?? []).map(({ start_time, end_time }) => ({
      start_time,
      end_time,
      schedule,
    })),
  );
}
