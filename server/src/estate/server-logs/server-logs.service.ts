// What was read of the log of a server. Guards: where the log was not read, a count is null and never zero, and the answer says what turns
// reading on.

import { windowOf } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { iso } from '../../kernel/times.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { classes } from '../../logs/classes/catalog.gen.ts';
import type { Weight } from '../../logs/types.ts';
import { logsScriptFor } from '../connections/log-script.service.ts';
import type * as contract from './server-logs.contract.ts';
import * as queries from './server-logs.queries.ts';

/** Without names, which only people look at. */
type Counts = Omit<Output<typeof contract.getConnectionLogCounts>, 'names'>;
type CountsQuery = Input<typeof contract.getConnectionLogCounts>['query'];
export type ClassCount = Counts['classes'][number];

const BUCKETS = 60;
/** Collectors look at least every ten minutes, also where nothing can be read. */
const STALE_MS = 25 * MINUTE_MS;
export const ORDER: readonly Weight[] = ['critical', 'warning', 'info', 'normal'];

interface Meaning {
  readonly title: string;
  readonly weight: Weight;
  readonly meaning: string;
  readonly remedy: string;
}

export const UNCLASSIFIED = 'unclassified';
export const NO_EVENT = 'no_event';

const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ...classes.map((one) => [one.name, one] as const),
  [
    NO_EVENT,
    {
      title: 'Lines that belong to no event',
      weight: 'info',
      meaning: 'Lines that are not written as log_line_prefix says, such as those of another program.',
      remedy: 'Look into the log file if there are many.',
    },
  ],
]);

const UNKNOWN: Meaning = {
  title: 'Unclassified',
  weight: 'normal',
  meaning:
    'Events that Matriarch has no class for. They are counted, and their texts are kept for seven days.',
  remedy: 'Read their texts if there are many.',
};

export const meaningOf = (name: string): Meaning =>
  MEANINGS.get(name) ?? (name === '' ? UNKNOWN : { ...UNKNOWN, title: name });

const OFF =
  'The log of this server has never been read. Start Matriarch with --collector-read-logs (or MATRIARCH_COLLECTOR_READ_LOGS=true), and run this script on the server.';
const STOPPED =
  'The log has not been read lately. Either collector.read_logs is off, or the server cannot be reached.';
const SILENT = {
  otlp: 'No log record has come by OTLP for 25 minutes. Either the server wrote none, or the client does not send.',
  syslog:
    'No log message has come by syslog for 25 minutes. Either the server wrote none, or it does not send.',
};
const UNMONITORED = 'Monitoring of this connection is switched off.';

export function readingOf(row: queries.SourceRow | undefined, now: number): Counts['reading'] {
  const {
    format = null,
    reason = null,
    mend = null,
    looked_at = null,
    read_until = null,
    reading_since: since = null,
  } = row ?? {};
  const times = { since, looked_at, read_until };
  if (looked_at === null) {
    const script = row ? logsScriptFor(row.username) : null;
    return { state: 'never', format, ...times, reason: OFF, mend: script };
  }
  if (now - Date.parse(looked_at) > STALE_MS) {
    const reading = format === 'otlp' || format === 'syslog' ? SILENT[format] : STOPPED;
    const why = row?.is_monitored === false ? UNMONITORED : reading;
    return { state: 'stale', format, ...times, reason: why, mend: null };
  }
  return { state: format === null ? 'unreadable' : 'reading', format, ...times, reason, mend };
}

/** How reading of the log is doing. The caller has checked access to the connection. */
export async function logReading(ctx: Ctx, connection_id: number): Promise<Counts['reading']> {
  return readingOf(await queries.findSource(ctx.db, connection_id), ctx.clock.now());
}

const msOf = (time: string | null) => (time === null ? Number.NaN : Date.parse(time));

/** Which buckets were read as a whole or in part; where reading is behind, as a whole. */
export function bucketsRead(
  { from, to, width }: Pick<queries.Grid, 'from' | 'to' | 'width'>,
  { since, looked_at, read_until }: Counts['reading'],
): boolean[] {
  return Array.from({ length: Math.ceil((to - from) / width) }, (_, bucket) => {
    const begins = from + bucket * width;
    const ends = begins + width;
    const isKnown = read_until === null || ends <= msOf(read_until);
    return ends > msOf(since) && begins <= msOf(looked_at) && isKnown;
  });
}

export function classCounts(rows: readonly queries.CountRow[], isRead: readonly boolean[]): ClassCount[] {
  const byClass = Map.groupBy(rows, (row) => row.class);
  const found = [...byClass].map(([name, own]): ClassCount => {
    const { title, weight, meaning, remedy } = meaningOf(name);
    const inBucket = new Map(own.map(({ bucket, events }) => [bucket, events]));
    return {
      class: name === '' ? UNCLASSIFIED : name,
      title,
      weight,
      meaning,
      remedy,
      events: own.reduce((sum, { events }) => sum + events, 0),
      kept: own.reduce((sum, { kept }) => sum + kept, 0),
      values: isRead.map((read, bucket) => inBucket.get(bucket) ?? (read ? 0 : null)),
    };
  });
  return found.toSorted(
    (a, b) =>
      ORDER.indexOf(a.weight) - ORDER.indexOf(b.weight) ||
      b.events - a.events ||
      (a.class < b.class ? -1 : 1),
  );
}

/** The caller has checked access to the connection. */
export async function getConnectionLogCounts(
  ctx: Ctx,
  connection_id: number,
  query: CountsQuery,
): Promise<Counts> {
  const now = ctx.clock.now();
  const window = windowOf(query, { now, fallback: '24h' });
  const from = Math.floor(window.from / MINUTE_MS) * MINUTE_MS;
  const { to } = window;
  const width = Math.max(1, Math.ceil((to - from) / (query.buckets ?? BUCKETS) / MINUTE_MS)) * MINUTE_MS;
  const grid = { connection_id, from, to, width, database_name: query.database_name };
  const [source, rows, sqlstates, gaps, lost] = await Promise.all([
    queries.findSource(ctx.db, connection_id),
    queries.countsByBucket(ctx.db, grid),
    queries.countsBySqlstate(ctx.db, grid),
    queries.newestGaps(ctx.db, grid),
    queries.bucketsWithGaps(ctx.db, grid),
  ]);
  const reading = readingOf(source, now);
  // What was in bytes that were never read is not known, so no count is not zero there.
  const unknown = new Set(lost.map(({ bucket }) => bucket));
  const isRead = bucketsRead(grid, reading).map((read, bucket) => read && !unknown.has(bucket));
  const found = classCounts(rows, isRead);
  return {
    connection_id,
    start_time: iso(from),
    end_time: iso(to),
    bucket_seconds: width / 1000,
    reading,
    total_events: found.reduce((sum, one) => sum + (one.class === NO_EVENT ? 0 : one.events), 0),
    classes: found,
    sqlstates,
    gap_bytes: gaps[0]?.total_bytes ?? 0,
    gaps: gaps.map(({ noticed_at, file_name, bytes, reason }) => ({ noticed_at, file_name, bytes, reason })),
  };
}
