// The rules of schedules. Guards: what is saved has a date; a change never makes a blackout of a time that has passed; every
// change is in the audit log.
import { isDeepStrictEqual } from 'node:util';
import {
  type AuditAction,
  type AuditValue,
  type Ctx,
  demandConnections,
  inTransaction,
  recordAudit,
} from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { parseCron, tidyCron } from '../../kernel/schedule/cron.ts';
import { demandRecurrence, nextOccurrences, type Occurrence } from '../../kernel/schedule/recurrence.ts';
import { scheduleWords, shiftWords } from '../../kernel/schedule/schedule-words.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import type { Static } from '../../kernel/schema.ts';
import { iso } from '../../kernel/times.ts';
import type {
  BlackoutSchedule,
  BlackoutScheduleList,
  BlackoutScheduleRequest,
  SchedulePreview,
  SchedulePreviewRequest,
} from './blackouts.schemas.ts';
import type { Page } from './blackouts.service.ts';
import * as queries from './schedules.queries.ts';
import { auditTarget, demandChangeable, demandHeld, demandTarget, namedTarget, targetOf } from './targets.ts';

type View = Static<typeof BlackoutSchedule>;
type Input = Static<typeof BlackoutScheduleRequest>;

const NOT_FOUND = 'There is no such schedule.';
const PREVIEWED = 10;

function viewOf(row: queries.ScheduleRow, now: number): View {
  const { id, name, cron_expression, duration_minutes, timezone, reason, enabled } = row;
  const recurrence = { cron: parseCron(cron_expression), timezone };
  const [next] = enabled ? nextOccurrences(recurrence, now, 1) : [];
  return {
    id,
    ...namedTarget(row),
    name,
    cron_expression,
    duration_minutes,
    timezone,
    reason,
    enabled,
    created_by: row.created_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
    in_words: scheduleWords({ ...recurrence, duration_minutes }),
    next_start: next ? iso(next.at) : null,
  };
}

/** Those the caller can see, by name. */
export async function listBlackoutSchedules(
  ctx: Ctx,
  filter: queries.ScheduleFilter,
  page: Page,
): Promise<Static<typeof BlackoutScheduleList>> {
  await demandConnections(ctx, filter.connection_id === undefined ? [] : [filter.connection_id]);
  const query = { principal: ctx.principal, filter };
  const [rows, total_count] = await Promise.all([
    queries.listRows(ctx.db, query, page),
    queries.countRows(ctx.db, query),
  ]);
  const now = ctx.clock.now();
  const schedules: View[] = [];
  for (const row of rows) {
    schedules.push(viewOf(row, now));
    await yieldIfBusy();
  }
  return { schedules, total_count };
}

export async function getBlackoutSchedule(ctx: Ctx, id: number): Promise<View> {
  const row = await queries.findRow(ctx.db, ctx.principal, id);
  if (!row) throw new Fault('not_found', NOT_FOUND);
  return viewOf(row, ctx.clock.now());
}

interface Act {
  action: AuditAction;
  row: queries.ScheduleRow;
  details?: { readonly [name: string]: AuditValue };
}

const timesOf = ({
  name,
  cron_expression,
  duration_minutes,
  timezone,
  reason,
  enabled,
}: queries.ScheduleValues) => ({
  name,
  cron_expression,
  duration_minutes,
  timezone,
  reason,
  enabled,
});

async function note(tx: Ctx, { action, row, details }: Act): Promise<void> {
  const { id, name } = row;
  await recordAudit(tx, {
    action,
    target: { kind: 'blackout_schedule', id, name },
    details: { ...auditTarget(row), ...timesOf(row), ...details },
  });
}

/** The caller's permission has been checked. */
export async function createBlackoutSchedule(ctx: Ctx, input: Input): Promise<View> {
  const now = ctx.clock.now();
  const target = targetOf(input);
  const { name, duration_minutes, reason = '', enabled = true } = input;
  const cron_expression = tidyCron(input.cron_expression);
  const { timezone } = demandRecurrence({ cron_expression, timezone: input.timezone ?? 'UTC' }, now);
  await demandTarget(ctx, target);
  const values = { ...target, name, cron_expression, duration_minutes, timezone, reason, enabled };
  return inTransaction(ctx, async (tx) => {
    await demandHeld(tx, target);
    const row = await queries.insertRow(
      tx.db,
      { ...values, since: iso(now) },
      { created_by: ctx.principal.username, at: iso(now) },
    );
    await note(tx, { action: 'blackout_schedule.create', row });
    return viewOf(row, now);
  });
}

/** What an absent member keeps; a database only as long as it is that of a server. */
function changed(before: queries.ScheduleRow, input: Input, now: number): queries.ScheduleValues {
  const kept = input.scope === 'server' ? (before.database_name ?? undefined) : undefined;
  const target = targetOf({ ...input, database_name: input.database_name ?? kept });
  const { name, duration_minutes, reason = before.reason, enabled = before.enabled } = input;
  const cron_expression = tidyCron(input.cron_expression);
  const wanted = { cron_expression, timezone: input.timezone ?? before.timezone };
  const { timezone } = demandRecurrence(wanted, now);
  const isAsBefore =
    before.enabled &&
    cron_expression === before.cron_expression &&
    timezone === before.timezone &&
    target.scope === before.scope &&
    target.scope_id === before.scope_id &&
    target.database_name === before.database_name;
  const since = isAsBefore ? before.since : iso(now);
  return { ...target, name, cron_expression, duration_minutes, timezone, reason, enabled, since };
}

const isSame = (before: queries.ScheduleRow, values: queries.ScheduleValues) =>
  isDeepStrictEqual(
    { ...auditTarget(before), ...timesOf(before) },
    { ...auditTarget(values), ...timesOf(values) },
  );

async function lock(tx: Ctx, id: number): Promise<queries.ScheduleRow> {
  const row = await queries.lockRow(tx.db, tx.principal, id);
  if (!row) throw new Fault('not_found', NOT_FOUND);
  await demandChangeable(tx, row);
  return row;
}

/** The caller's permission has been checked. */
export async function updateBlackoutSchedule(ctx: Ctx, id: number, input: Input): Promise<View> {
  const now = ctx.clock.now();
  // What is wrong whatever is stored, before it is looked for.
  targetOf(input);
  demandRecurrence({ cron_expression: input.cron_expression, timezone: input.timezone ?? 'UTC' }, now);
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, id);
    const values = changed(before, input, now);
    await demandTarget(tx, values);
    await demandHeld(tx, values);
    if (isSame(before, values)) return viewOf(before, now);
    const row = await queries.updateRow(tx.db, values, { id, at: iso(now) });
    const was = { ...auditTarget(before), ...timesOf(before) };
    await note(tx, { action: 'blackout_schedule.change', row, details: { before: was } });
    return viewOf(row, now);
  });
}

/** The blackouts that it made stay. The caller's permission has been checked. */
export async function deleteBlackoutSchedule(ctx: Ctx, id: number): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const row = await lock(tx, id);
    await queries.deleteRow(tx.db, id);
    await note(tx, { action: 'blackout_schedule.delete', row });
  });
}

function shownTime(occurrence: Occurrence, spoken: { timezone: string; duration_minutes: number }) {
  const { timezone, duration_minutes } = spoken;
  const end = occurrence.at + duration_minutes * 60_000;
  const [from, to] = [occurrence.at, end].map((ms) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone),
  );
  const local = (time: Temporal.ZonedDateTime | undefined) =>
    time?.toPlainDateTime().toString({ smallestUnit: 'minute' }) ?? '';
  const note = shiftWords(occurrence, spoken) ?? null;
  return {
    start_time: iso(occurrence.at),
    end_time: iso(end),
    local_start: local(from),
    local_end: local(to),
    utc_offset: from?.offset ?? '',
    shift: occurrence.shift ?? (note === null ? null : ('changes' as const)),
    note,
  };
}

/** The next times of what somebody is about to save. */
export function previewBlackoutSchedule(
  ctx: Pick<Ctx, 'clock'>,
  input: Static<typeof SchedulePreviewRequest>,
): Static<typeof SchedulePreview> {
  const now = ctx.clock.now();
  const { duration_minutes } = input;
  const recurrence = demandRecurrence({ ...input, timezone: input.timezone ?? 'UTC' }, now);
  const spoken = { ...recurrence, duration_minutes };
  return {
    in_words: scheduleWords(spoken),
    timezone: recurrence.timezone,
    duration_minutes,
    occurrences: nextOccurrences(recurrence, now, PREVIEWED).map((one) => shownTime(one, spoken)),
  };
}
