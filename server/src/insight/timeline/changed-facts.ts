// What changed of slow facts (settings, extensions, roles, server identity) between two times. One statement. Guards: what was there
// when a server was first looked at is no change; a change has the time at which it was first seen; what differs because another
// server answers says so; of columns that are not named nothing is told.
import type { Db } from '../../kernel/db.ts';
import type { Row } from '../../store/layout/types.ts';
import { type EventKind, type EventsQuery, factEvents } from './changed-facts.queries.ts';

export type { EventKind };

/** One item of an event, with the columns of its kind. */
export interface EventChange {
  database_name: string;
  /** Null: it was not there. */
  before: Row | null;
  /** Null: it is gone. */
  after: Row | null;
  /** Another server answers at the address: it is no change of the one before. */
  is_switch: boolean;
}

export interface FactEvent {
  kind: string;
  connection_id: number;
  at: string;
  /** All of them; `changes` holds the first `most`. */
  change_count: number;
  changes: EventChange[];
}

/** What changed at each look at a server, the newest of each kind first, and how many such events there are of it without the limit. */
export async function factEventsBetween(
  db: Db,
  query: EventsQuery,
): Promise<{ events: FactEvent[]; counts: ReadonlyMap<string, number> }> {
  if (query.kinds.length === 0 || query.connection_ids.length === 0) return { events: [], counts: new Map() };
  const rows = await db.rows<FactEvent & { total_count: number }>(factEvents(query));
  return {
    events: rows.map(({ total_count: _total, ...event }) => event),
    counts: new Map(rows.map(({ kind, total_count }) => [kind, total_count])),
  };
}
