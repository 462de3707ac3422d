// What the page reads: silences in force, coming and past, those of a month, schedules and what they will make. Of a cluster or
// server only what holds for it.
import { useOperation } from '../../../api/use-operation.ts';
import type { BlackoutScope } from './blackout-scopes.ts';

const EVERY_MS = 15_000;
/** Of the past so many are shown. */
const PAST = 50;

export interface BlackoutsRequest {
  /** Only what holds for this cluster or server, or for a part of it. */
  place: BlackoutScope | undefined;
}

/** As many as can be named at once. */
const MOST_SERVERS = 1000;

function covering({ place }: BlackoutsRequest) {
  if (place === undefined) return {};
  return { covers_connection_ids: place.servers.slice(0, MOST_SERVERS).join(',') };
}

export function useInForce(wanted: BlackoutsRequest) {
  return useOperation(
    'listBlackouts',
    { query: { ...covering(wanted), active: true, limit: 1000 } },
    { everyMs: EVERY_MS },
  );
}

/** `now` as a time that does not change with every second, so that what is read can be kept. */
export function useComing(wanted: BlackoutsRequest, now: string) {
  const query = { ...covering(wanted), active: false, start_time: now, limit: 1000 };
  return useOperation('listBlackouts', { query }, { everyMs: EVERY_MS, keepPrevious: true });
}

export function usePast(wanted: BlackoutsRequest, now: string) {
  const query = { ...covering(wanted), active: false, end_time: now, limit: PAST };
  return useOperation('listBlackouts', { query }, { everyMs: EVERY_MS, keepPrevious: true });
}

export function useBetween(wanted: BlackoutsRequest, { from, to }: { from: number; to: number }) {
  const [start_time, end_time] = [new Date(from).toISOString(), new Date(to).toISOString()];
  const query = { ...covering(wanted), start_time, end_time, limit: 1000 };
  return useOperation('listBlackouts', { query }, { everyMs: EVERY_MS, keepPrevious: true });
}

export function useSchedules() {
  return useOperation('listBlackoutSchedules', { query: { limit: 1000 } }, { everyMs: EVERY_MS });
}

/** What the enabled schedules will make. */
export function usePlanned({ from, to }: { from: number; to: number }) {
  const [start_time, end_time] = [new Date(from).toISOString(), new Date(to).toISOString()];
  return useOperation(
    'listPlannedBlackouts',
    { query: { start_time, end_time } },
    { everyMs: EVERY_MS, keepPrevious: true },
  );
}
