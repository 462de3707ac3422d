// Structured logging. An event has a name and numbers, never prose with values inside, and a Secret prints
// as [redacted] wherever it stands. Everything goes to standard error, as JSON lines or as text for a person at a terminal, so that
// standard output stays free for what a command was asked to print.
import { type Logger, pino } from 'pino';
import { inertJson } from './inert-text.ts';
import type { EventAt } from './log-events/log-events.ts';
import type { LogLevel } from './log-events/types.ts';
import { logText } from './log-text.ts';

/** An event of log-events/, and its values. */
export type LogLine<Level extends LogLevel> = { event: EventAt<Level> } & Readonly<Record<string, unknown>>;

export interface Log {
  level: string;
  child(values: Readonly<Record<string, unknown>>): Log;
  debug(line: LogLine<'debug'>): void;
  info(line: LogLine<'info'>): void;
  warn(line: LogLine<'warn'>): void;
  error(line: LogLine<'error'>): void;
}

export interface LogOptions {
  level: string;
  /** Where lines go; standard error when absent. Tests hand in a buffer. */
  destination?: Destination;
  /** JSON when absent. */
  format?: 'json' | 'text';
}

interface Destination {
  write(line: string): unknown;
}

const SECRET_KEYS = ['password', 'token', 'secret', 'api_key', 'authorization', 'cookie'];
const paths = SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

type Stringify = (value: unknown) => unknown;

/**
 * The logger looks into every member of an event for what is secret, numbers and texts included, in which nothing can be:
 * that took more memory than all else of a short request. Texts are written as JSON all the same.
 */
function lookIntoObjectsOnly(log: Logger): Log {
  const { stringifiersSym, wildcardFirstSym } = pino.symbols;
  const { [stringifiersSym]: stringifiers } = log as unknown as Record<symbol, Record<symbol, Stringify>>;
  const look = stringifiers?.[wildcardFirstSym];
  if (!stringifiers || !look) throw new Error('the logger redacts in another way than it did');
  const plain = new Set(['string', 'number', 'boolean']);
  stringifiers[wildcardFirstSym] = (value) => (plain.has(typeof value) ? JSON.stringify(value) : look(value));
  return log;
}

/** A name in an event shows nothing of itself on a terminal. */
const inertLines = (to: Destination): Destination => ({ write: (line) => to.write(inertJson(line)) });

const textLines = (to: Destination): Destination => ({ write: (line) => to.write(logText(line)) });

export function createLog({ level, destination, format = 'json' }: LogOptions): Log {
  const options = { level, base: null, redact: { paths, censor: '[redacted]' } };
  const to = destination ?? pino.destination({ fd: 2, sync: true });
  return lookIntoObjectsOnly(pino(options, format === 'text' ? textLines(to) : inertLines(to)));
}

export const silentLog: Log = pino({ level: 'silent' });
