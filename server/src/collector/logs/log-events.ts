// What a piece of a log file holds: counts of all events by minute, rows of those that matter and blocks of the others. Guards: every line
// is counted as part of an event or by why it is none; rows and names that come from outside are bounded.
import { Masker } from '../../assistant/ai-runs/masking.ts';
import type { CountRow, LogPiece, PieceEvents, SeenPlan } from '../../estate/server-logs/log-rows.ts';
import { UsageError } from '../../kernel/errors.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { DAY_MS, MINUTE_MS } from '../../kernel/units.ts';
import { classify } from '../../logs/classify.ts';
import { isKept } from '../../logs/kept-classes.ts';
import { LogReader } from '../../logs/read/reader.ts';
import { decoded } from '../../logs/text.ts';
import type { EventClass, LogEvent } from '../../logs/types.ts';
import { loggedPlan } from '../../plans/masked.ts';
import { SeenPlans } from '../plans/seen-plans.ts';
import { blocksOf, MASKED, nameOf, type Picked, PLAN, rowsOf } from './kept-events.ts';
import { NameCounts } from './name-counts.ts';

/** Rows of a class in one piece, which is at most 1 MiB; the others are lines. */
const MOST_OF_A_CLASS = 200;
const MOST_DATABASES = 50;
/** To read one takes up to some milliseconds; of more, a sample spread evenly. */
const MOST_PLANS = 60;
const OTHERS = '(others)';
/** A line with another time than these is none whose clock can be believed. */
const OLDEST_MS = 400 * DAY_MS;
/** Clocks may differ by as much before that is told, and what is told is taken off before. */
const MOST_AHEAD_MS = MINUTE_MS;

/** The class of lines that belong to no event. */
const NO_EVENT = 'no_event';

function planIn({ message }: LogEvent) {
  try {
    return loggedPlan(decoded(message));
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** Counts one piece. */
class PieceCounts {
  readonly rows = new Map<string, CountRow>();
  readonly names = new NameCounts();
  readonly important: Picked[] = [];
  readonly lines: Picked[] = [];
  newest: number | undefined;
  ahead_ms: number | undefined;
  readonly #plans: { event: LogEvent; at: number }[] = [];
  readonly #piece: LogPiece;
  readonly #databases = new Set<string>();
  readonly #kept = new Map<string, number>();

  constructor(piece: LogPiece) {
    this.#piece = piece;
  }

  add(event: LogEvent): void {
    const { one, sqlstate, read } = classify(event);
    const at = this.#timeOf(event.time);
    if (at === event.time) this.newest = Math.max(at, this.newest ?? at);
    const state = /^[0-9A-Z]{5}$/.test(sqlstate) ? sqlstate : '';
    const row = this.count(at, {
      class: one?.name ?? '',
      sqlstate: state,
      severity: event.severity,
      database_name: this.#databaseOf(event, one),
    });
    this.names.add(event, one, at);
    if (one?.name === PLAN && !event.isCut) this.#plans.push({ event, at });
    this.#pick({ event, read, one, at, sqlstate: state, counted: row });
  }

  #pick(picked: Picked): void {
    const { one } = picked;
    const kept = one && isKept(one) ? (this.#kept.get(one.name) ?? 0) : MOST_OF_A_CLASS;
    if (one && kept < MOST_OF_A_CLASS) {
      this.#kept.set(one.name, kept + 1);
      this.important.push(picked);
    } else this.lines.push(picked);
  }

  count(
    at: number,
    of: Pick<CountRow, 'class' | 'sqlstate' | 'severity' | 'database_name'>,
    events = 1,
  ): CountRow {
    const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
    const key = JSON.stringify([minute, of.class, of.sqlstate, of.severity, of.database_name]);
    const row = this.rows.get(key) ?? { minute, ...of, events: 0, kept: 0 };
    row.events += events;
    this.rows.set(key, row);
    return row;
  }

  /** Plans that were logged; those that cannot be read are left out. */
  plans(): SeenPlan[] {
    const seen = new SeenPlans();
    const step = Math.max(1, this.#plans.length / MOST_PLANS);
    for (let at = 0; at < this.#plans.length; at += step) {
      const one = this.#plans[Math.floor(at)];
      const masked = one && planIn(one.event);
      if (!masked) continue;
      const { database, context, queryid } = one.event;
      // Within a function, the line has the queryid of the statement that called it.
      const known = context === '' ? queryid : undefined;
      seen.add({ database_name: decoded(database), queryid: known, at: one.at, masked });
    }
    const masker = new Masker(MASKED);
    return seen.rows((statement) => masker.text(this.#piece.scrub(statement)));
  }

  #timeOf(time: number): number {
    const { now } = this.#piece;
    if (time > now + MOST_AHEAD_MS) this.ahead_ms = Math.max(time - now, this.ahead_ms ?? 0);
    return time > now - OLDEST_MS && time <= now + MOST_AHEAD_MS ? time : now;
  }

  /** Who cannot sign in chooses the name of a database freely. */
  #databaseOf({ database }: LogEvent, one: EventClass | undefined): string {
    if (one?.group === 'connections' || database === '[unknown]') return '';
    const name = nameOf(database);
    if (!this.#databases.has(name) && this.#databases.size >= MOST_DATABASES) return OTHERS;
    this.#databases.add(name);
    return name;
  }
}

/** What whole events of a log file hold. Others have their turn in between. */
export async function eventsOf(piece: LogPiece): Promise<PieceEvents> {
  const { bytes, prefix, time_zone, now, ahead_ms = 0 } = piece;
  const counts = new PieceCounts(piece);
  const found: LogEvent[] = [];
  const reader = new LogReader({
    emit: (event) => found.push(event),
    prefix,
    year: new Date(now).getUTCFullYear(),
    zone: time_zone,
  });
  reader.push(bytes);
  reader.end();
  await yieldIfBusy();
  for (const event of found) counts.add(ahead_ms === 0 ? event : { ...event, time: event.time - ahead_ms });
  for (const [reason, lines] of reader.skipped)
    if (reason !== 'empty')
      counts.count(now, { class: NO_EVENT, sqlstate: '', severity: '', database_name: '' }, lines);
  await yieldIfBusy();
  const events = await rowsOf(counts.important, piece);
  const blocks = await blocksOf(counts.lines, piece);
  return {
    counts: [...counts.rows.values()],
    names: counts.names.rows,
    events,
    blocks,
    plans: counts.plans(),
    newest: counts.newest,
    ahead_ms: counts.ahead_ms,
  };
}
