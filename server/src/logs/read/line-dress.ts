// What a tool or a person put before each line of a file: its number, the mark of a mail, an indentation. Guards: it is taken off only where
// a line of a log with its time comes behind it, and from the first line on; a prefix with a number is none of these. Signs of the source of a page are
// read as what they mean from the first text on in which a server would have a name in quotes.
import { encoded } from '../text.ts';
import { isCsvStart } from './csv.ts';
import { isJsonStart } from './json.ts';
import { OddDates } from './odd-dates.ts';
import { prefixOfLine } from './prefix.ts';

/** Each also stands before a line that goes on. */
const NUMBERED = /^ {0,10}(\d{1,9})(?:\t|[:.)|] ?| {1,2})/;
/** A row of a table of one column, as Markdown and psql draw it. */
const ROW = /^\| ?/;
const ROW_END = /(?<! ) *\|$/;
const DRESSES: readonly RegExp[] = [NUMBERED, /^(?:> ?)+/, ROW, /^ {1,8}(?=[\S\t])/];
/** Of the whole file, from its first line on: elsewhere it is a line that goes on. */
const TABBED = /^\t/;
/** A log that was numbered begins within its first lines; the other marks are seen at the first character. */
const LOOKED_AT = 20;
const MARKS = '>| ';
const TIMED = /^[<[(]? ?\d{4}-\d\d-\d\d[ T]\d\d:/;

const isOfServer = (text: string) =>
  isCsvStart(text) || isJsonStart(text) || (TIMED.test(text) && prefixOfLine(text) !== undefined);

const QUOTED_NAME =
  /[A-Z]: {1,2}[a-z ]{0,60}(?:relation|table|column|database|role|user|function|constraint|index|file|parameter|schema) (?:&(?:quot|#34|#x22);|\u00e2\u0080\u009c)/;
/** In bytes: quotes and the space of a word processor. */
const QUOTES = /\u00e2\u0080[\u009c-\u009f]/g;
const HARD_SPACE = '\u00c2\u00a0';
/** pg_ctl and initdb begin a line that the server ends. */
const WAITING =
  /^(?:waiting for server to [a-z ]{4,12}\.+|(?:running bootstrap script|performing post-bootstrap initialization|creating template1 database in \S{1,200}) \.\.\. )(?=\d{4}-|[A-Z]{3,7}: )/;
const BEGUN = 'wrpc';
export const withoutWaiting = (line: string): string =>
  BEGUN.includes(line.charAt(0)) ? line.replace(WAITING, '') : line;
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

/** Of code in chats and pages, also where the first line begins right behind them. */
function withoutTicks(line: string): string {
  const open = line.endsWith('```') ? line.slice(0, -3) : line;
  if (!open.startsWith('`')) return open;
  const bare = open.replace(/^`{1,3}/, '').replace(/`$/, '');
  return isOfServer(bare) ? bare : open;
}

export class LineDress {
  /** Of the times of other programs. */
  readonly dates = new OddDates();
  #hasSigns = false;
  #hasHardSpaces = false;
  #dress: RegExp | undefined;

  #spaced(line: string): string {
    if (!line.includes(HARD_SPACE)) return line;
    const spaced = line.replaceAll(HARD_SPACE, ' ');
    this.#hasHardSpaces ||= prefixOfLine(line) === undefined && prefixOfLine(spaced) !== undefined;
    return this.#hasHardSpaces ? spaced : line;
  }

  #dated(line: string): string {
    const dated = this.dates.iso(line);
    return dated !== undefined && prefixOfLine(dated) !== undefined ? dated : line;
  }

  /** `number` is that of the line in its file. */
  off(written: string, number: number): string {
    const line = this.#dated(withoutTicks(this.#spaced(withoutWaiting(written))));
    // The first line of what was copied, of which the prefix was left behind.
    if (number === 1 && line.startsWith(' ') && prefixOfLine(line.trimStart())?.text === '')
      return line.trimStart();
    if (number === 1 && TABBED.test(line) && isOfServer(line.slice(1))) this.#dress = TABBED;
    if (this.#dress === undefined && (number <= LOOKED_AT || MARKS.includes(line.charAt(0))))
      this.#dress = dressOf(line, number);
    const bare = this.#dress === undefined ? line : undressed(line, this.#dress);
    if (!this.#hasSigns && (bare.includes('&') || bare.includes('\u00e2\u0080')))
      this.#hasSigns = QUOTED_NAME.test(bare) && prefixOfLine(bare) !== undefined;
    return this.#hasSigns
      ? bare
          .replaceAll(SIGN, signOf)
          .replaceAll(QUOTES, '"')
          .replace(/<br ?\/?>$/, '')
      : bare;
  }
}

const undressed = (line: string, dress: RegExp) =>
  (dress === ROW && dress.test(line) ? line.replace(ROW_END, '') : line).replace(dress, '');

function dressOf(line: string, number: number): RegExp | undefined {
  return DRESSES.find((dress) => {
    const found = dress.exec(line);
    // A prefix may begin with a number of its own, such as that of the process.
    const isNumber = dress !== NUMBERED || Number(found?.[1]) === number;
    return found !== null && isNumber && isOfServer(line.slice(found[0].length));
  });
}
