// Puts the reports that are due into the outbox. Guards: each time of a schedule is queued once, however many processes look at the
// same moment; of those that passed while nobody looked only the last is.

import { notifyQueued } from '../../alerting/alerting.ts';
import type { Ctx } from '../../identity/identity.ts';
import { parseCron } from '../../kernel/schedule/cron.ts';
import { iso } from '../../kernel/times.ts';
import { claimDue, type DueRow, isAnyDue, queueReport, setNext } from './report-schedules.queries.ts';
import { lastUntil, nextAfter } from './report-times.ts';

const MOST = 100;

type TicksCtx = Pick<Ctx, 'db' | 'clock'>;

async function queue({ db }: Pick<Ctx, 'db'>, row: DueRow, now: number): Promise<number> {
  const recurrence = { cron: parseCron(row.cron_expression), timezone: row.timezone };
  const tick = lastUntil(recurrence, { first: Date.parse(row.next_at), until: now });
  const queued = await queueReport(db, { id: row.id, tick: iso(tick), now: iso(now) });
  const next = nextAfter(recurrence, now);
  await setNext(db, row.id, next === undefined ? null : iso(next));
  return queued;
}

/** One statement while nothing is due, else one transaction; answers how many were queued. */
export async function queueDueReports(ctx: TicksCtx): Promise<number> {
  const now = ctx.clock.now();
  if (!(await isAnyDue(ctx.db, iso(now))).is_due) return 0;
  return ctx.db.transaction(async (db) => {
    let queued = 0;
    for (const row of await claimDue(db, iso(now), MOST)) queued += await queue({ db }, row, now);
    if (queued > 0) await notifyQueued(db);
    return queued;
  });
}
