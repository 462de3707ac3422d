// Events of the log of a server, newest first: rows of those that matter and lines of the others as one list. Guards: each event is on one page
// only; a page that did not look at all says how far it came.
import { windowOf } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { iso } from '../../kernel/times.ts';
import { classes } from '../../logs/classes/catalog.gen.ts';
import { sidesOf } from '../../logs/figures/deadlocks.ts';
import { isKept } from '../../logs/kept-classes.ts';
import { type FoundEvents, searchEvents } from './event-search.ts';
import { type EventPosition, isBefore, type LineFilter, searchLines } from './line-search.ts';
import type { EventRow as LoggedEvent } from './log-rows.ts';
import { termsOf } from './search-terms.ts';
import type * as contract from './server-logs.contract.ts';
import type { EventsFilter, Servers } from './server-logs.queries.ts';
import { meaningOf, UNCLASSIFIED } from './server-logs.service.ts';

type Events = Output<typeof contract.listConnectionLogEvents>;
export type LogEventOut = Events['events'][number];
type EventsQuery = Input<typeof contract.listConnectionLogEvents>['query'];
export type EventChoice = Omit<EventsQuery, 'limit' | 'cursor' | 'start_time' | 'end_time' | 'time_range'>;

const PAGE = 50;
const IMPORTANT: ReadonlySet<string> = new Set(classes.filter(isKept).map(({ name }) => name));

type Texts = Omit<LoggedEvent, 'occurred_at' | 'relation_name'>;

const orNull = (text: string) => (text === '' ? null : text);

/** null where the DETAIL is not as PostgreSQL writes it. */
function deadlockSides({ detail, process_id }: Texts): LogEventOut['deadlock_sides'] {
  const sides = sidesOf(detail, Number(process_id));
  if (sides.length < 2) return null;
  return sides.map(({ pid, mode, waits_for, blocked_by, statement, is_victim }) => ({
    ...{ process_id: String(pid), mode, waits_for, statement, is_ended: is_victim },
    blocked_by: blocked_by === null ? null : String(blocked_by),
  }));
}

export function eventOf(id: string, occurred_at: string, row: Texts): LogEventOut {
  const { title, weight } = meaningOf(row.class);
  const { severity, message, figures, is_cut } = row;
  return {
    id,
    occurred_at,
    class: row.class === '' ? UNCLASSIFIED : row.class,
    title,
    weight,
    severity,
    sqlstate: orNull(row.sqlstate),
    database_name: orNull(row.database_name),
    user_name: orNull(row.user_name),
    application_name: orNull(row.application_name),
    process_id: orNull(row.process_id),
    queryid: orNull(row.queryid),
    message,
    detail: orNull(row.detail),
    hint: orNull(row.hint),
    context: orNull(row.context),
    statement: orNull(row.statement),
    figures: { ...figures },
    is_cut,
    deadlock_sides: row.class === 'deadlock' ? deadlockSides(row) : null,
  };
}

/** Names of classes as they are stored, '' of none; undefined: all. */
function classesOf(query: EventChoice): string[] | undefined {
  const named = query.class?.split(',').map((name) => (name === UNCLASSIFIED ? '' : name));
  if (query.important !== true) return named;
  return named?.filter((name) => IMPORTANT.has(name)) ?? [...IMPORTANT];
}

/** What of a query chooses events, whatever their time. */
export function choiceOf(query: EventChoice) {
  const { severity, sqlstate, database_name, user_name, application_name, process_id, queryid } = query;
  return {
    ...{ severity, sqlstate, database_name, user_name, application_name, process_id, queryid },
    classes: classesOf(query),
    terms: termsOf(query.search),
  };
}

function cursorOf(cursor: string | undefined): { place: string; id: string } | undefined {
  const [place, id] = cursor?.split('-') ?? [];
  return place === undefined || id === undefined ? undefined : { place, id };
}

interface ListedEvent extends EventPosition {
  readonly connection_id: number;
  readonly event: LogEventOut;
}

/** Listed ones, and what is before them that was not searched. */
interface Searched {
  readonly found: readonly ListedEvent[];
  readonly end: EventPosition | undefined;
}

const placeOf = ({ place, id }: { place: string; id: string }): EventPosition => ({
  place: Number(place),
  id: BigInt(id),
});

/** Of rows, as several searches found them. */
function searchedRows(all: readonly FoundEvents[]): Searched {
  const found = all.flatMap(({ rows }) =>
    rows.map((row) => ({
      ...placeOf(row),
      connection_id: row.connection_id,
      event: eventOf(row.id, row.occurred_at, row),
    })),
  );
  const ends = all.map(({ end }) => end && placeOf(end));
  return { found, end: endOf(ends[0], ends[1]) };
}

async function linesOf(ctx: Ctx, servers: Servers, filter: LineFilter): Promise<Searched> {
  const { lines, end } = await searchLines(ctx, servers, filter);
  const found = lines.map(({ row, ...of }) => ({
    ...of,
    event: eventOf(String(of.id), iso(row.occurred_at), row),
  }));
  return { found, end };
}

/** Of two ends, where the search of both is complete to. */
function endOf(a: EventPosition | undefined, b: EventPosition | undefined): EventPosition | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return isBefore(a, b) ? b : a;
}

/** One page of the events of some servers, whose rows are searched by `rowsOf`. */
export async function pageOfEvents(
  ctx: Ctx,
  query: EventsQuery,
  { servers, rowsOf }: { servers: Servers; rowsOf: (filter: EventsFilter) => Promise<FoundEvents[]> },
) {
  const { limit = PAGE } = query;
  const window = windowOf(query, { now: ctx.clock.now(), fallback: '24h' });
  const filter = { ...window, ...choiceOf(query), limit: limit + 1 };
  const after = cursorOf(query.cursor);
  const [rows, lines] = await Promise.all([
    rowsOf({ ...filter, after }),
    linesOf(ctx, servers, { ...filter, before: after && placeOf(after) }),
  ]);
  const important = searchedRows(rows);
  const end = endOf(important.end, lines.end);
  const found: ListedEvent[] = [...important.found, ...lines.found]
    .filter((one) => !end || !isBefore(one, end))
    .sort((a, b) => (isBefore(a, b) ? 1 : -1));
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : end;
  return {
    shown,
    next_cursor: last ? `${last.place}-${last.id}` : null,
    searched_back_to: last !== undefined && last === end ? iso(Math.floor(end.place / 1000)) : null,
  };
}

/** The caller has checked access to the connection, and the permission. */
export async function listConnectionLogEvents(
  ctx: Ctx,
  connection_id: number,
  query: EventsQuery,
): Promise<Events> {
  const { shown, ...page } = await pageOfEvents(ctx, query, {
    servers: connection_id,
    rowsOf: (filter) => searchEvents(ctx.db, connection_id, filter),
  });
  return { events: shown.map(({ event }) => event), ...page };
}
