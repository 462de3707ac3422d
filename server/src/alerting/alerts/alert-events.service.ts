// What happened to alerts, for rooms that tell of a time. Access to the connections has been checked.
import type { Sql } from '../../kernel/sql.ts';
import { type EventsAsked, eventsPart } from './alert-events.queries.ts';

export type { AlertEventRow, ToldEvent } from './alert-events.queries.ts';

/** A part of a statement: rows as `AlertEventRow`, the newest first, at most `limit` of them. */
export const alertEvents = (asked: EventsAsked): Sql => eventsPart(asked);
