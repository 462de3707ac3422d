// What the timeline asks of each source of events, and what a source answers.
import type { Db } from '../../kernel/db.ts';
import type { Static } from '../../kernel/schema.ts';
import type { EventType, TimelineEvent } from './timeline.contract.ts';
import type { SeenServer } from './timeline.queries.ts';

export type Event = Static<typeof TimelineEvent>;

export interface Asked {
  /** Those that the caller may read, by id. */
  servers: ReadonlyMap<number, SeenServer>;
  types: ReadonlySet<EventType>;
  /** Milliseconds since the epoch, both inclusive. */
  from: number;
  to: number;
  limit: number;
}

export interface Told {
  /** The newest, at most `limit`: by time, then by id. */
  events: Event[];
  total_count: number;
}

/** One statement. */
export type EventSource = (db: Db, asked: Asked) => Promise<Told>;
