// Blackouts that schedules make, each with its row in the audit log. Guards: each time of a schedule makes one, a late one with its original end while that lies
// ahead, and none of what passed while it was disabled; whatever the clock does, never more than is in force at one time.

import { type AuditCtx, type AuditEntry, recordAudits, systemActor } from '../../identity/identity.ts';
import { lasting } from '../../kernel/leaving.ts';
import { append } from '../../kernel/lists.ts';
import { parseCron } from '../../kernel/schedule/cron.ts';
import { occurrencesBetween, type Recurrence } from '../../kernel/schedule/recurrence.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { iso } from '../../kernel/times.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { auditTarget } from './targets.ts';
import * as queries from './ticks.queries.ts';

/** They are stored a little before they begin, so that nothing slips through at their start. */
const AHEAD_MS = 15_000;
/** Sent in one statement. */
const CHUNK = 1000;
/** Longer than the longest blackout lasts. */
const KEPT_DAYS = 8;
/** How long a blackout is kept once it is over: as long as an alert that has cleared. */
const BLACKOUTS_KEPT_DAYS = 90;
const MOST_FORGOTTEN = 10_000;

interface CachedSchedule {
  revision: number;
  recurrence: Recurrence;
  /** Up to then all was made by this process, in milliseconds since the epoch. */
  until: number;
}

/** What a process remembers between rounds, only to spare work: whoever knows nothing looks at everything again. */
export type Memory = Map<number, CachedSchedule>;

/** Those that begin until shortly after `now` and are not over, from where this process has been. */
function dueOf(schedule: queries.EnabledSchedule, memory: Memory, now: number): queries.Tick[] {
  const { id, revision, cron_expression, timezone, duration_minutes } = schedule;
  const until = now + AHEAD_MS;
  const before = memory.get(id);
  const known = before?.revision === revision ? before : undefined;
  const recurrence = known?.recurrence ?? { cron: parseCron(cron_expression), timezone };
  const since = Date.parse(schedule.since);
  // A clock that went back: what this process did lies ahead of it, and so may the time since when the schedule counts.
  const seen = known && known.until <= until ? known.until : undefined;
  const from = since <= now ? since : (seen ?? now);
  const after = Math.max(now - duration_minutes * MINUTE_MS, from, seen ?? -Infinity);
  memory.set(id, { revision, recurrence, until: Math.max(after, until) });
  return [...occurrencesBetween(recurrence, { after, until })].map(({ at }) => ({
    schedule_id: id,
    revision,
    start_time: iso(at),
  }));
}

export type TicksCtx = Pick<AuditCtx, 'db' | 'clock' | 'log'>;

const entryOf = (made: queries.Made): AuditEntry => ({
  action: 'blackout.create',
  target: { kind: 'blackout', id: made.id },
  details: {
    ...auditTarget(made),
    ...{ reason: made.reason, start_time: made.start_time, end_time: made.end_time },
    ...{ schedule_id: made.schedule_id, schedule: made.schedule_name, schedule_created_by: made.created_by },
  },
});

/** Two statements, in one transaction; how many were made. */
function make(ctx: TicksCtx, ticks: readonly queries.Tick[], now: number): Promise<number> {
  return ctx.db.transaction(async (db) => {
    const made = await queries.makeBlackouts(db, ticks, iso(now));
    await recordAudits({ ...ctx, db, principal: systemActor('server') }, made.map(entryOf));
    return made.length;
  });
}

interface Due {
  ticks: queries.Tick[];
  /** What to remember once they are made. */
  next: Memory;
}

async function lookForDue({ db }: TicksCtx, memory: Memory, now: number): Promise<Due> {
  const schedules = await queries.listEnabled(db);
  const ids = new Set(schedules.map(({ id }) => id));
  for (const id of memory.keys()) if (!ids.has(id)) memory.delete(id);
  const ticks: queries.Tick[] = [];
  const next: Memory = new Map(memory);
  for (const schedule of schedules) {
    append(ticks, dueOf(schedule, next, now));
    await yieldIfBusy();
  }
  return { ticks, next };
}

/** Nothing is remembered as made before it is stored. */
function remember(memory: Memory, { next }: Due): void {
  for (const [id, known] of next) memory.set(id, known);
}

/** How many blackouts were made. */
async function makeDue(ctx: TicksCtx, { ticks }: Due, now: number): Promise<number> {
  let made = 0;
  for (let at = 0; at < ticks.length; at += CHUNK) made += await make(ctx, ticks.slice(at, at + CHUNK), now);
  if (made > 0) await queries.pruneTicks(ctx.db, iso(now), KEPT_DAYS);
  return made;
}

/** One round at that time, whoever else does one; how many blackouts were made. */
export async function makeDueBlackouts(ctx: TicksCtx, memory: Memory, now: number): Promise<number> {
  const due = await lookForDue(ctx, memory, now);
  const made = await makeDue(ctx, due, now);
  remember(memory, due);
  return made;
}

/** What has been over for 90 days is forgotten, some at a time; answers how many. */
export const forgetOldBlackouts = ({ db, clock }: TicksCtx): Promise<number> =>
  queries.pruneBlackouts(db, {
    now: iso(clock.now()),
    days: BLACKOUTS_KEPT_DAYS,
    limit: MOST_FORGOTTEN,
  });

export interface Round {
  ctx: TicksCtx;
  memory: Memory;
  now: number;
  /** Of this process. */
  owner: string;
  /** The last round, whoever ran it, has to be so long ago. */
  every_seconds: number;
}

/**
 * Makes what is due if nobody else does it; answers how many blackouts were made. Where nothing is due, which is nearly always, no lease
 * is asked for.
 */
export async function makeIfDue({ ctx, memory, now, ...claim }: Round): Promise<number | undefined> {
  const { db } = ctx;
  const due = await lookForDue(ctx, memory, now);
  if (due.ticks.length === 0) {
    remember(memory, due);
    return 0;
  }
  const epoch = await queries.claimTicks(db, claim);
  if (epoch === undefined) return undefined;
  try {
    const made = await makeDue(ctx, due, now);
    await queries.finishTicks(db, epoch, { made });
    remember(memory, due);
    return made;
  } catch (error) {
    await queries.finishTicks(lasting(db), epoch, null).catch(() => undefined);
    throw error;
  }
}
