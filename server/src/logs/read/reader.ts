// A file of a log, line by line, whatever format it has, and whatever formats it turns out to have. Guards: every line is counted,
// either in an event or as skipped with its reason; a file that changes its format or prefix in the middle is read on.
import { isUtf8 } from 'node:buffer';
import type { LogEvent } from '../types.ts';
import { Carrier } from './carrier.ts';
import { CsvReader, isCsvStart } from './csv.ts';
import {
  type Carried,
  carriedBy,
  carriedByKubernetes,
  carriedByMember,
  carriedByName,
  innerRecords,
  isJsonEvent,
  type JsonRecord,
  jsonRecord,
} from './envelope.ts';
import { isJsonStart, JsonReader } from './json.ts';
import { LineSplitter } from './lines.ts';
import { prefixOfLine } from './prefix.ts';
import { type Framed, type LineOutcome, StderrReader } from './stderr.ts';
import { isSyslog, readSyslog } from './syslog.ts';
import { Times } from './time.ts';

type PlainFormat = 'stderr' | 'csvlog' | 'syslog';
export type Format = PlainFormat | 'jsonlog';

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
  readonly #jsonlog: JsonReader;
  readonly #carrier: Carrier;
  readonly #splitter: LineSplitter;
  readonly #year: number;
  #format: PlainFormat | undefined;
  /** Containers and pods whose name is before each of their lines. */
  readonly #names = new Set<string>();
  /** Of the piece before, and of this one: a character may lie across both. */
  #isSuspect: [before: boolean, now: boolean] = [false, false];

  constructor({ emit, prefix, year }: ReaderOptions) {
    const { times } = this;
    this.#stderr = new StderrReader({ times, emit, prefix });
    this.#csv = new CsvReader({ times, emit });
    this.#jsonlog = new JsonReader({ times, emit });
    this.#year = year;
    this.#carrier = new Carrier({
      read: (line, framed, lines) => this.#inner(line, framed, lines),
      skip: (lines) => this.#skip(REASONS.foreign, lines),
    });
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
    this.#carrier.end();
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
    if (outcome === 'held') return;
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

  #take(line: string): LineOutcome | 'held' {
    if (this.#format === 'csvlog' && this.#csv.isOpen) {
      const outcome = this.#csv.line(line);
      this.#countBroken();
      return outcome;
    }
    if (isJsonStart(line)) return this.#json(line, 1);
    const carried = this.#carriedBy(line);
    return carried === undefined ? this.#plain(line) : this.#carrier.take(carried);
  }

  /** A line of the server, whatever carries it. */
  #inner(line: string, framed: Framed, lines: number): LineOutcome {
    if (isJsonStart(line)) return this.#json(line, lines) === 'taken' ? 'taken' : 'foreign';
    this.#stderr.weight = lines;
    const outcome = this.#stderr.line(line, framed);
    this.#stderr.weight = 1;
    if (outcome === 'taken') this.formats.add('stderr');
    return outcome;
  }

  /** An event of jsonlog, or a record that carries a line. */
  #json(line: string, lines: number): LineOutcome | 'held' {
    const record = jsonRecord(line);
    if (record === undefined) return this.#plain(line);
    const records = [record, ...innerRecords(record)];
    for (const one of records.filter(isJsonEvent)) if (this.#event(one, lines)) return 'taken';
    for (const one of records) {
      const carried = lines === 1 ? carriedBy(one) : undefined;
      const outcome = carried === undefined ? 'foreign' : this.#carrier.take(carried);
      if (outcome !== 'foreign') return outcome;
    }
    return records.some((one) => this.#event(one, lines)) ? 'taken' : 'foreign';
  }

  #event(record: JsonRecord, lines: number): boolean {
    const isTaken = this.#jsonlog.take(record, lines) === 'taken';
    if (isTaken) this.formats.add('jsonlog');
    return isTaken;
  }

  #carriedBy(line: string): Carried | undefined {
    const marked = carriedByKubernetes(line) ?? carriedByMember(line);
    if (marked !== undefined) return marked;
    const named = carriedByName(line);
    if (named === undefined) return undefined;
    if (prefixOfLine(named.text) !== undefined) this.#names.add(named.stream);
    return this.#names.has(named.stream) ? named : undefined;
  }

  #plain(line: string): LineOutcome {
    // A line of syslog has what looks like a prefix of stderr.
    const isOther = this.#format === undefined || (this.#format === 'stderr' && isSyslog(line));
    const outcome = isOther || !this.#format ? 'foreign' : this.#as(this.#format, line);
    if (outcome !== 'foreign') return outcome;
    const format = this.#formatOf(line);
    if (format === this.#format) return 'foreign';
    const other = this.#as(format, line);
    if (other === 'taken') {
      this.#format = format;
      this.formats.add(format);
    }
    return other;
  }

  #formatOf(line: string): PlainFormat {
    if (isCsvStart(line)) return 'csvlog';
    if (isSyslog(line)) return 'syslog';
    return 'stderr';
  }

  #as(format: PlainFormat, line: string): LineOutcome {
    if (format === 'stderr') return this.#stderr.line(line);
    if (format === 'csvlog') return this.#csv.line(line);
    const framed = readSyslog(line, this.#year);
    return framed === undefined ? 'foreign' : this.#stderr.framed(framed);
  }
}
