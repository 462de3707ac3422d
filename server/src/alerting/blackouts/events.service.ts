// Blackouts as events of a timeline. Guards: only those that hold for one of the servers that are given, which the caller may
// read; nothing that lies ahead.
import type { Sql } from '../../kernel/sql.ts';
import { iso } from '../../kernel/times.ts';
import { eventsPart } from './events.queries.ts';

export type { BlackoutEventRow } from './events.queries.ts';

export interface BlackoutEventsRequest {
  connection_ids: readonly number[];
  types: readonly string[];
  /** Milliseconds since the epoch, both inclusive. */
  from: number;
  to: number;
  now: number;
  limit: number;
}

/** A part of a statement: rows as `BlackoutEventRow`, the newest first, at most `limit` of them. */
export function blackoutEvents(asked: BlackoutEventsRequest): Sql {
  const { connection_ids, types, from, now, limit } = asked;
  return eventsPart({ connection_ids, types, from: iso(from), to: iso(Math.min(asked.to, now)), limit });
}
