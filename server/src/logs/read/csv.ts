// csvlog: a record for each event, whose texts may hold line ends. Guards: a record that is never closed is bounded, and the lines
// after it are read; the columns of 13 and of 14 and later are both read.
import { severityOf } from '../severities.ts';
import type { LogEvent } from '../types.ts';
import { bounded, eventOf, queryidOf } from './assembly.ts';
import type { LineOutcome } from './stderr.ts';
import type { Times } from './time.ts';

/** Columns that every version has had since 9.0; 13 and 14 put more behind them. */
const FEWEST = 22;
const MOST = 40;
/** Programs that write a table again quote all that is in it. */
const START = /^("?)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}(?:\d{3})? [A-Za-z0-9+\-:]+\1,/;
/** Columns by what they hold; the first three are time, user and database. */
const COLUMNS = {
  ...{ pid: 3, host: 4, severity: 11, sqlstate: 12, message: 13, detail: 14, hint: 15, query: 16 },
  ...{ context: 18, statement: 19, application: 22, queryid: 25 },
};
type Column = keyof typeof COLUMNS;
/** Greenplum has the thread, the segment and more before the severity, and no application. */
const OF_GREENPLUM: Readonly<Record<Column, number>> = {
  ...{ pid: 3, host: 5, severity: 16, sqlstate: 17, message: 18, detail: 19, hint: 20, query: 21 },
  ...{ context: 23, statement: 24, application: MOST, queryid: MOST },
};
const GREENPLUM_PROCESS = /^p\d{1,10}$/;
const LONGEST_RECORD = 10 * 1024 * 1024;
const QUOTE = 34;

export const isCsvStart = (line: string): boolean => START.test(line) && countQuotes(line) >= 0;

export const hasOpenQuote = (text: string): boolean => countQuotes(text) % 2 === 1;

function countQuotes(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count += 1;
  return count;
}

const AS_LOGGED = { mark: ',', most: MOST };

/** The fields of a whole record; undefined where it is none. */
export function fieldsOf(record: string, { mark, most } = AS_LOGGED): string[] | undefined {
  const fields: string[] = [];
  let at = 0;
  while (at <= record.length && fields.length < most) {
    if (record.charCodeAt(at) !== QUOTE) {
      const end = record.indexOf(mark, at);
      if (end === -1) {
        fields.push(record.slice(at));
        break;
      }
      fields.push(record.slice(at, end));
      at = end + 1;
      continue;
    }
    let end = record.indexOf('"', at + 1);
    let doubled = false;
    while (end !== -1 && record.charCodeAt(end + 1) === QUOTE) {
      doubled = true;
      end = record.indexOf('"', end + 2);
    }
    if (end === -1) return undefined;
    const text = record.slice(at + 1, end);
    fields.push(doubled ? text.replaceAll('""', '"') : text);
    if (end + 1 >= record.length) break;
    at = end + 2;
  }
  return fields;
}

export class CsvReader {
  readonly #times: Times;
  readonly #emit: (event: LogEvent) => void;
  #record = '';
  #lines = 0;
  #isOpen = false;
  /** Lines of records that could not be read, since the last look. */
  #broken = 0;
  readonly foreignWords = new Set<string>();

  constructor(options: { times: Times; emit: (event: LogEvent) => void }) {
    this.#times = options.times;
    this.#emit = options.emit;
  }

  /** Whether a record goes on with the next line. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** `lines` is how many lines of the file it stands for. */
  line(line: string, lines = 1): LineOutcome {
    const isStart = START.test(line);
    if (this.#isOpen) {
      // A quote that was lost, as where a file was cut: the next record begins with a time and has all of its columns.
      if (isStart && !hasOpenQuote(line) && (fieldsOf(line)?.length ?? 0) >= FEWEST) this.#giveUp();
      else return this.#more(line, lines);
    }
    if (!isStart) return 'foreign';
    if (!hasOpenQuote(line)) return this.#taken(line, lines) ? 'taken' : 'foreign';
    this.#record = line;
    this.#lines = lines;
    this.#isOpen = true;
    return 'taken';
  }

  end(): void {
    if (this.#isOpen) this.#giveUp();
  }

  /** Lines that were taken for a record and turned out to be none. */
  broken(): number {
    const count = this.#broken;
    this.#broken = 0;
    return count;
  }

  #more(line: string, lines: number): LineOutcome {
    this.#lines += lines;
    if (this.#record.length + line.length < LONGEST_RECORD) this.#record += `\n${line}`;
    if (!hasOpenQuote(line)) return 'taken';
    this.#isOpen = false;
    if (!this.#taken(this.#record, this.#lines)) this.#broken += this.#lines;
    this.#record = '';
    return 'taken';
  }

  /** Of a record without its end, what there is. */
  #giveUp(): void {
    this.#isOpen = false;
    if (!this.#taken(`${this.#record}"`, this.#lines, true)) this.#broken += this.#lines;
    this.#record = '';
  }

  #taken(record: string, lines: number, isCut = false): boolean {
    const fields = fieldsOf(record);
    if (fields === undefined || fields.length < (isCut ? 14 : FEWEST)) return false;
    const columns = GREENPLUM_PROCESS.test(fields[3] ?? '') ? OF_GREENPLUM : COLUMNS;
    const of = (name: Column) => fields[columns[name]] ?? '';
    const severity = severityOf(of('severity'));
    if (severity === undefined) return false;
    if (this.foreignWords.size < 32 && !/^[A-Z\d]+$/.test(of('severity')))
      this.foreignWords.add(of('severity'));
    const event = eventOf({
      time: this.#times.of(fields[0] ?? ''),
      severity,
      sqlstate: of('sqlstate'),
      pid: of('pid').replace(/^p/, ''),
      user: fields[1] ?? '',
      database: fields[2] ?? '',
      application: of('application'),
      host: of('host'),
      message: of('message'),
      ...queryidOf(of('queryid')),
    });
    event.detail = of('detail');
    event.hint = of('hint');
    event.query = of('query');
    event.context = of('context');
    event.statement = of('statement');
    event.lines = lines;
    event.isCut = isCut || record.length >= LONGEST_RECORD;
    this.#emit(bounded(event));
    return true;
  }
}
