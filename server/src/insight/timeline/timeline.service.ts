// The timeline of servers. Guards: only servers that the caller may read, each event as it was stored, counted before it
// is cut; one statement for the servers and one for each source, however many servers there are.

import { connectionsNamed, windowBetween } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { factSource } from './fact-events.ts';
import { logSource } from './log-source.ts';
import { objectSource } from './object-events.ts';
import { storedSource } from './stored-events.ts';
import { ALL_TYPES, type AnyType, EVENT_TYPES, type TimelineResult } from './timeline.contract.ts';
import { findServers } from './timeline.queries.ts';
import type { EventSource, TimelinePart, TimelineScope } from './types.ts';

export interface TimelineQuery {
  start_time: string;
  end_time: string;
  connection_id?: number | undefined;
  connection_ids?: string | undefined;
  event_types?: string | undefined;
  include?: 'changes' | undefined;
  limit: number;
}

const MOST_SERVERS = 1000;

/** Whatever events come from is listed here. */
const SOURCES: readonly EventSource[] = [factSource, objectSource, storedSource, logSource];

/** The servers that were named; undefined: all that can be seen. */
export function namedServers(named: Pick<TimelineQuery, 'connection_id' | 'connection_ids'>) {
  const isNamed = named.connection_id !== undefined || named.connection_ids !== undefined;
  return isNamed ? connectionsNamed(named, MOST_SERVERS) : undefined;
}

/** Those that the caller may read; 403 when one was named that is not among them, 404 for a cluster without any. */
export async function serversFor(ctx: Ctx, named: readonly number[] | undefined, clusterId?: number) {
  const servers = await findServers(ctx.db, ctx.principal, { ids: named, cluster_id: clusterId });
  if (named && servers.length < named.length)
    throw new Fault('forbidden', 'You have no access to this connection.');
  if (clusterId !== undefined && servers.length === 0)
    throw new Fault('not_found', 'There is no such cluster with a server that you can see.');
  return new Map(servers.map((server) => [server.id, server]));
}

function typesOf({ event_types: names, include }: TimelineQuery): ReadonlySet<AnyType> {
  const known: readonly AnyType[] = include === 'changes' ? ALL_TYPES : EVENT_TYPES;
  if (names === undefined || names === '') return new Set(known);
  return new Set(
    names.split(',').map((text) => {
      const found = known.find((type) => type === text.trim());
      if (!found) throw new Fault('bad_request', `event_types must be of these: ${known.join(', ')}.`);
      return found;
    }),
  );
}

const newestFirst = (a: TimelinePart['events'][number], b: TimelinePart['events'][number]) =>
  Date.parse(b.occurred_at) - Date.parse(a.occurred_at) || (a.id < b.id ? -1 : Number(a.id > b.id));

/** The newest events of all sources. */
export async function toldOf(
  ctx: Ctx,
  wanted: Omit<TimelineScope, 'now'>,
): Promise<Static<typeof TimelineResult>> {
  const asked: TimelineScope = { ...wanted, now: ctx.clock.now() };
  const told = await Promise.all(SOURCES.map((source) => source(ctx.db, asked)));
  const incomplete = told.flatMap((one) => one.incomplete ?? []);
  return {
    events: told
      .flatMap(({ events }) => events)
      .sort(newestFirst)
      .slice(0, asked.limit),
    total_count: told.reduce((sum, { total_count }) => sum + total_count, 0),
    ...(incomplete.length > 0 && { incomplete }),
  };
}

/** What changed on servers, type by type: the newest of each, and how many there are. */
export async function eventsByType(ctx: Ctx, asked: TimelineScope): Promise<Static<typeof TimelineResult>[]> {
  const told = await Promise.all([factSource(ctx.db, asked), objectSource(ctx.db, asked)]);
  const events = Map.groupBy(
    told.flatMap((one) => one.events),
    ({ event_type }) => event_type,
  );
  return [...asked.types].map((type) => {
    const incomplete = told.flatMap((one) => one.incomplete ?? []).filter((one) => one.event_type === type);
    return {
      events: (events.get(type) ?? []).sort(newestFirst).slice(0, asked.limit),
      total_count: told.reduce((sum, { counts }) => sum + (counts?.get(type) ?? 0), 0),
      ...(incomplete.length > 0 && { incomplete }),
    };
  });
}

export async function listTimelineEvents(
  ctx: Ctx,
  query: TimelineQuery,
): Promise<Static<typeof TimelineResult>> {
  const { start_time, end_time, limit } = query;
  const window = windowBetween(start_time, end_time);
  const types = typesOf(query);
  const named = namedServers(query);
  const servers = await serversFor(ctx, named);
  return toldOf(ctx, { ...window, limit, types, servers, isWhole: named === undefined });
}
