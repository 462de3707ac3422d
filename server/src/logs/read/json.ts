// jsonlog: a line of JSON for each event. Guards: a line that is no JSON, or JSON of another program, is counted and loses no other;
// what is of another type than the server writes is left out.
import type { LogEvent } from '../types.ts';
import type { JsonRecord } from './envelope.ts';
import { eventIn } from './event-members.ts';
import type { LineOutcome } from './stderr.ts';
import type { Times } from './time.ts';

const START = /^\s*(?:[[,]\s*)?\{\s*"/;

export const isJsonStart = (line: string): boolean => START.test(line);

export class JsonReader {
  readonly #times: Times;
  readonly #emit: (event: LogEvent) => void;

  constructor(options: { times: Times; emit: (event: LogEvent) => void }) {
    this.#times = options.times;
    this.#emit = options.emit;
  }

  /** `lines` is how many lines of the file the record takes. */
  take(record: JsonRecord, lines: number): LineOutcome {
    const event = eventIn(record, (text) => this.#times.of(text));
    if (event === undefined) return 'foreign';
    event.lines = lines;
    this.#emit(event);
    return 'taken';
  }
}
