// The timeline of servers. Guards: only servers that the caller may read, each event as it was stored, counted before it
// is cut; one statement for the servers and one for each source, however many servers there are.
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import type { Ctx } from '../access/principal.ts';
import { factSource } from './fact-events.ts';
import { EVENT_TYPES, type EventType, type TimelineResult } from './timeline.contract.ts';
import { findServers } from './timeline.queries.ts';
import type { Asked, EventSource, Told } from './types.ts';

export interface TimelineQuery {
  start_time: string;
  end_time: string;
  connection_id?: number | undefined;
  connection_ids?: string | undefined;
  event_types?: string | undefined;
  limit: number;
}

const MOST_SERVERS = 1000;
const MAX_ID = 2147483647;

/** Whatever events come from is listed here: alerts and blackouts, of which nothing is stored yet, will be as well. */
const SOURCES: readonly EventSource[] = [factSource];

/** The window in milliseconds since the epoch. */
export function windowOf(start_time: string, end_time: string): { from: number; to: number } {
  const [from, to] = [start_time, end_time].map(
    (text) => Temporal.Instant.from(text.toUpperCase()).epochMilliseconds,
  );
  if (from === undefined || to === undefined || !(to > from))
    throw new Fault('bad_request', 'end_time must be after start_time.');
  return { from, to };
}

/** The servers that were named; undefined: all that can be seen. */
export function namedServers(id: number | undefined, ids: string | undefined): number[] | undefined {
  if (id === undefined && ids === undefined) return undefined;
  const listed = ids === undefined ? [] : ids.split(',').map(Number);
  if (listed.some((one) => one < 1 || one > MAX_ID))
    throw new Fault('bad_request', 'connection_ids must be ids with commas between, like 1,2,3.');
  const named = [...new Set([...(id === undefined ? [] : [id]), ...listed])];
  if (named.length > MOST_SERVERS)
    throw new Fault('bad_request', `connection_ids may name at most ${MOST_SERVERS} connections.`);
  return named;
}

/** Those that the caller may read; 403 when one was named that is not among them. */
export async function serversFor(ctx: Ctx, named: readonly number[] | undefined) {
  const servers = await findServers(ctx.db, ctx.principal, named);
  if (named && servers.length < named.length)
    throw new Fault('forbidden', 'You have no access to this connection.');
  return new Map(servers.map((server) => [server.id, server]));
}

const isType = (name: string): name is EventType => EVENT_TYPES.some((type) => type === name);

function typesOf(names: string | undefined): ReadonlySet<EventType> {
  if (names === undefined || names === '') return new Set(EVENT_TYPES);
  const asked = names.split(',').map((name) => name.trim());
  return new Set(
    asked.map((name) => {
      if (!isType(name))
        throw new Fault('bad_request', `event_types must be of these: ${EVENT_TYPES.join(', ')}.`);
      return name;
    }),
  );
}

const newestFirst = (a: Told['events'][number], b: Told['events'][number]) =>
  Date.parse(b.occurred_at) - Date.parse(a.occurred_at) || (a.id < b.id ? -1 : Number(a.id > b.id));

export async function listTimelineEvents(
  ctx: Ctx,
  query: TimelineQuery,
): Promise<Static<typeof TimelineResult>> {
  const asked = { ...windowOf(query.start_time, query.end_time), limit: query.limit };
  const types = typesOf(query.event_types);
  const servers = await serversFor(ctx, namedServers(query.connection_id, query.connection_ids));
  const of: Asked = { ...asked, types, servers };
  const told = await Promise.all(SOURCES.map((source) => source(ctx.db, of)));
  return {
    events: told
      .flatMap(({ events }) => events)
      .sort(newestFirst)
      .slice(0, query.limit),
    total_count: told.reduce((sum, { total_count }) => sum + total_count, 0),
  };
}
