// How many live questions a server has room for: a tenth of the session slots that were free when they were counted last.
// Guards: a server that is nearly full loses no more than one slot to us; what was not read, or long ago, is not guessed.

import type { Ctx } from '../../identity/identity.ts';
import { probe as activity } from '../../probes/pg-stat-activity.ts';
import { isCurrent } from '../../store/layout/intervals.ts';
import { type SessionSlots, sessionSlots } from './live-room.queries.ts';

const SLOTS_FOR_ONE = 10;

/** Pure; undefined when the limit or the sessions are not known at `now` (milliseconds since the epoch). */
export function liveRoom(slots: SessionSlots, now: number): number | undefined {
  const { max_connections, superuser_reserved_connections, reserved_connections } = slots;
  const { sessions, collected_at } = slots;
  if (max_connections === null || sessions === null || collected_at === null) return undefined;
  if (!isCurrent(Date.parse(collected_at), now, activity.intervalSeconds)) return undefined;
  const reserved = Number(superuser_reserved_connections ?? 0) + Number(reserved_connections ?? 0);
  const free = Number(max_connections) - reserved - sessions;
  return Number.isFinite(free) ? Math.max(1, Math.floor(free / SLOTS_FOR_ONE)) : undefined;
}

export async function readLiveRoom({ db, clock }: Ctx, connectionId: number): Promise<number | undefined> {
  return liveRoom(await sessionSlots(db, connectionId), clock.now());
}
