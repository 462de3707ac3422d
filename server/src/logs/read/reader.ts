// A file of a log, line by line, whatever format it has, and whatever formats it turns out to have. Guards: every line is counted,
// either in an event or as skipped with its reason; a file that changes its format or prefix in the middle is read on.
import { isUtf8 } from 'node:buffer';
import type { LogEvent } from '../types.ts';
import { CsvReader, isCsvStart } from './csv.ts';
import { isJsonStart, JsonReader } from './json.ts';
import { LineSplitter } from './lines.ts';
import { type LineOutcome, StderrReader } from './stderr.ts';
import { isSyslog, readSyslog } from './syslog.ts';
import { Times } from './time.ts';

export type Format = 'stderr' | 'csvlog' | 'jsonlog' | 'syslog';

export const REASONS = {
  foreign: 'not a line of a PostgreSQL log',
  orphan: 'goes on with an event that began before this file',
  empty: 'empty',
  binary: 'binary data',
  broken: 'part of a csvlog record that is incomplete',
} as const;
export type Reason = (typeof REASONS)[keyof typeof REASONS];

export interface ReaderOptions {
  emit(event: LogEvent): void;
  prefix?: string | undefined;
  /** Of times of syslog, which do not say it. */
  year: number;
}

const BINARY = /(?!\t)\p{Cc}/gu;
const NUL = '\0';
/** So much of a line is looked at. */
const LOOKED_AT = 4096;

const isBinary = (line: string) => {
  const head = line.slice(0, LOOKED_AT);
  return (head.match(BINARY)?.length ?? 0) * 20 > head.length;
};

export class LogReader {
  lines = 0;
  /** Lines that held NUL, as a file system leaves after a crash, and were read without. */
  nulLines = 0;
  /** Lines with bytes that are no UTF-8. */
  badTextLines = 0;
  readonly skipped = new Map<Reason, number>();
  readonly formats = new Set<Format>();
  readonly times = new Times();
  readonly #stderr: StderrReader;
  readonly #csv: CsvReader;
  readonly #json: JsonReader;
  readonly #splitter: LineSplitter;
  readonly #year: number;
  #format: Format | undefined;
  /** Of the piece before, and of this one: a character may lie across both. */
  #isSuspect: [before: boolean, now: boolean] = [false, false];

  constructor({ emit, prefix, year }: ReaderOptions) {
    const { times } = this;
    this.#stderr = new StderrReader({ times, emit, prefix });
    this.#csv = new CsvReader({ times, emit });
    this.#json = new JsonReader({ times, emit });
    this.#year = year;
    this.#splitter = new LineSplitter((line, isCut) => this.#line(line, isCut));
  }

  get prefixes(): readonly string[] {
    return this.#stderr.prefixes;
  }

  /** Whether any line had the prefix that was given. */
  get isGivenPrefixUsed(): boolean {
    return this.#stderr.isGivenUsed;
  }

  get foreignWords(): readonly string[] {
    return [...this.#stderr.foreignWords, ...this.#csv.foreignWords];
  }

  push(bytes: Buffer): void {
    this.#isSuspect = [this.#isSuspect[1], !isUtf8(bytes)];
    this.#splitter.push(bytes);
  }

  end(): void {
    this.#splitter.end();
    this.#csv.end();
    this.#countBroken();
    this.#stderr.end();
  }

  #skip(reason: Reason, lines = 1): void {
    this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + lines);
  }

  #countBroken(): void {
    const broken = this.#csv.broken();
    if (broken > 0) this.#skip(REASONS.broken, broken);
  }

  #line(raw: string, isCut: boolean): void {
    this.lines += 1;
    const whole = this.lines === 1 && raw.startsWith('\u00ef\u00bb\u00bf') ? raw.slice(3) : raw;
    // Taken out first: a prefix must not be learned from NUL bytes.
    const hasNul = whole.includes(NUL);
    const line = hasNul ? whole.replaceAll(NUL, '') : whole;
    const outcome = hasNul && line === '' ? 'foreign' : this.#take(line);
    if (hasNul && outcome === 'taken') this.nulLines += 1;
    if (outcome === 'taken') {
      if ((this.#isSuspect[0] || this.#isSuspect[1]) && !isUtf8(Buffer.from(line, 'latin1')))
        this.badTextLines += 1;
      if (isCut) this.#stderr.cut();
      return;
    }
    if (outcome === 'orphan') this.#skip(REASONS.orphan);
    else if (raw === '') this.#skip(REASONS.empty);
    else this.#skip(isBinary(raw) ? REASONS.binary : REASONS.foreign);
  }

  #take(line: string): LineOutcome {
    if (this.#format === 'csvlog' && this.#csv.isOpen) {
      const outcome = this.#csv.line(line);
      this.#countBroken();
      return outcome;
    }
    const outcome = this.#format === undefined ? 'foreign' : this.#as(this.#format, line);
    if (outcome !== 'foreign') return outcome;
    const format = this.#formatOf(line);
    if (format === undefined || format === this.#format) return 'foreign';
    const other = this.#as(format, line);
    if (other === 'taken') {
      this.#format = format;
      this.formats.add(format);
    }
    return other;
  }

  #formatOf(line: string): Format | undefined {
    if (isJsonStart(line)) return 'jsonlog';
    if (isCsvStart(line)) return 'csvlog';
    if (isSyslog(line)) return 'syslog';
    return 'stderr';
  }

  #as(format: Format, line: string): LineOutcome {
    if (format === 'stderr') return this.#stderr.line(line);
    if (format === 'csvlog') return this.#csv.line(line);
    if (format === 'jsonlog') return this.#json.line(line);
    const framed = readSyslog(line, this.#year);
    if (framed === undefined) return 'foreign';
    if (!Number.isNaN(framed.time)) this.times.seen(framed.time);
    return this.#stderr.framed(framed);
  }
}
