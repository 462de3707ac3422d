// What a tool or a person put before each line of a file: its number, the mark of a mail, an indentation. Guards: it is taken off only where
// a line of a log with its time comes behind it, and from the first line on; a prefix with a number is none of these.
import { isCsvStart } from './csv.ts';
import { isJsonStart } from './json.ts';
import { prefixOfLine } from './prefix.ts';

/** Each also stands before a line that goes on. */
const NUMBERED = /^ {0,10}(\d{1,9})(?:\t|[:.)|] ?| {1,2})/;
const DRESSES: readonly RegExp[] = [NUMBERED, /^> ?/, /^ {1,8}(?=[\S\t])/];
/** A log that was quoted begins within its first lines. */
const LOOKED_AT = 20;
const TIMED = /^[<[(]? ?\d{4}-\d\d-\d\d[ T]\d\d:/;

const isOfServer = (text: string) =>
  isCsvStart(text) || isJsonStart(text) || (TIMED.test(text) && prefixOfLine(text) !== undefined);

export class LineDress {
  #dress: RegExp | undefined;

  /** `number` is that of the line in its file. */
  off(line: string, number: number): string {
    if (this.#dress === undefined && number <= LOOKED_AT) this.#dress = dressOf(line, number);
    return this.#dress === undefined ? line : line.replace(this.#dress, '');
  }
}

function dressOf(line: string, number: number): RegExp | undefined {
  return DRESSES.find((dress) => {
    const found = dress.exec(line);
    // A prefix may begin with a number of its own, such as that of the process.
    const isNumber = dress !== NUMBERED || Number(found?.[1]) === number;
    return found !== null && isNumber && isOfServer(line.slice(found[0].length));
  });
}
