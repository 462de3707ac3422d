// Blackouts as events of a timeline. Guards: only those that hold for one of the servers that are given, which the caller may
// read; nothing that lies ahead.
import type { Db } from '../../kernel/db.ts';
import { type BlackoutEventRow, listEvents } from './events.queries.ts';

export type { BlackoutEventRow } from './events.queries.ts';

export interface BlackoutEventsAsked {
  connection_ids: readonly number[];
  types: readonly string[];
  /** Milliseconds since the epoch, both inclusive. */
  from: number;
  to: number;
  now: number;
  limit: number;
}

/** In one statement, the newest first, at most `limit` of them. */
export async function blackoutEvents(db: Db, asked: BlackoutEventsAsked): Promise<BlackoutEventRow[]> {
  const { connection_ids, types, from, now, limit } = asked;
  const to = Math.min(asked.to, now);
  if (types.length === 0 || connection_ids.length === 0 || to < from) return [];
  const iso = (ms: number) => new Date(ms).toISOString();
  return listEvents(db, { connection_ids, types, from: iso(from), to: iso(to), limit });
}
