// The logs of all servers that the caller sees. Guards: where no log was read, a count is null and never zero.
import { windowOf } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { iso } from '../../kernel/times.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { classes } from '../../logs/classes/catalog.gen.ts';
import type * as contract from './estate-logs.contract.ts';
import { BUCKETS, MOST_SERVERS } from './estate-logs.contract.ts';
import { type SeenRow, type SumRow, seenSources, slotsWholeFrom, sumsOfMany } from './estate-logs.queries.ts';
import { searchEventsOfMany } from './event-search.ts';
import { pageOfEvents } from './log-events.service.ts';
import { bucketsOf, piecesOf } from './log-slots.ts';
import { bucketsRead, type ClassCount, classCounts, NO_EVENT, readingOf } from './server-logs.service.ts';

type Counts = Output<typeof contract.getEstateLogCounts>;
type Query = Input<typeof contract.getEstateLogCounts>['query'];
type Server = Counts['servers'][number];
type Events = Output<typeof contract.listEstateLogEvents>;
type EventsQuery = Input<typeof contract.listEstateLogEvents>['query'];

const MOST_CLASSES = 3;

const isGrave = (weight: string) => weight === 'critical' || weight === 'warning';
const GRAVE = classes.filter(({ weight }) => isGrave(weight)).map(({ name }) => name);

const sumOf = (counts: readonly ClassCount[], weight: 'critical' | 'warning' | undefined) =>
  counts.reduce((sum, one) => sum + (one.weight === weight ? one.events : 0), 0);

interface OfServer {
  readonly now: number;
  readonly isRead: readonly boolean[];
  readonly sums: readonly SumRow[];
}

function serverOf(row: SeenRow, { now, isRead, sums }: OfServer): Server {
  const { state, reason } = readingOf(row, now);
  const counts = classCounts(
    sums.flatMap(({ class: name, events, kept }) =>
      name === null ? [] : [{ class: name, bucket: 0, events, kept }],
    ),
    [],
  ).filter((one) => one.class !== NO_EVENT);
  const grave = new Map(sums.flatMap(({ bucket, events }) => (bucket === null ? [] : [[bucket, events]])));
  const [critical, warning] = [sumOf(counts, 'critical'), sumOf(counts, 'warning')];
  return {
    ...{ connection_id: row.connection_id, connection_name: row.connection_name, state, reason },
    ...{ critical, warning },
    others: counts.reduce((sum, { events }) => sum + events, 0) - critical - warning,
    values: isRead.map((read, bucket) => grave.get(bucket) ?? (read ? 0 : null)),
    classes: counts
      .slice(0, MOST_CLASSES)
      .map(({ class: name, title, weight, events }) => ({ class: name, title, weight, events })),
  };
}

const bySeverity = (a: Server, b: Server) =>
  b.critical - a.critical || b.warning - a.warning || b.others - a.others;

export async function getEstateLogCounts(ctx: Ctx, query: Query): Promise<Counts> {
  const now = ctx.clock.now();
  const window = windowOf(query, { now, fallback: '24h' });
  const from = Math.floor(window.from / MINUTE_MS) * MINUTE_MS;
  const { to } = window;
  const { start, width, slots } = bucketsOf({ from, to }, query.buckets ?? BUCKETS);
  const seen = await seenSources(ctx.db, ctx.principal);
  const ids = seen.map(({ connection_id }) => connection_id);
  const pieces = piecesOf({ from, to }, slots, await slotsWholeFrom(ctx.db));
  const rows = await sumsOfMany(ctx.db, { ids, pieces, start, width, grave: GRAVE });
  const byServer = Map.groupBy(rows, ({ connection_id }) => connection_id);
  const read = new Map(
    seen.map((row) => [row.connection_id, bucketsRead({ from: start, to, width }, readingOf(row, now))]),
  );
  const anyRead = Array.from({ length: Math.ceil((to - start) / width) }, (_none, bucket) =>
    [...read.values()].some((one) => one[bucket]),
  );
  const ofAll = (byServer.get(null) ?? []).flatMap(({ class: name, bucket, events, kept }) =>
    name === null || bucket === null ? [] : [{ class: name, bucket, events, kept }],
  );
  const found = classCounts(ofAll, anyRead);
  const servers = seen
    .map((row) => {
      const { connection_id } = row;
      const sums = byServer.get(connection_id) ?? [];
      return serverOf(row, { now, isRead: read.get(connection_id) ?? [], sums });
    })
    .sort(bySeverity);
  return {
    start_time: iso(start),
    end_time: iso(to),
    bucket_seconds: width / 1000,
    total_events: found.reduce((sum, one) => sum + (one.class === NO_EVENT ? 0 : one.events), 0),
    classes: found,
    servers: servers.slice(0, MOST_SERVERS),
    left_out: Math.max(0, servers.length - MOST_SERVERS),
  };
}

/** The caller has checked the permission. */
export async function listEstateLogEvents(ctx: Ctx, query: EventsQuery): Promise<Events> {
  const seen = await seenSources(ctx.db, ctx.principal);
  const names = new Map(seen.map((row) => [row.connection_id, row.connection_name]));
  const servers = [...names.keys()];
  const { shown, ...page } = await pageOfEvents(ctx, query, {
    servers,
    rowsOf: (filter) => searchEventsOfMany(ctx.db, servers, filter),
  });
  const events = shown.map(({ connection_id, event }) => ({
    connection_id,
    connection_name: names.get(connection_id) ?? '',
    event,
  }));
  return { events, ...page };
}
