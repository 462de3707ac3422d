// What the enabled schedules will make in a span of time, for a calendar. Guards: the times are those by which blackouts are made
// (kernel/schedule/recurrence.ts); a list that is cut says so.
import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { parseCron } from '../../kernel/schedule/cron.ts';
import { occurrencesBetween } from '../../kernel/schedule/recurrence.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import type { Static } from '../../kernel/schema.ts';
import { iso } from '../../kernel/times.ts';
import { DAY_MS, MINUTE_MS } from '../../kernel/units.ts';
import type { PlannedBlackoutList } from './blackouts.schemas.ts';
import { listRows, type ScheduleRow } from './schedules.queries.ts';

const LONGEST_DAYS = 62;
const MOST_SCHEDULES = 1000;
/** Of one schedule, so that a frequent one leaves room for the others. */
const MOST_TIMES = 1200;
const MOST = 5000;

interface Span {
  from: number;
  to: number;
}

function spanOf({ start_time, end_time }: { start_time: string; end_time: string }): Span {
  const [from = 0, to = 0] = [start_time, end_time].map(
    (text) => Temporal.Instant.from(text.toUpperCase()).epochMilliseconds,
  );
  if (to <= from) throw new Fault('bad_request', 'end_time must be after start_time.');
  if (to - from > LONGEST_DAYS * DAY_MS)
    throw new Fault('bad_request', `start_time and end_time may be at most ${LONGEST_DAYS} days apart.`);
  return { from, to };
}

/** Those that begin after now and touch the span, one more than may be listed at most. */
function timesOf(row: ScheduleRow, { from, to }: Span, now: number): number[] {
  const recurrence = { cron: parseCron(row.cron_expression), timezone: row.timezone };
  // One that begins before the span and ends in it belongs to it.
  const after = Math.max(now, from - row.duration_minutes * MINUTE_MS);
  const times: number[] = [];
  if (after >= to) return times;
  for (const { at } of occurrencesBetween(recurrence, { after, until: to - 1 }))
    if (times.push(at) > MOST_TIMES) break;
  return times;
}

export async function listPlannedBlackouts(
  ctx: Ctx,
  asked: { start_time: string; end_time: string },
): Promise<Static<typeof PlannedBlackoutList>> {
  const span = spanOf(asked);
  const query = { principal: ctx.principal, filter: { enabled: true } };
  const rows = await listRows(ctx.db, query, { limit: MOST_SCHEDULES + 1, offset: 0 });
  const now = ctx.clock.now();
  const planned: Static<typeof PlannedBlackoutList>['planned'] = [];
  let is_cut = rows.length > MOST_SCHEDULES;
  for (const row of rows.slice(0, MOST_SCHEDULES)) {
    if (planned.length >= MOST) {
      is_cut = true;
      break;
    }
    const times = timesOf(row, span, now);
    is_cut ||= times.length > MOST_TIMES || planned.length + times.length > MOST;
    for (const at of times.slice(0, Math.min(MOST_TIMES, MOST - planned.length)))
      planned.push({
        schedule_id: row.id,
        start_time: iso(at),
        end_time: iso(at + row.duration_minutes * MINUTE_MS),
      });
    await yieldIfBusy();
  }
  return { planned, is_cut };
}
