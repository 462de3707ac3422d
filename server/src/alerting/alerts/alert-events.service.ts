// What happened to alerts, for rooms that tell of a time. Access to the connections has been checked.
import type { Sql } from '../../kernel/sql.ts';
import { type AlertEventsFilter, eventsPart } from './alert-events.queries.ts';

export type { AlertEventRow, ShownAlertEvent } from './alert-events.queries.ts';

/** A part of a statement: rows as `AlertEventRow`, the newest first, at most `limit` of them. */
export const alertEvents = (asked: AlertEventsFilter): Sql => eventsPart(asked);
