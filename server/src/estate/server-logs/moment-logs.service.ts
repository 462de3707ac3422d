// The log of a server around one second. Guards: what the log was not read of is unknown and never nothing; texts need the permission
// read_logs, and without it the answer says so; there are never more events than a bound,
// and then all of fewer seconds.
import { type Ctx, hasPermission } from '../../identity/identity.ts';
import type { Output } from '../../kernel/contract.ts';
import { iso } from '../../kernel/times.ts';
import { MINUTE_MS, SECOND_MS } from '../../kernel/units.ts';
import type { Weight } from '../../logs/types.ts';
import { type LogEventOut, listConnectionLogEvents } from './log-events.service.ts';
import type { getConnectionLogCounts } from './server-logs.contract.ts';
import { countsByBucket, newestGaps } from './server-logs.queries.ts';
import { logReading, meaningOf, ORDER, UNCLASSIFIED } from './server-logs.service.ts';

type Reading = Output<typeof getConnectionLogCounts>['reading'];

const AROUND_MS = 10 * SECOND_MS;
const NARROWEST_MS = AROUND_MS / 16;
/** Looks at a log are half a minute apart, and a look may be late. */
const LATE_MS = 75 * SECOND_MS;
const MOST_EVENTS = 100;
const NO_TEXTS = 'Texts of events need the permission read_logs; you see the counts.';
const UNREADABLE = 'The log is not read.';

interface MomentLogs {
  as_of: string | null;
  reason: string | null;
  start_time: string;
  end_time: string;
  counted_from: string;
  counted_to: string;
  classes: { class: string; title: string; weight: Weight; events: number }[] | null;
  events: LogEventOut[] | null;
  is_cut: boolean;
  events_reason: string | null;
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

const msOf = (time: string | null) => (time === null ? null : Date.parse(time));

/** Until when the log of this time was read, and what is lacking of it. */
function readOf(reading: Reading, { from, to, at }: Span): { until: number | null; reason: string | null } {
  const since = msOf(reading.since);
  const until = msOf(reading.read_until) ?? msOf(reading.looked_at);
  if (since === null || until === null) return { until: null, reason: reading.reason ?? UNREADABLE };
  if (at < since)
    return { until: null, reason: `The log was read from ${iso(since)} on, after this moment.` };
  if (until < at) {
    const upTo = `The log has been read up to ${iso(until)}, before this moment.`;
    return { until: null, reason: reading.reason === null ? upTo : `${upTo} ${reading.reason}` };
  }
  if (from < since) return { until: Math.min(to, until), reason: `The log was read from ${iso(since)} on.` };
  if (until < to) return { until, reason: `The log has been read up to ${iso(until)}.` };
  return { until: to, reason: null };
}

function classesOf(rows: Awaited<ReturnType<typeof countsByBucket>>): NonNullable<MomentLogs['classes']> {
  const sums = new Map<string, number>();
  for (const { class: name, events } of rows) sums.set(name, (sums.get(name) ?? 0) + events);
  return [...sums]
    .map(([name, events]) => {
      const { title, weight } = meaningOf(name);
      return { class: name === '' ? UNCLASSIFIED : name, title, weight, events };
    })
    .toSorted(
      (a, b) =>
        ORDER.indexOf(a.weight) - ORDER.indexOf(b.weight) ||
        b.events - a.events ||
        (a.class < b.class ? -1 : 1),
    );
}

/** Events around it: of so few seconds that all of them fit, and of the narrowest time the newest. */
async function eventsAround(ctx: Ctx, connection_id: number, at: number) {
  for (let around = AROUND_MS; ; around /= 2) {
    const [start_time, end_time] = [iso(at - around), iso(at + around)];
    const window = { start_time, end_time, limit: MOST_EVENTS };
    const { events, next_cursor } = await listConnectionLogEvents(ctx, connection_id, window);
    const isWhole = next_cursor === null;
    if (isWhole || around <= NARROWEST_MS)
      return { events: events.toReversed(), start_time, end_time, is_cut: !isWhole || around < AROUND_MS };
  }
}

/** Around that moment; of one that is now, the newest seconds that were read. */
function spanOf(reading: Reading, at: number): Span {
  const until = msOf(reading.read_until) ?? msOf(reading.looked_at);
  const isNow = reading.state === 'reading' && until !== null && until < at && at - until <= LATE_MS;
  const middle = isNow ? until - AROUND_MS : at;
  return { from: middle - AROUND_MS, to: middle + AROUND_MS, at: middle };
}

/** `at` in milliseconds since the epoch. The caller has checked access to the connection. */
export async function momentLogs(ctx: Ctx, connection_id: number, at: number): Promise<MomentLogs> {
  const reading = await logReading(ctx, connection_id);
  const span = spanOf(reading, at);
  const minutes = {
    connection_id,
    from: Math.floor(span.from / MINUTE_MS) * MINUTE_MS,
    to: Math.ceil(span.to / MINUTE_MS) * MINUTE_MS,
    width: MINUTE_MS,
  };
  const mayRead = hasPermission(ctx.principal, 'read_logs');
  const [rows, gaps, found] = await Promise.all([
    countsByBucket(ctx.db, minutes),
    newestGaps(ctx.db, minutes),
    mayRead ? eventsAround(ctx, connection_id, span.at) : undefined,
  ]);
  const read = readOf(reading, span);
  // While nothing can be read, the time of the last look says nothing of what was read.
  const isKnown = read.until !== null && (reading.format !== null || rows.length > 0);
  const lost = gaps.length > 0 ? 'Bytes of the log were lost around this moment.' : null;
  return {
    as_of: isKnown && read.until !== null ? iso(read.until) : null,
    reason: isKnown ? (lost ?? read.reason) : (read.reason ?? reading.reason ?? UNREADABLE),
    start_time: found?.start_time ?? iso(span.from),
    end_time: found?.end_time ?? iso(span.to),
    counted_from: iso(minutes.from),
    counted_to: iso(minutes.to),
    classes: isKnown ? classesOf(rows) : null,
    events: isKnown && found ? found.events : null,
    is_cut: found?.is_cut ?? false,
    events_reason: mayRead ? null : NO_TEXTS,
  };
}
