// Records on several lines: JSON that is written for people, as by jq and the tools of clouds, with a member on each line, documents of YAML, and rows
// of a table with a header. Guards: memory is that of one record; lines that turn out to be no record are read one by one, in their order.
import { Table } from './table.ts';
import { recordOfYaml } from './yaml-record.ts';

const MOST_LINES = 2000;
const MOST_CHARACTERS = 1024 * 1024;
const OPENING = 123;
const START = /^( {0,64})\{$/;
const INSIDE = /^\s*["\d{}[\]tfn-]/;
/** Before each document, as the tool of Google writes records unless it is asked otherwise. */
const DOCUMENT = '---';
const INSIDE_YAML = /^(?:[A-Za-z]\w{0,63}:|\s|- |$)/;
/** A header stands at the start of a file. */
const HEADER_WITHIN = 3;

export interface ReadBlocks {
  line(line: string, isCut: boolean): void;
  /** Answers false where the record is none that has lines of a log. */
  block(json: string, lines: number): boolean;
}

/** The innermost object that is a record and whose brackets have lines of their own. */
export class RecordBlocks {
  readonly #read: ReadBlocks;
  #lines: string[] = [];
  /** Objects that are not closed, the outermost first. */
  #open: { at: number; end: string }[] = [];
  #size = 0;
  #end = '';
  #seen = 0;
  #table: Table | undefined;

  constructor(read: ReadBlocks) {
    this.#read = read;
  }

  line(line: string, isCut: boolean): void {
    this.#seen += 1;
    if (this.#table !== undefined) this.#row(this.#table, line, isCut);
    else if (line === DOCUMENT) this.#startDocument(line);
    else if (line.charCodeAt(line.length - 1) === OPENING && START.test(line)) {
      if (!this.#hasRoom(line) || this.#end === DOCUMENT) this.flush();
      this.#open.push({ at: this.#lines.length, end: `${line.slice(0, -1)}}` });
      this.#end = `${line.slice(0, -1)}}`;
      this.#keep(line);
    } else if (this.#lines.length === 0) {
      if (this.#seen <= HEADER_WITHIN) this.#table = Table.of(line);
      this.#read.line(line, isCut);
    } else if (isCut || !this.#hasRoom(line)) {
      this.flush();
      this.#read.line(line, isCut);
    } else {
      this.#keep(line);
      if (line === this.#end || line === `${this.#end},`) this.#close();
    }
  }

  end(): void {
    if (this.#end === DOCUMENT) this.#close();
    this.flush();
  }

  /** Lines of a record that has no end. */
  flush(): void {
    const lines = this.#lines;
    this.#lines = [];
    this.#open = [];
    this.#size = 0;
    for (const line of lines) this.#read.line(line, false);
  }

  #keep(line: string): void {
    this.#lines.push(line);
    this.#size += line.length;
  }

  #startDocument(line: string): void {
    if (this.#end === DOCUMENT) this.#close();
    this.flush();
    this.#end = DOCUMENT;
    this.#keep(line);
  }

  #row(table: Table, line: string, isCut: boolean): void {
    if (isCut || this.#lines.length >= MOST_LINES || this.#size > MOST_CHARACTERS) {
      this.flush();
      this.#read.line(line, isCut);
      return;
    }
    this.#keep(line);
    const json = table.record(this.#lines.join('\n'));
    if (json === 'open') return;
    if (json === undefined || !this.#read.block(json, this.#lines.length)) this.flush();
    this.#lines = [];
    this.#size = 0;
  }

  #hasRoom(line: string): boolean {
    const isInside = (this.#end === DOCUMENT ? INSIDE_YAML : INSIDE).test(line);
    return isInside && this.#lines.length < MOST_LINES && this.#size + line.length < MOST_CHARACTERS;
  }

  #close(): void {
    if (this.#lines.length === 0) return;
    const own = this.#lines.slice(this.#open.at(-1)?.at ?? 0);
    const json = this.#end === DOCUMENT ? recordOfYaml(own) : own.join(' ').replace(/,$/, '');
    if (json !== undefined && this.#isRecord(json, own.length)) return;
    // What is no record may be a part of one.
    this.#open.pop();
    this.#end = this.#open.at(-1)?.end ?? '';
    if (this.#open.length === 0) this.flush();
  }

  /** What was open around a record is read line by line. */
  #isRecord(json: string, lines: number): boolean {
    const around = this.#lines;
    this.#lines = [];
    const isRecord = this.#read.block(json, lines);
    if (isRecord) around.length -= lines;
    this.#lines = around;
    if (isRecord) this.flush();
    return isRecord;
  }
}
