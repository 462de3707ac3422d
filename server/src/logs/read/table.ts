// A table with a header, as stores of logs export what they found: the text of a line is in one column, when it came in another. Pure. Guards: what
// is in no known column is left out, and a row of another length than the header is none.
import { fieldsOf, hasOpenQuote } from './csv.ts';

/** Names of columns, in small letters, and what records of JSON call them. */
const TEXTS: Readonly<Record<string, string>> = {
  '@message': '@message',
  _raw: '_raw',
  textpayload: 'textPayload',
  line: 'line',
  ...Object.fromEntries(
    ['message', 'msg', 'content', 'body', 'log', 'event_message', 'logmessage'].map((name) => [
      name,
      'message',
    ]),
  ),
};
const TIMES: ReadonlySet<string> = new Set([
  'time',
  'timestamp',
  '@timestamp',
  '_time',
  'date',
  'timegenerated',
  'timegenerated [utc]',
  'datetime',
]);
const NAME = /^[@A-Za-z_][\w .@:()[\]/-]{0,63}$/;
const MARKS = [',', '\t', ';'] as const;
const MOST_COLUMNS = 256;

/** `2026-11-27 11:00:00.123`, `Nov 27, 2026 @ 11:00:00.123` and milliseconds since 1970, as JavaScript reads them. */
function timeText(text: string): string {
  if (/^\d{13}$/.test(text)) return new Date(Number(text)).toISOString();
  const found = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,9})?)$/.exec(text);
  return found === null ? text.replace(' @ ', ' ') : `${found[1]}T${found[2]}Z`;
}

export class Table {
  readonly #names: readonly string[];
  readonly #mark: string;

  private constructor(names: readonly string[], mark: string) {
    this.#names = names;
    this.#mark = mark;
  }

  /** Undefined where the line is no header. */
  static of(line: string): Table | undefined {
    const written = line.replace(/^\u00ef\u00bb\u00bf/, '');
    const mark = MARKS.find((one) => written.includes(one)) ?? ',';
    const found = hasOpenQuote(written) ? undefined : fieldsOf(written, { mark, most: MOST_COLUMNS });
    const names = (found ?? []).map((name) => name.trim());
    const small = names.map((name) => name.toLowerCase());
    if (!names.every((name) => NAME.test(name)) || !small.some((name) => name in TEXTS)) return undefined;
    // Members of an event have the names that the server gives them.
    const isOfEvents = small.includes('error_severity');
    return new Table(
      names.map((name, at) => {
        const one = small[at] ?? '';
        return isOfEvents ? one : (TEXTS[one] ?? (TIMES.has(one) ? 'timestamp' : name));
      }),
      mark,
    );
  }

  /** A row as a record of JSON; `open` where it goes on with the next line. */
  record(row: string): string | 'open' | undefined {
    if (hasOpenQuote(row)) return 'open';
    const fields = fieldsOf(row, { mark: this.#mark, most: MOST_COLUMNS });
    if (fields?.length !== this.#names.length) return undefined;
    const record: Record<string, string> = {};
    this.#names.forEach((name, at) => {
      const field = fields[at] ?? '';
      // psql has a space before each.
      if (field !== '')
        record[name] ??= name === 'timestamp' ? timeText(field) : field.replace(/^ (?=[\d\t])/, '');
    });
    return JSON.stringify(record);
  }
}
