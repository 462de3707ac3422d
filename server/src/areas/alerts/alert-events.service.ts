// What happened to alerts, for rooms that tell of a time. Access to the connections has been checked.
import type { Db } from '../../kernel/db.ts';
import { type AlertEventRow, type EventsAsked, listEvents } from './alert-events.queries.ts';

export type { AlertEventRow, EventsAsked, ToldEvent } from './alert-events.queries.ts';

/** One statement. */
export async function alertEvents(
  db: Db,
  asked: EventsAsked,
): Promise<{ events: AlertEventRow[]; total: number }> {
  if (asked.types.length === 0 || asked.connection_ids.length === 0) return { events: [], total: 0 };
  const events = await listEvents(db, asked);
  return { events, total: events[0]?.total ?? 0 };
}
