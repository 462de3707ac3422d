// Bytes that lines of a log do not have by themselves: colors and frames of terminals, NUL of a file system, binary data. Pure.
import { prefixOfLine } from './prefix.ts';

/** Control characters of ASCII: other bytes are letters of some encoding. */
const BINARY = /(?![\t\u0080-\u009f])\p{Cc}/gu;
const COLORS = /\p{Cc}\[[\d;]{0,16}[mK]/gu;
const COLOR = String.fromCharCode(27);
/** In bytes: what terminals draw around the lines of a log. */
const BAR = '\u00e2\u0094\u0082';
const FRAMED = new RegExp(`^${BAR} ?(.*?) *(?:${BAR} *)?$`);
export const NUL = '\0';
/** So much of a line is looked at. */
const LOOKED_AT = 4096;

/** The first line of a file within an archive, and what follows a hole, begin behind the last of them. */
export function withoutNul(line: string): string {
  const last = line.slice(line.lastIndexOf(NUL) + 1);
  return prefixOfLine(last) === undefined ? line.replaceAll(NUL, '') : last;
}

export function withoutColors(line: string): string {
  const plain = line.includes(COLOR) ? line.replaceAll(COLORS, '') : line;
  return plain.startsWith(BAR) ? (FRAMED.exec(plain)?.[1] ?? plain) : plain;
}

export const isBinary = (line: string) => {
  const head = line.slice(0, LOOKED_AT);
  return (head.match(BINARY)?.length ?? 0) * 20 > head.length;
};

/** What journalctl puts before each record, as server-sent events and as a JSON text sequence. */
const RECORD_MARK = /^(?:data: |\p{Cc})(?=\{")/u;

/** A row of a table of one column, as CSV has it. */
const ROW = /^"(?:[^"\\]|"")*"$/;

/** The last cell of a row that Windows and tables of pages have around a line. */
const LAST_CELL = /^[^"]{1,200}[\t,;]"(\d{4}-\d\d-\d\d (?:[^"]|"")*)"$/;

/** A row without its quotes, a record of JSON that a program logged as a text of JSON, without its escapes; other lines as they are. */
export function unquoted(written: string): string {
  const line = written.endsWith('}') ? written.replace(RECORD_MARK, '') : written;
  if (line.startsWith('"') && ROW.test(line)) {
    const text = line.slice(1, -1).replaceAll('""', '"');
    return prefixOfLine(text) === undefined && !text.startsWith('\t') ? line : text;
  }
  const cell = line.endsWith('"') ? LAST_CELL.exec(line)?.[1]?.replaceAll('""', '"') : undefined;
  if (cell !== undefined && prefixOfLine(cell) !== undefined) return cell;
  if (!line.startsWith('"{')) return line;
  try {
    const text: unknown = JSON.parse(line.replace(/,$/, ''));
    return typeof text === 'string' ? text : line;
  } catch {
    return line;
  }
}
