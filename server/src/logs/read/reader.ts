// A file of a log, line by line, whatever format it has, and whatever formats it turns out to have. Guards: every line is counted,
// either in an event or as skipped with its reason; a file that changes its format or prefix in the middle is read on.
import { isUtf8 } from 'node:buffer';
import type { LogEvent } from '../types.ts';
import { CarriedLines } from './carried-lines.ts';
import { Carrier, isOfServer } from './carrier.ts';
import { CsvReader, isCsvStart } from './csv.ts';
import {
  carriedBy,
  carriedByTime,
  innerRecords,
  type JsonRecord,
  jsonRecords,
  nestedRecords,
} from './envelope.ts';
import { isJsonEvent } from './event-members.ts';
import { type Format, type PlainFormat, plainFormatOf } from './formats.ts';
import { isJsonStart, JsonReader } from './json.ts';
import { LineDress, withoutWaiting } from './line-dress.ts';
import { LineSplitter } from './lines.ts';
import { isBinary, NUL, unquoted, withoutColors, withoutNul } from './odd-lines.ts';
import { OldestFirst } from './oldest-first.ts';
import { REASONS, type Reason } from './reasons.ts';
import { RecordBlocks } from './record-blocks.ts';
import { type Framed, type LineOutcome, StderrReader } from './stderr.ts';
import { isSyslog, linesOf, readSyslog, unrepeated } from './syslog.ts';
import { Times } from './time.ts';

export interface ReaderOptions {
  emit(event: LogEvent): void;
  prefix?: string | undefined;
  /** Of times of syslog, which do not say it. */
  year: number;
  /** Of abbreviations that stand for several zones. */
  zone?: string;
}

const TAB = 9;
const COPIED_TAB = '    ';
const MOST_STREAMS = 64;
/** Not the outputs of one container. */
const NAMED = /^(?!(?:stdout|stderr)?$)/;

export class LogReader {
  lines = 0;
  /** Lines that held NUL, as a file system leaves after a crash, and were read without. */
  nulLines = 0;
  /** Lines with bytes that are no UTF-8. */
  badTextLines = 0;
  readonly skipped = new Map<Reason, number>();
  readonly formats = new Set<Format>();
  readonly times: Times;
  readonly #emit: (event: LogEvent) => void;
  readonly #prefix: string | undefined;
  /** By container or host: processes of each have numbers of their own. */
  readonly #stderrs = new Map<string, StderrReader>();
  /** Of the last line. */
  #stderr: StderrReader;
  readonly #csv: CsvReader;
  #isCsvCarried = false;
  readonly #jsonlog: JsonReader;
  readonly #carrier: Carrier;
  readonly #blocks: RecordBlocks;
  readonly #listed: OldestFirst;
  readonly #splitter: LineSplitter;
  readonly dress = new LineDress();
  readonly #year: number;
  #format: PlainFormat | undefined;
  readonly #carriedLines = new CarriedLines();
  /** Of the piece before, and of this one. */
  #isSuspect: [before: boolean, now: boolean] = [false, false];

  constructor({ emit, prefix, year, zone }: ReaderOptions) {
    this.times = new Times(zone);
    const { times } = this;
    this.#emit = emit;
    this.#prefix = prefix;
    this.#stderr = this.#stderrOf('');
    this.#csv = new CsvReader({ times, emit });
    this.#jsonlog = new JsonReader({ times, emit });
    this.#year = year;
    this.#carrier = new Carrier({
      read: (line, framed, lines) => this.#inner(line, framed, lines),
      skip: (lines) => this.#skip(REASONS.foreign, lines),
    });
    this.#listed = new OldestFirst(this.#carrier, (outcome, lines) => this.#skipUnless(outcome, lines));
    this.#blocks = new RecordBlocks({
      line: (line, isCut) => this.#line(line, isCut),
      block: (json, lines) => this.#block(json, lines),
    });
    this.#splitter = new LineSplitter((line, isCut) => {
      if (this.#csv.isOpen && !this.#isCsvCarried) this.#line(line, isCut);
      else this.#blocks.line(line, isCut);
    });
  }

  get prefixes(): readonly string[] {
    const read = [...this.#stderrs.values()].filter(({ hasEvents }) => hasEvents);
    return [...new Set(read.flatMap(({ prefixes }) => prefixes))];
  }

  /** Whether any line had the prefix that was given. */
  get isGivenPrefixUsed(): boolean {
    return [...this.#stderrs.values()].some(({ isGivenUsed }) => isGivenUsed);
  }

  get foreignWords(): readonly string[] {
    return [...this.#stderrs.values(), this.#csv].flatMap((one) => [...one.foreignWords]);
  }

  /** Containers and hosts that lines are of, where these are named. */
  get sources(): number {
    return [...this.#stderrs].filter(([name, { hasEvents }]) => NAMED.test(name) && hasEvents).length;
  }

  push(bytes: Buffer): void {
    this.#isSuspect = [this.#isSuspect[1], !isUtf8(bytes)];
    this.#splitter.push(bytes);
  }

  end(): void {
    this.#splitter.end();
    this.#blocks.end();
    this.#listed.end();
    this.#carrier.end();
    this.#csv.end();
    this.#skip(REASONS.broken, this.#csv.broken());
    for (const stderr of this.#stderrs.values()) stderr.end();
  }

  #stderrOf(stream: string): StderrReader {
    const name = this.#stderrs.has(stream) || this.#stderrs.size < MOST_STREAMS ? stream : '';
    const known = this.#stderrs.get(name);
    if (known !== undefined) return known;
    const made = new StderrReader({ times: this.times, emit: this.#emit, prefix: this.#prefix });
    this.#stderrs.set(name, made);
    return made;
  }

  #skip(reason: Reason, lines = 1): void {
    if (lines > 0) this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + lines);
  }

  /** Other lines of what was carried are counted already. */
  #skipUnless(outcome: LineOutcome | 'held' | undefined, lines = 1): void {
    if (outcome === 'orphan' || outcome === 'foreign') this.#skip(REASONS[outcome], lines);
  }

  #line(raw: string, isCut: boolean): void {
    this.lines += 1;
    const marked = this.lines === 1 && raw.startsWith('\u00ef\u00bb\u00bf') ? raw.slice(3) : raw;
    const whole = this.dress.off(withoutColors(marked), this.lines);
    // Taken out first: a prefix must not be learned from NUL bytes.
    const hasNul = whole.includes(NUL);
    const line = hasNul ? withoutNul(whole) : whole;
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

  /** A record on several lines. */
  #block(json: string, lines: number): boolean {
    const [record] = jsonRecords(json) ?? [];
    const records = record === undefined ? [] : [record, ...innerRecords(record)];
    const carried = records
      .flatMap((one) => (isJsonEvent(one) ? [] : (carriedBy(one) ?? [])))
      .find(isOfServer);
    const isEvent = carried === undefined && records.some((one) => this.#event(one, lines));
    if (carried === undefined && !isEvent) return false;
    this.lines += lines;
    const outcome = carried && this.#listed.take({ ...carried, isPartial: false }, lines);
    this.#stderr.leave();
    this.#skipUnless(outcome);
    return true;
  }

  #take(line: string): LineOutcome | 'held' {
    if (this.#csv.isOpen && !this.#isCsvCarried) return this.#csvLine(line, 1, false);
    const record = unquoted(line);
    if (isJsonStart(record)) return this.#json(record, 1);
    const carried = this.#carriedLines.of(record);
    if (carried === undefined) return this.#plain(record);
    const outcome = this.#carrier.take(carried);
    // What comes below a text of JSON is more JSON.
    if (/^\s*(?:- )?"/.test(record)) this.#stderr.leave();
    return outcome;
  }

  /** A line of the server, whatever carries it. */
  #inner(carried: string, framed: Framed, lines: number): LineOutcome {
    const line = withoutWaiting(carried);
    const timed = carriedByTime(line);
    if (timed !== undefined) return this.#inner(timed.text, { ...framed, time: timed.time }, lines);
    if (this.#csv.isOpen || isCsvStart(line)) return this.#csvLine(line, lines, true);
    if (isJsonStart(line)) return this.#json(line, lines) === 'taken' ? 'taken' : 'foreign';
    this.#stderr = this.#stderrOf(framed.stream);
    this.#stderr.weight = lines;
    const outcome = this.#stderr.line(line, framed);
    this.#stderr.weight = 1;
    if (outcome === 'taken') this.formats.add('stderr');
    return outcome;
  }

  #csvLine(line: string, lines: number, isCarried: boolean): LineOutcome {
    const outcome = this.#csv.line(line, lines);
    this.#isCsvCarried = isCarried && this.#csv.isOpen;
    this.#skip(REASONS.broken, this.#csv.broken());
    if (outcome === 'taken') this.formats.add('csvlog');
    return outcome;
  }

  /** An event of jsonlog, or a record that carries a line. */
  #json(line: string, lines: number): LineOutcome | 'held' {
    const records = jsonRecords(line);
    if (records === undefined) return this.#plain(line);
    const outcome = this.#records(records, lines);
    if (outcome !== 'foreign' || lines > 1) return outcome;
    const nested = records.flatMap((one) => nestedRecords(one));
    return this.#records(nested, lines, []);
  }

  #records(records: readonly JsonRecord[], lines: number, inner?: JsonRecord[]): LineOutcome | 'held' {
    let outcome: LineOutcome | 'held' = 'foreign';
    for (const record of records) {
      const one = this.#record(record, outcome === 'foreign' ? lines : 0, inner);
      if (outcome === 'foreign') outcome = one;
    }
    return outcome;
  }

  #record(record: JsonRecord, lines: number, inner = innerRecords(record)): LineOutcome | 'held' {
    const records = [record, ...inner];
    for (const one of records.filter(isJsonEvent)) if (this.#event(one, lines)) return 'taken';
    for (const one of records) {
      const carried = lines <= 1 ? carriedBy(one) : undefined;
      const outcome = carried === undefined ? 'foreign' : this.#listed.take(carried, lines);
      if (outcome !== 'foreign') return outcome;
    }
    return records.some((one) => this.#event(one, lines)) ? 'taken' : 'foreign';
  }

  #event(record: JsonRecord, lines: number): boolean {
    const isTaken = this.#jsonlog.take(record, lines) === 'taken';
    if (isTaken) this.formats.add('jsonlog');
    return isTaken;
  }

  #plain(line: string): LineOutcome {
    // A line of syslog has what looks like a prefix of stderr.
    const isOther = this.#format === undefined || (this.#format === 'stderr' && isSyslog(line));
    const outcome = isOther || !this.#format ? 'foreign' : this.#as(this.#format, line);
    if (outcome !== 'foreign') return outcome;
    // A prefix may have commas where csvlog has them.
    const formats = new Set<PlainFormat>([plainFormatOf(line), 'stderr']);
    for (const format of formats) {
      const other = format === this.#format ? 'foreign' : this.#as(format, line);
      if (other === 'taken') {
        this.#format = format;
        this.formats.add(format);
      }
      if (other !== 'foreign') return other;
    }
    return 'foreign';
  }

  #as(format: PlainFormat, line: string): LineOutcome {
    if (format === 'csvlog') return this.#csv.line(line);
    if (format === 'syslog') return this.#syslog(line);
    // A line that goes on has lost what the others have before them.
    if (line.charCodeAt(0) !== TAB && !line.startsWith(COPIED_TAB)) this.#stderr = this.#stderrOf('');
    return this.#stderr.line(line);
  }

  #syslog(written: string): LineOutcome {
    const { line, times } = unrepeated(written);
    const framed = readSyslog(line, this.#year);
    if (framed === undefined) return 'foreign';
    this.#stderr = this.#stderrOf(framed.stream);
    if (isJsonStart(framed.text)) return this.#json(framed.text, 1) === 'taken' ? 'taken' : 'foreign';
    const [first = '', ...rest] = linesOf(framed.text);
    const outcome = this.#stderr.framed({ ...framed, text: first });
    this.#stderr.weight = 0;
    for (const text of rest) this.#stderr.line(text.replace('#011', '\t'), framed);
    for (let more = 1; more < times; more += 1) this.#stderr.framed(framed);
    this.#stderr.weight = 1;
    return outcome;
  }
}
