// jsonlog: a line of JSON for each event. Guards: a line that is no JSON, or JSON of another program, is counted and loses no other;
// what is of another type than the server writes is left out.
import { severityOf } from '../severities.ts';
import type { LogEvent } from '../types.ts';
import { bounded, eventOf } from './assembly.ts';
import type { LineOutcome } from './stderr.ts';
import type { Times } from './time.ts';

const START = /^\s*\{\s*"/;

export const isJsonStart = (line: string): boolean => START.test(line);

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

function parsed(line: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return new Map(Object.entries(value));
  } catch {
    return undefined;
  }
}

export class JsonReader {
  readonly #times: Times;
  readonly #emit: (event: LogEvent) => void;

  constructor(options: { times: Times; emit: (event: LogEvent) => void }) {
    this.#times = options.times;
    this.#emit = options.emit;
  }

  line(line: string): LineOutcome {
    if (!START.test(line)) return 'foreign';
    const record = parsed(line);
    if (record === undefined) return 'foreign';
    const of = (name: string) => textOf(record.get(name));
    const severity = severityOf(of('error_severity'));
    if (severity === undefined || !record.has('message')) return 'foreign';
    const port = of('remote_port');
    const event = eventOf({
      time: this.#times.of(of('timestamp')),
      severity,
      sqlstate: of('state_code'),
      pid: of('pid'),
      user: of('user'),
      database: of('dbname'),
      application: of('application_name'),
      host: port === '' ? of('remote_host') : `${of('remote_host')}:${port}`,
      message: of('message'),
    });
    event.detail = of('detail');
    event.hint = of('hint');
    event.query = of('internal_query');
    event.context = of('context');
    event.statement = of('statement');
    this.#emit(bounded(event));
    return 'taken';
  }
}
