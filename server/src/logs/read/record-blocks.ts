// Records of JSON that are written for people, as by jq and the tools of clouds: a member on each line. Guards: memory is that of one record;
// lines that turn out to be no record are read one by one, in their order.

const MOST_LINES = 2000;
const MOST_CHARACTERS = 1024 * 1024;
const OPENING = 123;
const START = /^( {0,64})\{$/;
const INSIDE = /^\s*["\d{}[\]tfn-]/;

export interface ReadBlocks {
  line(line: string, isCut: boolean): void;
  /** Answers false where the record is none that has lines of a log. */
  block(json: string, lines: number): boolean;
}

/** The innermost object whose brackets have lines of their own is a record. */
export class JsonBlocks {
  readonly #read: ReadBlocks;
  #lines: string[] = [];
  #size = 0;
  #end = '';

  constructor(read: ReadBlocks) {
    this.#read = read;
  }

  line(line: string, isCut: boolean): void {
    const start = line.charCodeAt(line.length - 1) === OPENING ? START.exec(line) : null;
    if (start !== null) {
      this.flush();
      this.#end = `${start[1] ?? ''}}`;
    } else if (this.#lines.length === 0) {
      this.#read.line(line, isCut);
      return;
    } else if (isCut || !this.#hasRoom(line)) {
      this.flush();
      this.#read.line(line, isCut);
      return;
    }
    this.#lines.push(line);
    this.#size += line.length;
    if (line === this.#end || line === `${this.#end},`) this.#close();
  }

  /** Lines of a record that has no end. */
  flush(): void {
    const lines = this.#lines;
    this.#lines = [];
    this.#size = 0;
    for (const line of lines) this.#read.line(line, false);
  }

  #hasRoom(line: string): boolean {
    return INSIDE.test(line) && this.#lines.length < MOST_LINES && this.#size + line.length < MOST_CHARACTERS;
  }

  #close(): void {
    const json = this.#lines.join(' ').replace(/,$/, '');
    if (!this.#read.block(json, this.#lines.length)) this.flush();
    this.#lines = [];
    this.#size = 0;
  }
}
