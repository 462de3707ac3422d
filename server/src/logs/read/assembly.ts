// Lines put together to events. Guards: the lines of interleaved processes go to their own events; how much is open at once and how
// long an event may be are bounded; every line is counted in exactly one event or as skipped.
import type { Field } from '../severities.ts';
import type { LogEvent, Severity } from '../types.ts';

const LONGEST_EVENT = 1024 * 1024;
/** auto_explain writes the plan into the message. */
const LONGEST_PLAN = 10 * 1024 * 1024;
/** Processes whose event may still get a line. */
const MOST_OPEN = 512;
const PLAN = /^duration: [\d.]+ ms {2}plan:/;

type TextField = Exclude<Field, 'location'>;

interface Open {
  event: LogEvent;
  /** The field that continuation lines belong to. */
  field: Field | 'message';
  size: number;
  /** Known from the first line, so that a long event is not searched again for each line of it. */
  longest: number;
}

export interface Start {
  time: number;
  severity: Severity;
  sqlstate: string;
  pid: string;
  user: string;
  database: string;
  application: string;
  host: string;
  message: string;
  queryid?: string;
}

/** Of a line that has the place of a queryid: 0 where the server knows none. */
export const queryidOf = (text: string): { queryid?: string } =>
  /^-?[1-9]\d{0,19}$/.test(text) ? { queryid: text } : {};

/** An event of one line so far. */
export function eventOf(start: Start): LogEvent {
  return {
    time: start.time,
    severity: start.severity,
    sqlstate: start.sqlstate,
    pid: start.pid,
    user: start.user,
    database: start.database,
    application: start.application,
    host: start.host,
    message: start.message,
    detail: '',
    hint: '',
    context: '',
    statement: '',
    query: '',
    ...(start.queryid !== undefined && { queryid: start.queryid }),
    lines: 1,
    isCut: false,
  };
}

const longestOf = (event: LogEvent) => (PLAN.test(event.message) ? LONGEST_PLAN : LONGEST_EVENT);

/** Cuts what came whole, as from csvlog and jsonlog. */
export function bounded(event: LogEvent): LogEvent {
  let room = longestOf(event);
  for (const name of ['message', 'detail', 'hint', 'context', 'statement', 'query'] as const) {
    const kept = event[name];
    if (kept.length > room) {
      event[name] = kept.slice(0, room);
      event.isCut = true;
    }
    room -= event[name].length;
  }
  return event;
}

export class Assembly {
  readonly #emit: (event: LogEvent) => void;
  readonly #open = new Map<string, Open>();
  /** The event that the last line belongs to. */
  #last: Open | undefined;
  /** Lines of the file that the next line stands for: a line of JSON may hold several, or a piece of one. */
  weight = 1;

  constructor(emit: (event: LogEvent) => void) {
    this.#emit = emit;
  }

  start(start: Start): LogEvent {
    const { pid } = start;
    const event = eventOf(start);
    event.lines = this.weight;
    const known = this.#open.get(pid);
    if (known !== undefined) {
      // In place: the order of the map is that of first lines, which is good enough to find the oldest.
      this.#emit(known.event);
      known.event = event;
      known.field = 'message';
      known.size = start.message.length;
      known.longest = longestOf(event);
      this.#last = known;
    } else {
      this.#last = { event, field: 'message', size: start.message.length, longest: longestOf(event) };
      this.#open.set(pid, this.#last);
      if (this.#open.size > MOST_OPEN) this.#closeOldest();
    }
    if (start.message.length > LONGEST_EVENT) this.#bound(this.#last);
    return event;
  }

  /** DETAIL and the like; false where there is no event that it belongs to. */
  field(pid: string, field: Field, text: string): boolean {
    const open = this.#open.get(pid);
    if (open === undefined) return false;
    this.#last = open;
    open.event.lines += this.weight;
    open.field = field;
    this.#append(open, text);
    return true;
  }

  /** A line that goes on with the one before; `glue` is what the server had between them. */
  more(text: string, glue = '\n'): boolean {
    const open = this.#last;
    if (open === undefined) return false;
    open.event.lines += this.weight;
    this.#append(open, glue + text);
    return true;
  }

  /** The same of a process, whatever others wrote in between. */
  moreOf(pid: string, text: string, glue: string): boolean {
    const open = this.#open.get(pid);
    if (open === undefined) return false;
    this.#last = open;
    return this.more(text, glue);
  }

  cut(): void {
    if (this.#last !== undefined) this.#last.event.isCut = true;
  }

  end(): void {
    for (const { event } of this.#open.values()) this.#emit(event);
    this.#open.clear();
    this.#last = undefined;
  }

  #bound(open: Open): void {
    bounded(open.event);
    open.size = open.event.message.length;
  }

  #append(open: Open, text: string): void {
    const { event, field } = open;
    if (field === 'location') return;
    const name: TextField | 'message' = field;
    const room = open.longest - open.size;
    if (text.length > room) event.isCut = true;
    const kept = text.length > room ? text.slice(0, Math.max(0, room)) : text;
    open.size += kept.length;
    // Where the text begins on the next line, it is all there is.
    event[name] = event[name] === '' ? kept.replace(/^\n/, '') : event[name] + kept;
  }

  #closeOldest(): void {
    for (const [pid, open] of this.#open) {
      if (open === this.#last) continue;
      this.#open.delete(pid);
      this.#emit(open.event);
      return;
    }
  }
}
