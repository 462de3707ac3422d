// What happened on servers within the time of a report, apart from what was found: changes of role, restarts, deadlocks, lock waits,
// dropped indexes, statements that got slower, databases that grew, alerts. Access to the servers has been checked. Guards: what was not measured has its reason; on a
// server whose history begins within the time, statements are compared with the first half of that history.

import { alertsFired } from '../../alerting/alerting.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { cutText } from '../../kernel/inert-text.ts';
import type { Static } from '../../kernel/schema.ts';
import { shownCount, shownValue, wholeNumber } from '../../kernel/shown-value.ts';
import { catalogProbe } from '../../probes/catalog-probe.ts';
import { metricOf } from '../../probes/metrics.ts';
import { metricBuckets } from '../../store/read/doors/buckets.ts';
import { factSource } from './fact-events.ts';
import type { HappenedEvent, HappenedGap } from './happened.schemas.ts';
import { notMeasured } from './not-measured.ts';
import { MOST_SERVERS_READ, objectSource } from './object-events.ts';
import { slowerStatements } from './slower-statements.ts';
import { addedAt, type SeenServer } from './timeline.queries.ts';

type Happened = Static<typeof HappenedEvent>;

interface PastEventsRequest {
  servers: ReadonlyMap<number, SeenServer>;
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  now: number;
}

interface Part {
  happened: Happened[];
  not_told: Static<typeof HappenedGap>[];
  /** Before it was cut. */
  total: number;
}

/** Of each kind. */
const MOST = 20;
/** A lock is held that long every day. */
const LEAST_WAIT_SECONDS = 10;
const LONGEST_TEXT = 200;

const listed = (happened: readonly Happened[], total = happened.length): Part => ({
  happened: happened.slice(0, MOST),
  not_told: [],
  total,
});

const placeOf = (connection_id: number, { servers }: PastEventsRequest) => ({
  connection_id,
  server_name: servers.get(connection_id)?.name ?? '',
});

interface PastMetricRequest {
  probe: string;
  metrics: readonly string[];
  aggregate: 'sum' | 'max' | 'last';
  group_by: readonly string[];
  buckets?: number;
}

/** The metrics over the whole time, of each server and group. */
function wholeOf(
  db: Db,
  { servers, from, to }: PastEventsRequest,
  { probe: name, metrics, buckets = 1, ...how }: PastMetricRequest,
) {
  const probe = catalogProbe(name);
  const declared = metrics.flatMap((metric) => metricOf(probe, metric) ?? []);
  if (declared.length < metrics.length) throw new Error(`${name} lacks one of ${metrics.join(', ')}`);
  const window = { connection_ids: [...servers.keys()], from, to, buckets };
  return metricBuckets(db, { probe, metrics: declared, ...window, ...how });
}

/** Of those servers; one that is not monitored lacks nothing. */
const without = ({ servers }: PastEventsRequest, measured: ReadonlySet<number>) =>
  [...servers.values()].filter(({ id, is_monitored }) => is_monitored && !measured.has(id));

const minuteOf = (time: string) => time.slice(0, 16).replace('T', ' ');
const nameOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);

const deadlockWords = (count: number) =>
  `${wholeNumber(count)} ${count === 1 ? 'deadlock' : 'deadlocks'}; the server ended a transaction of each.`;

type Series = Awaited<ReturnType<typeof wholeOf>>;

const measuredIn = (found: Series) =>
  new Set(found.filter(({ whole }) => whole !== null).map(({ connection_id }) => connection_id));

async function deadlocks(ctx: Ctx, asked: PastEventsRequest): Promise<Part> {
  const probe = 'pg_stat_database';
  const how = { aggregate: 'sum', group_by: ['datname'] } as const;
  const found = await wholeOf(ctx.db, asked, { probe, metrics: ['deadlocks'], ...how });
  const counted = found.flatMap(({ connection_id, group, whole }): Happened[] => {
    if (whole === null) return [];
    const count = Math.round(whole);
    const database_name = nameOf(group.datname);
    const place = placeOf(connection_id, asked);
    return count > 0
      ? [{ kind: 'deadlocks', ...place, database_name, count, message: deadlockWords(count) }]
      : [];
  });
  const servers = without(asked, measuredIn(found));
  return {
    ...listed(counted.sort((a, b) => (b.count ?? 0) - (a.count ?? 0))),
    not_told: await notMeasured(ctx, { kind: 'deadlocks', probe, metrics: ['deadlocks'], servers }),
  };
}

/** An age is null where nothing waits and where nothing was read; the count of what waits is null only where nothing was read. */
const LOCK_METRICS = ['max_lock_wait_seconds', 'blocked_count'];

async function lockWaits(ctx: Ctx, asked: PastEventsRequest): Promise<Part> {
  const probe = 'pg_stat_activity';
  const found = await wholeOf(ctx.db, asked, {
    probe,
    metrics: LOCK_METRICS,
    aggregate: 'max',
    group_by: [],
  });
  const waits = found.flatMap(({ metric, connection_id, whole }) =>
    metric.name === 'max_lock_wait_seconds' && whole !== null && whole >= LEAST_WAIT_SECONDS
      ? [{ connection_id, seconds: whole }]
      : [],
  );
  const longest = waits.sort((a, b) => b.seconds - a.seconds);
  const happened = longest.map(
    ({ connection_id, seconds }): Happened => ({
      kind: 'lock_wait',
      ...placeOf(connection_id, asked),
      database_name: null,
      count: null,
      message: `A statement waited for a lock for ${shownValue(seconds, 'seconds')}, the longest wait that was read.`,
    }),
  );
  const servers = without(asked, measuredIn(found));
  const unmeasured = { kind: 'lock_wait', probe, metrics: LOCK_METRICS, servers } as const;
  return { ...listed(happened), not_told: await notMeasured(ctx, unmeasured) };
}

/** Failovers and restarts, the newest first. */
async function serverChanges({ db }: Ctx, asked: PastEventsRequest): Promise<Part> {
  const types = ['role_change', 'restart'] as const;
  const told = await factSource(db, { ...asked, types: new Set(types), limit: MOST });
  const happened = types.flatMap((kind) =>
    told.events
      .filter(({ event_type }) => event_type === kind)
      .map(
        ({ connection_id, occurred_at, summary }): Happened => ({
          kind,
          ...placeOf(connection_id, asked),
          database_name: null,
          count: null,
          message: `${summary.replace(/\.$/, '')} (seen ${minuteOf(occurred_at)} UTC).`,
        }),
      ),
  );
  return { ...listed(happened, told.total_count), happened };
}

async function droppedIndexes({ db }: Ctx, asked: PastEventsRequest): Promise<Part> {
  const told = await objectSource(db, { ...asked, types: new Set(['index_dropped']), limit: MOST });
  const happened = told.events.map(
    ({ connection_id, occurred_at, summary, details }): Happened => ({
      kind: 'index_dropped',
      ...placeOf(connection_id, asked),
      database_name: null,
      count: Number(details?.change_count ?? 1),
      message: `${summary.replace(/\.$/, '')} (seen ${minuteOf(occurred_at)} UTC).`,
    }),
  );
  const reasons = (told.incomplete ?? []).map(({ reason }) => ({ kind: 'index_dropped' as const, reason }));
  return { ...listed(happened, told.total_count), not_told: reasons };
}

type Slower = Awaited<ReturnType<typeof slowerStatements>>['statements'][number];

const shownMs = (ms: number) => shownValue(Number(ms.toPrecision(3)), 'ms');

function slowerWords({ query_text, queryid, mean_time_ms, previous_mean_time_ms, calls }: Slower): string {
  const text = query_text === null ? `Statement ${queryid}` : query_text.replaceAll(/\s+/g, ' ');
  const means = `${shownMs(mean_time_ms)} a call, ${shownMs(previous_mean_time_ms)} before`;
  return `${cutText(text, LONGEST_TEXT)}: ${means}, ${shownCount(calls, 'call')}.`;
}

/** Windows to compare: of servers with a history before the time the whole time, of each of the others the second half of its own. */
function comparedWindows(asked: PastEventsRequest, since: ReadonlyMap<number, number>): PastEventsRequest[] {
  const { servers, from, to } = asked;
  const isNew = ([id]: [number, SeenServer]) => (since.get(id) ?? from) > from;
  const all = [...servers];
  const known = all.filter((one) => !isNew(one));
  const halves = all.filter(isNew).map(([id, server]) => ({
    ...asked,
    servers: new Map([[id, server]]),
    from: Math.round(((since.get(id) ?? from) + to) / 2),
  }));
  return [...(known.length > 0 ? [{ ...asked, servers: new Map(known) }] : []), ...halves];
}

async function slower({ db }: Ctx, asked: PastEventsRequest): Promise<Part> {
  if (asked.servers.size > MOST_SERVERS_READ) {
    const reason = `Slower statements are listed for at most ${MOST_SERVERS_READ} servers at once. Choose fewer servers.`;
    return { ...listed([]), not_told: [{ kind: 'slower_statement', reason }] };
  }
  const since = await addedAt(db, [...asked.servers.keys()]);
  const found = await Promise.all(
    comparedWindows(asked, since)
      .filter(({ from, to }) => to > from)
      .map((one) => slowerStatements(db, { ...one, types: new Set(), limit: MOST })),
  );
  const statements = found.flatMap((one) => one.statements).sort((a, b) => b.total_time_ms - a.total_time_ms);
  return listed(
    statements.map((one) => ({
      kind: 'slower_statement',
      ...placeOf(one.connection_id, asked),
      database_name: one.database,
      count: Math.round(one.calls),
      message: slowerWords(one),
    })),
    found.reduce((sum, one) => sum + one.total_count, 0),
  );
}

/** Less growth is no news. */
const [LEAST_GROWTH_BYTES, LEAST_GROWTH_SHARE] = [100 * 1024 ** 2, 0.05];
/** The first and the last of them in which it was measured are compared. */
const GROWTH_BUCKETS = 24;

/** Databases that are notably larger at the end than they were at the beginning. */
async function growth({ db }: Ctx, asked: PastEventsRequest): Promise<Part> {
  const found = await wholeOf(db, asked, {
    ...{ probe: 'pg_database', metrics: ['database_size_bytes'], aggregate: 'last' },
    ...{ group_by: ['datname'], buckets: GROWTH_BUCKETS },
  });
  const grown = found.flatMap(({ connection_id, group, values }): (Happened & { count: number })[] => {
    const known = values.filter((value) => value !== null);
    const [before, after] = [known[0], known.at(-1)];
    if (before === undefined || after === undefined) return [];
    const count = Math.round(after - before);
    if (count < LEAST_GROWTH_BYTES || count < LEAST_GROWTH_SHARE * before) return [];
    const sizes = `from ${shownValue(before, 'bytes')} to ${shownValue(after, 'bytes')}`;
    const message = `The database grew by ${shownValue(count, 'bytes')}, ${sizes}.`;
    const database_name = nameOf(group.datname);
    return [{ kind: 'growth', ...placeOf(connection_id, asked), database_name, count, message }];
  });
  return listed(grown.sort((a, b) => b.count - a.count));
}

/** "critical"; of several "2 critical, 1 warning". */
function severityWords(counts: Awaited<ReturnType<typeof alertsFired>>[number]['by_severity']): string {
  const found = (['critical', 'warning', 'info'] as const).filter((one) => counts[one] !== null);
  return found
    .map((one) => (found.length === 1 ? one : `${wholeNumber(Number(counts[one]))} ${one}`))
    .join(', ');
}

async function alerts({ db }: Ctx, asked: PastEventsRequest): Promise<Part> {
  const [start_time, end_time] = [new Date(asked.from).toISOString(), new Date(asked.to).toISOString()];
  const connection_ids = [...asked.servers.keys()];
  const rows = await alertsFired(db, { connection_ids, start_time, end_time, limit: MOST });
  const happened = rows.map(({ connection_id, also_on, title, by_severity, fired, open }): Happened => {
    const times = fired === 1 ? 'once' : `${wholeNumber(fired)} times`;
    const rest = open > 0 ? `, ${open === fired ? 'not cleared' : `${open} of them not cleared`}` : '';
    const place = placeOf(connection_id, asked);
    const also = also_on.map((id) => placeOf(id, asked).server_name).sort();
    const message = `${title}: fired ${times} (${severityWords(by_severity)})${rest}${also.length === 0 ? '' : `; also on ${also.join(', ')}`}.`;
    return { kind: 'alert', ...place, database_name: null, count: fired, message };
  });
  return listed(happened, rows[0]?.total ?? 0);
}

/** In the order of a day's work: what broke first, then what may have caused it, then what was sent. */
const KINDS = [serverChanges, deadlocks, lockWaits, droppedIndexes, alerts];
/** What is slower or larger than before. */
const DECLINES = [slower, growth];

const totalOf = (parts: readonly Part[]) => parts.reduce((sum, { total }) => sum + total, 0);

export async function happenedOn(ctx: Ctx, asked: PastEventsRequest) {
  const read = (kinds: typeof KINDS) => Promise.all(kinds.map((kind) => kind(ctx, asked)));
  const [events, declines] =
    asked.servers.size === 0 ? [[], []] : await Promise.all([read(KINDS), read(DECLINES)]);
  return {
    happened: events.flatMap((part) => part.happened),
    happened_total: totalOf(events),
    declined: declines.flatMap((part) => part.happened),
    declined_total: totalOf(declines),
    not_told: [...events, ...declines].flatMap((part) => part.not_told),
  };
}
