// What is sent of a schedule: the report as its owner may see it at that moment, and as nobody else may. Guards: an owner who is gone,
// disabled, or lost a right gets nothing sent, with the reason where the schedule is seen.

import type { ReportRequest, WrittenReport } from '../../alerting/alerting.ts';
import { type Ctx, findPrincipal, hasPermission, type Principal } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { parseCron } from '../../kernel/schedule/cron.ts';
import { iso } from '../../kernel/times.ts';
import { getFindingsReport } from '../findings/report.service.ts';
import { reportHtml, reportSummary, reportText } from '../findings/report-mail.service.ts';
import { findAny, nameOfTarget, type ScheduleValues } from './report-schedules.queries.ts';
import { windowOf } from './report-times.ts';

const MANAGE = 'manage_notification_channels';

type WriteCtx = Pick<Ctx, 'db' | 'clock' | 'log' | 'signal'>;

type Schedule = ScheduleValues & { owner_user_id: number };

/** The members of the report's query that name what it is of. */
export function scopeOf({ scope, scope_id }: Pick<Schedule, 'scope' | 'scope_id'>) {
  if (scope === 'estate' || scope_id === null) return {};
  return scope === 'server' ? { connection_id: scope_id } : { cluster_id: scope_id };
}

const WORDS = { estate: 'every server', cluster: 'the cluster', server: 'the server' };

/** "2026-11-16 08:00 to 2026-11-23 08:00, Europe/Vienna". */
function periodOf({ from, to }: { from: number; to: number }, timezone: string): string {
  const local = (at: number) =>
    Temporal.Instant.fromEpochMilliseconds(at)
      .toZonedDateTimeISO(timezone)
      .toPlainDateTime()
      .toString({ smallestUnit: 'minute' })
      .replace('T', ' ');
  return `${local(from)} to ${local(to)}, ${timezone}`;
}

function linkOf(base_url: string | undefined, schedule: Schedule, window: { from: number; to: number }) {
  if (base_url === undefined) return undefined;
  const { scope, scope_id } = schedule;
  const query = new URLSearchParams({ from: iso(window.from), to: iso(window.to) });
  if (scope !== 'estate' && scope_id !== null) query.set(scope, String(scope_id));
  return `${base_url}/report?${query}`;
}

interface Writing {
  schedule: Schedule;
  owner: Principal;
  asked: ReportRequest;
}

async function mailOf(ctx: WriteCtx, { schedule, owner, asked }: Writing): Promise<WrittenReport> {
  const { timezone } = schedule;
  const recurrence = { cron: parseCron(schedule.cron_expression), timezone };
  const window = windowOf(recurrence, Date.parse(asked.tick));
  const as: Ctx = { ...ctx, principal: owner };
  const query = { ...scopeOf(schedule), start_time: iso(window.from), end_time: iso(window.to) };
  const report = await getFindingsReport(as, query);
  if (report.servers === 0) return { skip: `${owner.username}, who owns it, sees no server.` };
  const { base_url, key, schedule_id } = asked;
  const name = (await nameOfTarget(ctx.db, schedule))?.name ?? 'Every server';
  const heading = {
    name,
    period: periodOf(window, timezone),
    footer: `Sent by the schedule "${schedule.name}" of ${owner.username}.`,
    link: linkOf(base_url, schedule, window),
    base_url,
  };
  return {
    mail: {
      subject: cutText(`Report: ${name}: ${reportSummary(report)}`.replaceAll(/\s+/g, ' '), 255),
      text: reportText(report, heading),
      html: reportHtml(report, heading),
      message_id: `${key}@matriarch`,
      thread_id: `matriarch-report-${schedule_id}@matriarch`,
    },
  };
}

/** The mail, or why nothing is to be sent. */
export async function writeReport(ctx: WriteCtx, asked: ReportRequest): Promise<WrittenReport> {
  const schedule = await findAny(ctx.db, asked.schedule_id);
  if (!schedule) return { skip: 'The schedule was deleted.' };
  const owner = await findPrincipal(ctx.db, schedule.owner_user_id);
  if (!owner) return { skip: 'The account of its owner is disabled.' };
  if (!hasPermission(owner, MANAGE))
    return { skip: `${owner.username}, who owns it, may no longer manage channels.` };
  try {
    return await mailOf(ctx, { schedule, owner, asked });
  } catch (cause) {
    if (!(cause instanceof Fault) || (cause.code !== 'forbidden' && cause.code !== 'not_found')) throw cause;
    return {
      skip: `${owner.username}, who owns it, can no longer see ${WORDS[schedule.scope]}, or it was deleted.`,
    };
  }
}
