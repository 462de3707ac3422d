// What a tool or a person put before each line of a file: its number, the mark of a mail, an indentation. Guards: it is taken off only where
// a line of a log with its time comes behind it, and from the first line on; a prefix with a number is none of these. Signs of the source of a page are
// read as what they mean from the first text on in which a server would have a name in quotes.
import { encoded } from '../text.ts';
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

const QUOTED_NAME =
  /[A-Z]: {1,2}[a-z ]{0,60}(?:relation|table|column|database|role|user|function|constraint|index|file|parameter|schema) &(?:quot|#34|#x22);/;
const SIGN = /&([a-z]{2,4}|#\d{1,6}|#x[\da-f]{1,5});/gi;
const SIGNS: Readonly<Record<string, string>> = {
  ...{ quot: '"', lt: '<', gt: '>' },
  ...{ amp: '&', apos: "'", nbsp: ' ' },
};
const LAST_SIGN = 0x10ffff;

function signOf(written: string, name: string): string {
  if (!name.startsWith('#')) return SIGNS[name.toLowerCase()] ?? written;
  const code = Number(name.slice(1).replace(/^x/i, '0x'));
  return code > LAST_SIGN ? written : encoded(String.fromCodePoint(code));
}

export class LineDress {
  #hasSigns = false;
  #dress: RegExp | undefined;

  /** `number` is that of the line in its file. */
  off(line: string, number: number): string {
    if (this.#dress === undefined && number <= LOOKED_AT) this.#dress = dressOf(line, number);
    const bare = this.#dress === undefined ? line : line.replace(this.#dress, '');
    if (!this.#hasSigns && bare.includes('&'))
      this.#hasSigns = QUOTED_NAME.test(bare) && prefixOfLine(bare) !== undefined;
    return this.#hasSigns ? bare.replaceAll(SIGN, signOf).replace(/<br ?\/?>$/, '') : bare;
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
