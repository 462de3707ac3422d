// One message of syslog by RFC 5424 or 3164, whichever its sender writes. Pure. Guards: bytes are characters here, none is lost or read as
// UTF-8 too early; a message is read in one pass whatever it holds; what it says of time counts only near the time at which it came.
import { cutText } from '../../kernel/inert-text.ts';
import { DAY_MS, MINUTE_MS } from '../../kernel/units.ts';

export interface SyslogMessage {
  /** In lower case; '' where it does not say. */
  readonly host: string;
  readonly app: string;
  /** '' where it does not say. */
  readonly pid: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** `5` of [5-2]; '' where the server writes no numbers. */
  readonly sequence: string;
  readonly part: number;
  /** Behind the numbers. */
  readonly text: string;
}

const RFC_5424 =
  /^<\d{1,3}>1 (?:-|(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))) (\S{1,255}) (\S{1,48}) (\S{1,128}) \S{1,32} /;
const DATA = /^(?:-|(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+)(?: |$)/;
const LONGEST_DATA = 4096;
const RFC_3164 =
  /^<\d{1,3}>(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))) (?:(\S{0,254}[^\s:]) )?([^\s[:/]{1,64})(?:[[/](\d{1,10})\]?)?: ?/;
const LONGEST_HEAD = 640;
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';
/** `[5] `, or `[5-2] ` of a message that the server split. */
const NUMBERS = /^ ?\[(\d{1,12})(?:-(\d{1,9}))?\] ?/;
/** As rsyslog writes it. */
const ESCAPED_TAB = '#011';
const EARLIEST_MS = DAY_MS;
const LATEST_MS = 5 * MINUTE_MS;

interface Head {
  readonly time: string | undefined;
  readonly host: string;
  readonly app: string;
  readonly pid: string;
  readonly text: string;
}

const known = (text: string | undefined) => (text === undefined || text === '-' ? '' : text);

function headOf(text: string): Head | undefined {
  const start = cutText(text, LONGEST_HEAD);
  const found = RFC_5424.exec(start);
  if (found) {
    const rest = text.slice(found[0].length);
    const data = DATA.exec(cutText(rest, LONGEST_DATA));
    if (!data) return undefined;
    const [, time, host, app, pid] = found;
    const own = rest.slice(data[0].length);
    const message = own.startsWith(BYTE_ORDER_MARK) ? own.slice(BYTE_ORDER_MARK.length) : own;
    return { time, host: known(host), app: known(app), pid: known(pid), text: message };
  }
  const old = RFC_3164.exec(start);
  if (!old) return undefined;
  const [whole, time, host, app, pid] = old;
  return { time, host: known(host), app: known(app), pid: known(pid), text: text.slice(whole.length) };
}

/** That of the message where it has a zone and can be true, else when it came. */
function timeOf(time: string | undefined, now: number): number {
  const at = time === undefined ? Number.NaN : Date.parse(time.replace(/(\.\d{3})\d+/, '$1'));
  return at > now - EARLIEST_MS && at < now + LATEST_MS ? at : now;
}

/** Undefined: it is no message of syslog. */
export function readMessage(bytes: Buffer, now: number): SyslogMessage | undefined {
  const head = headOf(bytes.toString('latin1').replaceAll('\0', ''));
  if (!head) return undefined;
  const { host, app, text } = head;
  const pid = /^\d{1,10}$/.test(head.pid) ? head.pid : '';
  const of = { host: host.toLowerCase(), app, pid, time: timeOf(head.time, now) };
  const numbers = NUMBERS.exec(text);
  // A prefix may begin with the process in brackets, where the server writes no numbers.
  if (!numbers || (numbers[2] === undefined && numbers[1] === pid))
    return { ...of, sequence: '', part: 1, text: text.replace(/^ /, '') };
  const [whole, sequence = '', part = '1'] = numbers;
  return { ...of, sequence, part: Number(part), text: text.slice(whole.length) };
}

/** As the reader of logs knows it: a line of a file of syslog. */
export function lineOf({ host, pid, time, sequence, part, text }: SyslogMessage): string {
  const numbers = sequence === '' ? '' : `[${sequence}-${part}] `;
  const own = text
    .replace(/(?<![\r\n])[\r\n]+$/, '')
    .replaceAll('\r', '')
    .replaceAll('\n', '#012')
    .replaceAll(ESCAPED_TAB, '\t');
  return `${new Date(time).toISOString()} ${host || 'unknown'} postgres[${pid || '0'}]: ${numbers}${own}`;
}
