// Structured logging. An event has a name and numbers, never prose with values inside, and a Secret prints
// as [redacted] wherever it stands. Everything goes to standard error as JSON lines, so standard output
// stays free for what a command was asked to print.
import { type Logger, pino } from 'pino';

export type Log = Logger;

export interface LogOptions {
  level: string;
  /** Where lines go; standard error when absent. Tests hand in a buffer. */
  destination?: { write(line: string): void };
}

const SECRET_KEYS = ['password', 'token', 'secret', 'api_key', 'authorization', 'cookie'];
const paths = SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

export function createLog({ level, destination }: LogOptions): Log {
  const options = { level, base: null, redact: { paths, censor: '[redacted]' } };
  return destination ? pino(options, destination) : pino(options, pino.destination({ fd: 2, sync: true }));
}

export const silentLog: Log = pino({ level: 'silent' });
