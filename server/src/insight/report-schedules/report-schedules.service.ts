// The rules of report schedules. Guards: who makes one manages channels and sees what it is of, with all of their rights; nobody
// changes one of somebody else but superusers; every change is in the audit log.
import { isDeepStrictEqual } from 'node:util';
import { demandChannel, getNotificationChannel, notifyQueued } from '../../alerting/alerting.ts';
import {
  type AuditAction,
  type Ctx,
  demandEstate,
  inTransaction,
  isLimited,
  recordAudit,
} from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { parseCron, tidyCron } from '../../kernel/schedule/cron.ts';
import { demandRecurrence } from '../../kernel/schedule/recurrence.ts';
import { whenWords } from '../../kernel/schedule/schedule-words.ts';
import type { Static } from '../../kernel/schema.ts';
import { iso } from '../../kernel/times.ts';
import { serversFor } from '../timeline/timeline.service.ts';
import * as queries from './report-schedules.queries.ts';
import type { ReportPreview, ReportSchedule, ReportScheduleRequest } from './report-schedules.schemas.ts';
import { demandSeldom, nextAfter } from './report-times.ts';
import { scopeOf, writeReport } from './writing.service.ts';

type View = Static<typeof ReportSchedule>;
type Input = Static<typeof ReportScheduleRequest>;

const MOST_OWNED = 100;
const GONE = 'There is no such schedule of reports.';

function viewOf({ owner_user_id: _owner, ...row }: queries.ScheduleRow): View {
  const { cron_expression, timezone, enabled, channel_id, next_at, last } = row;
  const time = (text: string) => iso(Date.parse(text));
  const ended_at = last && last.ended_at !== null ? time(last.ended_at) : null;
  return {
    ...row,
    last: last && { ...last, tick: time(last.tick), ended_at },
    in_words: whenWords({ cron: parseCron(cron_expression), timezone }),
    next_at: enabled && channel_id !== null ? next_at : null,
  };
}

async function demandRow(ctx: Ctx, id: number): Promise<queries.ScheduleRow> {
  const row = await queries.findRow(ctx.db, ctx.principal, id);
  if (!row) throw new Fault('not_found', GONE);
  return row;
}

function demandUnlimited({ principal }: Ctx): void {
  if (isLimited(principal))
    throw new Fault(
      'forbidden',
      'A report says what its owner may see, which is more than this token may: sign in, or use a token that is not limited to some connections.',
    );
}

export async function listReportSchedules(ctx: Ctx): Promise<View[]> {
  return (await queries.listRows(ctx.db, ctx.principal)).map(viewOf);
}

type CheckedSchedule = Omit<queries.ScheduleValues, 'next_at'>;

/** What can be judged by itself, then what has to be there and seen. */
async function checked(ctx: Ctx, input: Input, enabled: boolean): Promise<CheckedSchedule> {
  const { name, scope, scope_id = null, channel_id } = input;
  if ((scope === 'estate') !== (scope_id === null))
    throw new Fault(
      'bad_request',
      'scope_id: give the id of the cluster or server, and none for the estate.',
    );
  const now = ctx.clock.now();
  const cron_expression = tidyCron(input.cron_expression);
  const recurrence = demandRecurrence({ cron_expression, timezone: input.timezone }, now);
  demandSeldom(recurrence, now);
  const channel = await demandChannel(ctx, channel_id);
  if (channel.channel_type !== 'email')
    throw new Fault('bad_request', 'channel_id: reports go by channels of type email.');
  const { connection_id, cluster_id } = {
    connection_id: undefined,
    cluster_id: undefined,
    ...scopeOf({ scope, scope_id }),
  };
  if (scope === 'estate') await demandEstate(ctx);
  else await serversFor(ctx, connection_id === undefined ? undefined : [connection_id], cluster_id);
  return { name, scope, scope_id, channel_id, cron_expression, timezone: recurrence.timezone, enabled };
}

function nextOf({ cron_expression, timezone, enabled }: CheckedSchedule, now: number): string | null {
  const next = enabled ? nextAfter({ cron: parseCron(cron_expression), timezone }, now) : undefined;
  return next === undefined ? null : iso(next);
}

async function note(
  tx: Ctx,
  action: AuditAction,
  { id, ...row }: CheckedSchedule & { id: number },
): Promise<void> {
  const { name, scope, scope_id, channel_id, cron_expression, timezone, enabled } = row;
  await recordAudit(tx, {
    action,
    target: { kind: 'report_schedule', id, name },
    details: {
      ...(scope_id !== null && { scope, scope_id }),
      channel_id,
      cron_expression,
      timezone,
      enabled,
    },
  });
}

/** The caller's permission has been checked. */
export async function createReportSchedule(ctx: Ctx, input: Input): Promise<View> {
  demandUnlimited(ctx);
  const wanted = await checked(ctx, input, input.enabled ?? true);
  const now = ctx.clock.now();
  const { user_id: owner_user_id } = ctx.principal;
  return inTransaction(ctx, async (tx) => {
    const { count } = await queries.countOwned(tx.db, owner_user_id);
    if (count >= MOST_OWNED)
      throw new Fault(
        'conflict',
        `You have ${count} schedules of reports. Delete one before you make another.`,
      );
    const row = { ...wanted, next_at: nextOf(wanted, now) };
    const { id } = await queries.insertRow(tx.db, row, { owner_user_id, at: iso(now) });
    await note(tx, 'report_schedule.create', { ...wanted, id });
    return viewOf(await demandRow(tx, id));
  });
}

const wantedOf = ({
  name,
  scope,
  scope_id,
  channel_id,
  cron_expression,
  timezone,
  enabled,
}: queries.ScheduleRow): CheckedSchedule => ({
  ...{ name, scope, scope_id, channel_id },
  ...{ cron_expression, timezone, enabled },
});

const timesOf = ({ cron_expression, timezone, enabled, channel_id }: CheckedSchedule) =>
  JSON.stringify([cron_expression, timezone, enabled, channel_id === null]);

async function lock(tx: Ctx, id: number): Promise<queries.ScheduleRow> {
  if (!(await queries.lockRow(tx.db, tx.principal, id))) throw new Fault('not_found', GONE);
  return demandRow(tx, id);
}

/** The caller's permission has been checked. */
export async function updateReportSchedule(ctx: Ctx, id: number, input: Input): Promise<View> {
  demandUnlimited(ctx);
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, id);
    const wanted = await checked(tx, input, input.enabled ?? before.enabled);
    if (isDeepStrictEqual(wanted, wantedOf(before))) return viewOf(before);
    const now = tx.clock.now();
    const next_at = timesOf(wanted) === timesOf(before) ? before.next_at : nextOf(wanted, now);
    await queries.updateRow(tx.db, { ...wanted, next_at }, { id, at: iso(now) });
    if (wanted.channel_id !== null) await queries.moveWaiting(tx.db, id, wanted.channel_id);
    await note(tx, 'report_schedule.change', { ...wanted, id });
    return viewOf(await demandRow(tx, id));
  });
}

/** The caller's permission has been checked. */
export async function deleteReportSchedule(ctx: Ctx, id: number): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const before = await lock(tx, id);
    await queries.deleteRow(tx.db, id);
    await note(tx, 'report_schedule.delete', before);
  });
}

/** The caller's permission has been checked. */
export async function sendReportNow(ctx: Ctx, id: number): Promise<void> {
  demandUnlimited(ctx);
  await inTransaction(ctx, async (tx) => {
    const row = await lock(tx, id);
    if (row.channel_id === null)
      throw new Fault('conflict', 'Its channel was deleted. Choose another one first.');
    if (await queries.isWaiting(tx.db, id))
      throw new Fault(
        'conflict',
        'A report of this schedule waits to be sent. Its channel says what it waits for.',
      );
    const now = iso(tx.clock.now());
    await queries.queueReport(tx.db, { id, tick: now, now });
    await notifyQueued(tx.db);
    await note(tx, 'report_schedule.send', row);
  });
}

/** As its owner may see it. The caller's permission has been checked. */
export async function previewReport(
  ctx: Ctx,
  id: number,
  base_url: string | undefined,
): Promise<Static<typeof ReportPreview>> {
  const row = await demandRow(ctx, id);
  const tick = iso(ctx.clock.now());
  const { mail, skip } = await writeReport(ctx, { schedule_id: id, tick, key: 'preview', base_url });
  if (mail === undefined) throw new Fault('conflict', `Nothing would be sent: ${skip}`);
  const channel = row.channel_id === null ? undefined : await getNotificationChannel(ctx, row.channel_id);
  const recipients = (channel?.recipients ?? []).filter(({ enabled }) => enabled);
  const { subject, text, html } = mail;
  return { subject, text, html, recipients: recipients.map(({ email_address }) => email_address) };
}
