// What the timeline asks of each source of events, and what a source answers.
import type { Db } from '../../kernel/db.ts';
import type { Static } from '../../kernel/schema.ts';
import type { EventKind, FactEvent } from './changed-facts.ts';
import type { AnyType, TimelineEvent } from './timeline.contract.ts';
import type { SeenServer } from './timeline.queries.ts';

export type Event = Static<typeof TimelineEvent>;

export interface TimelineScope {
  /** Those that the caller may read, by id. */
  servers: ReadonlyMap<number, SeenServer>;
  /** Of all that the caller may read, not of some that were named: with what is about no server. */
  isWhole?: boolean;
  types: ReadonlySet<AnyType>;
  /** Milliseconds since the epoch, both inclusive. */
  from: number;
  to: number;
  /** The time now: what lies ahead has not happened. */
  now: number;
  limit: number;
}

export interface TimelinePart {
  /** The newest, at most `limit` of each type. */
  events: Event[];
  total_count: number;
  /** How many there are of each type, where that is known; none of those that are not there. */
  counts?: ReadonlyMap<AnyType, number>;
  /** Types that could not be told, or not all of them, with the reason. */
  incomplete?: readonly { event_type: AnyType; reason: string }[];
}

export type EventText = Pick<Event, 'title' | 'summary' | 'details'>;

/** How changes of facts become events of a type. */
export interface FactKind {
  type: AnyType;
  severity: Event['severity'];
  /** What begins its ids, and what of which probe makes it. */
  from: EventKind;
  words(event: FactEvent, server: SeenServer): EventText;
}

/** One statement of facts, one for all objects that were made, at most three for all that were dropped. */
export type EventSource = (db: Db, asked: TimelineScope) => Promise<TimelinePart>;

/** A time that came as JSON from the datastore, as the API tells times. */
export const utc = (time: string): string => new Date(time).toISOString();
