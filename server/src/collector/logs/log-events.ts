// What a piece of a log file holds: counts of all events by minute, and rows of those that matter, with masked texts. Guards: every line
// is counted as part of an event or by why it is none; no text leaves here unmasked; rows and names that come from outside are bounded.
import { Masker } from '../../assistant/ai-runs/masking.ts';
import type {
  CountRow,
  EventRow,
  LogPiece,
  PieceEvents,
  SeenPlan,
} from '../../estate/server-logs/log-rows.ts';
import { UsageError } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { DAY_MS, MINUTE_MS } from '../../kernel/units.ts';
import { classify } from '../../logs/classify.ts';
import { LogReader } from '../../logs/read/reader.ts';
import { decoded } from '../../logs/text.ts';
import type { EventClass, LogEvent } from '../../logs/types.ts';
import { loggedPlan } from '../../plans/masked.ts';
import { storable } from '../../store/format/content.ts';
import { SeenPlans } from '../plans/seen-plans.ts';
import { isKept } from './kept-classes.ts';

/** Of one piece, which is at most 1 MiB. */
const MOST_OF_A_CLASS = 200;
const MOST_DATABASES = 50;
/** To read one takes up to some milliseconds; of more, a sample spread evenly. */
const MOST_PLANS = 60;
const OTHERS = '(others)';
const LONGEST_TEXT = 8000;
const LONGEST_NAME = 63;
/** A line with another time than these is none whose clock can be believed. */
const OLDEST_MS = 400 * DAY_MS;

const PLAN = 'plan';
/** The class of lines that belong to no event. */
const NO_EVENT = 'no_event';

const MASKED = { mask_emails: true, mask_addresses: false };

function planIn({ message }: LogEvent) {
  try {
    return loggedPlan(decoded(message));
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

const nameOf = (text: string) => storable(cutText(decoded(text), LONGEST_NAME));

/** Counts one piece. */
class PieceCounts {
  readonly rows = new Map<string, CountRow>();
  readonly events: EventRow[] = [];
  newest: number | undefined;
  readonly #plans: { event: LogEvent; at: number }[] = [];
  readonly #piece: LogPiece;
  readonly #databases = new Set<string>();
  readonly #kept = new Map<string, number>();

  constructor(piece: LogPiece) {
    this.#piece = piece;
  }

  add(event: LogEvent): void {
    const { one, sqlstate } = classify(event);
    const at = this.#timeOf(event.time);
    if (at === event.time) this.newest = Math.max(at, this.newest ?? at);
    const state = /^[0-9A-Z]{5}$/.test(sqlstate) ? sqlstate : '';
    const row = this.count(at, {
      class: one?.name ?? '',
      sqlstate: state,
      severity: event.severity,
      database_name: this.#databaseOf(event, one),
    });
    if (one?.name === PLAN && !event.isCut) this.#plans.push({ event, at });
    if (one === undefined || !isKept(one)) return;
    const kept = this.#kept.get(one.name) ?? 0;
    if (kept >= MOST_OF_A_CLASS) return;
    this.#kept.set(one.name, kept + 1);
    row.kept += 1;
    this.events.push(this.#rowOf(event, one, { at, state }));
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
    return time > now - OLDEST_MS && time < now + DAY_MS ? time : now;
  }

  /** Who cannot sign in chooses the name of a database freely. */
  #databaseOf({ database }: LogEvent, one: EventClass | undefined): string {
    if (one?.group === 'connections' || database === '[unknown]') return '';
    const name = nameOf(database);
    if (!this.#databases.has(name) && this.#databases.size >= MOST_DATABASES) return OTHERS;
    this.#databases.add(name);
    return name;
  }

  #rowOf(event: LogEvent, one: EventClass, { at, state }: { at: number; state: string }): EventRow {
    const masker = new Masker(MASKED);
    const shown = (text: string) =>
      text === '' ? '' : storable(masker.text(this.#piece.scrub(cutText(decoded(text), LONGEST_TEXT, '…'))));
    return {
      occurred_at: at,
      class: one.name,
      severity: event.severity,
      sqlstate: state,
      database_name: nameOf(event.database),
      user_name: nameOf(event.user),
      application_name: storable(masker.text(cutText(decoded(event.application), LONGEST_NAME))),
      process_id: /^\d{1,10}$/.test(event.pid) ? event.pid : '',
      message: shown(event.message),
      detail: shown(event.detail),
      hint: shown(event.hint),
      context: shown(event.context),
      statement: shown(event.statement),
      figures: one.figures?.(event) ?? {},
      is_cut: event.isCut,
    };
  }
}

/** How far a time zone is from UTC at that local time. */
function offsetMs(zone: string, local: number): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(local);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const there = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return there - Math.floor(local / 1000) * 1000;
}

/** Of a time that was read as UTC, since the abbreviation of its zone stands for several. */
export function inZone(local: number, zone: string): number {
  try {
    // The offset at the moment itself, which the first guess may miss around a change of the clock.
    const guess = local - offsetMs(zone, local);
    return local - offsetMs(zone, guess);
  } catch {
    return local;
  }
}

/** What whole events of a log file hold. */
export function eventsOf(piece: LogPiece): PieceEvents {
  const { bytes, prefix, time_zone, now } = piece;
  const counts = new PieceCounts(piece);
  const found: LogEvent[] = [];
  const reader = new LogReader({
    emit: (event) => found.push(event),
    prefix,
    year: new Date(now).getUTCFullYear(),
  });
  reader.push(bytes);
  reader.end();
  const isUnknown = reader.times.unknown.size > 0;
  for (const event of found)
    counts.add(isUnknown ? { ...event, time: inZone(event.time, time_zone) } : event);
  for (const [reason, lines] of reader.skipped)
    if (reason !== 'empty')
      counts.count(now, { class: NO_EVENT, sqlstate: '', severity: '', database_name: '' }, lines);
  const { rows, events, newest } = counts;
  return { counts: [...rows.values()], events, plans: counts.plans(), newest };
}
