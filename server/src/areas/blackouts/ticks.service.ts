// Blackouts that schedules make. Guards: each time of a schedule makes one, a late one with its original end while that lies
// ahead, and none of what passed while it was disabled; whatever the clock does, never more than is in force at one time.
import type { Db } from '../../kernel/db.ts';
import { append } from '../../kernel/lists.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { parseCron } from './cron.ts';
import { occurrencesBetween, type Recurrence } from './recurrence.ts';
import * as queries from './ticks.queries.ts';

const MINUTE_MS = 60_000;
/** They are stored a little before they begin, so that nothing slips through at their start. */
const AHEAD_MS = 15_000;
/** Sent in one statement. */
const CHUNK = 1000;
/** Longer than the longest blackout lasts. */
const KEPT_DAYS = 8;

interface Known {
  revision: number;
  recurrence: Recurrence;
  /** Up to then all was made by this process, in milliseconds since the epoch. */
  until: number;
}

/** What a process remembers between rounds, only to spare work: whoever knows nothing looks at everything again. */
export type Memory = Map<number, Known>;

const iso = (ms: number) => new Date(ms).toISOString();

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

/** One round; how many blackouts were made. */
export async function makeDueBlackouts(db: Db, memory: Memory, now: number): Promise<number> {
  const schedules = await queries.listEnabled(db);
  const ids = new Set(schedules.map(({ id }) => id));
  for (const id of memory.keys()) if (!ids.has(id)) memory.delete(id);
  const due: queries.Tick[] = [];
  // Nothing is remembered as made before it is stored.
  const next: Memory = new Map(memory);
  for (const schedule of schedules) {
    append(due, dueOf(schedule, next, now));
    await yieldIfBusy();
  }
  let made = 0;
  for (let at = 0; at < due.length; at += CHUNK)
    made += await queries.makeBlackouts(db, due.slice(at, at + CHUNK), iso(now));
  for (const [id, known] of next) memory.set(id, known);
  if (made > 0) await queries.pruneTicks(db, iso(now), KEPT_DAYS);
  return made;
}

export interface Round {
  db: Db;
  memory: Memory;
  now: number;
  /** Of this process. */
  owner: string;
  /** The last round, whoever ran it, has to be so long ago. */
  every_seconds: number;
}

/** Runs a round if it is due and nobody else does it; answers how many blackouts were made. */
export async function makeIfDue({ db, memory, now, ...claim }: Round): Promise<number | undefined> {
  const epoch = await queries.claimTicks(db, claim);
  if (epoch === undefined) return undefined;
  try {
    const made = await makeDueBlackouts(db, memory, now);
    await queries.finishTicks(db, epoch, { made });
    return made;
  } catch (error) {
    await queries.finishTicks(db, epoch, null).catch(() => undefined);
    throw error;
  }
}
