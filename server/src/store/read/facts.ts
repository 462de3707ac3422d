// Slow facts (settings, extensions, roles, server identity) as they were at a time, and what changed between two times.
// One statement each. Guards: what was there when a server was first looked at is no change; a change has the time at
// which it was first seen; what differs because another server answers is none; of columns that are not named nothing is told.
import type { Db } from '../../kernel/db.ts';
import type { ProbeName } from '../../probes/catalog.gen.ts';
import type { Row } from '../layout/types.ts';
import { type EventKind, type EventsWanted, factChanges, factEvents, factsAtTime } from './facts.queries.ts';

export type { EventKind };

export interface FactsQuery {
  connection_ids: readonly number[];
  probes: readonly (ProbeName | (string & {}))[];
  /** Milliseconds since the epoch; now when absent. */
  at?: number;
  database_name?: string;
  item_keys?: readonly string[];
}

export interface Fact {
  connection_id: number;
  probe: string;
  database_name: string;
  item_key: string;
  valid_from: string;
  /** Null: it still is so. */
  valid_to: string | null;
  value: Row;
}

export const factsAt = (db: Db, query: FactsQuery): Promise<Fact[]> =>
  db.rows<Fact>(factsAtTime({ at: undefined, database_name: undefined, item_keys: undefined, ...query }));

export interface ChangesQuery {
  connection_ids: readonly number[];
  probes: readonly (ProbeName | (string & {}))[];
  /** Milliseconds since the epoch, both inclusive. */
  from: number;
  to: number;
  limit: number;
}

export interface Change {
  connection_id: number;
  probe: string;
  database_name: string;
  item_key: string;
  at: string;
  /** Null: it was not there. */
  before: Row | null;
  /** Null: it is gone. */
  after: Row | null;
}

/** The newest first. */
export const changesBetween = (db: Db, query: ChangesQuery): Promise<Change[]> =>
  db.rows<Change>(factChanges(query));

/** One item of it, with the columns of its kind. */
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
  query: EventsWanted,
): Promise<{ events: FactEvent[]; counts: ReadonlyMap<string, number> }> {
  if (query.kinds.length === 0 || query.connection_ids.length === 0) return { events: [], counts: new Map() };
  const rows = await db.rows<FactEvent & { total_count: number }>(factEvents(query));
  return {
    events: rows.map(({ total_count: _total, ...event }) => event),
    counts: new Map(rows.map(({ kind, total_count }) => [kind, total_count])),
  };
}
