// What our own session writes into the log of a server that logs every statement of our role. Guards: it is measured by what we really
// sent, and told with what ends it.

import { DAY_MS } from '../kernel/units.ts';
import { LOG_SETTINGS } from '../probes/requirements/dependencies.ts';
import { identifier } from '../probes/requirements/names.ts';
import type { ServerReading } from '../probes/requirements/reading.queries.ts';

/** Less than this is no measurement. */
const LEAST_MS = 60_000;
/** What a server writes around a statement: time, process, duration. */
const LINE_BYTES = 80;

export class OwnLog {
  #since: number | undefined;
  #entries = 0;
  #bytes = 0;

  /** A statement was sent. */
  ran(text: string, now: number): void {
    this.#since ??= now;
    this.#entries += 1;
    this.#bytes += Buffer.byteLength(text) + LINE_BYTES;
  }

  /** Entries and bytes a day; undefined: not measured for long enough. */
  daily(now: number): { entries: number; bytes: number } | undefined {
    const ms = now - (this.#since ?? now);
    if (ms < LEAST_MS) return undefined;
    const scale = DAY_MS / ms;
    return { entries: Math.round(this.#entries * scale), bytes: Math.round(this.#bytes * scale) };
  }
}

/** The settings by which a server logs each of our statements, and what they are set to for us when they do. */
const LOGS = new Map<string, (value: string) => boolean>([
  ['log_statement', (value) => value === 'all'],
  ['log_min_duration_statement', (value) => value === '0'],
  ['log_duration', (value) => value === 'on'],
]);
const QUIET = new Map([
  ['log_statement', 'none'],
  ['log_min_duration_statement', '-1'],
  ['log_duration', 'off'],
]);

const MB = 1024 * 1024;

/** Undefined: it logs none of our statements for being ours. */
export function ownLogWords(
  server: ServerReading | undefined,
  { log, now, username }: { log: OwnLog | undefined; now: number; username: string },
): { note: string; mend: string } | undefined {
  const loud = LOG_SETTINGS.filter((name) => LOGS.get(name)?.(server?.settings.get(name)?.value ?? ''));
  if (loud.length === 0) return undefined;
  const named = loud.map((name) => `${name} = ${server?.settings.get(name)?.value}`).join(', ');
  const daily = log?.daily(now);
  const much =
    daily === undefined
      ? ''
      : `: about ${daily.entries.toLocaleString('en')} entries and ${Math.ceil(daily.bytes / MB).toLocaleString('en')} MB a day`;
  return {
    note: `The server logs every statement of ${username} (${named})${much}.`,
    mend: loud
      .map((name) => `alter role ${identifier(username)} set ${name} = ${QUIET.get(name)};`)
      .join('\n'),
  };
}
