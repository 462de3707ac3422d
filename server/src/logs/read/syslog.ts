// Lines of syslog as RFC 3164 has them in files, around lines of PostgreSQL. Guards: a message that the server split ([5-1], [5-2])
// is one event again, whatever other processes wrote in between.
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
/** `Nov 27 11:00:00 host postgres[123]: [5-1] …`, also with the ISO time that many daemons write now, and with those that journalctl shows. */
const LINE =
  /^(?:<\d{1,3}>)?(?:([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d)(?:\.\d{1,6})?|(?:[A-Z][a-z]{2} )?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d| UTC(?= ))) (\S{1,255}) ([^\s[:/]{1,64})[[/](\d{1,10})\]?: (?:\[(\d{1,12})(?:-(\d{1,9})\] ?|\] ))?/;

/** RFC 5424: `<134>1 2026-11-27T11:00:00.123Z host postgres 123 - - …`, in the groups of the other form. */
const LINE_5424 =
  /^(?:\d{1,6} )?<\d{1,3}>1 ()()()(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) (\S{1,255}) (\S{1,64}) (?:[a-z]{1,32}\.)?(\d{1,10}) \S{1,64} (?:-|\[(?:[^\]\\]|\\.){0,2000}\])(?: (?:\u00ef\u00bb\u00bf)?(?:\[(\d{1,12})-(\d{1,9})\] ?)?|$)/;

/** A line end within a message that the server did not split. */
const ESCAPED_END = '#012';

export const linesOf = (text: string): string[] => text.split(ESCAPED_END);

/** What rsyslog writes instead of equal lines. */
const REPEATED = /^(.{1,400}?\]: )message repeated (\d{1,6}) times: \[ ?(.*)\]$/;

const NEW_LINE = /^(?:#011|\t|\\t)/;
/** Journals show a tab as spaces. */
const JOURNAL_NEW_LINE = /^(?:#011|\t|\\t| {2,})/;

export interface SyslogLine {
  /** The host: a server of syslog has lines of several. */
  stream: string;
  time: number;
  pid: string;
  /** `5-` of [5-2]; '' where the server writes no numbers. */
  sequence: string;
  part: number;
  text: string;
  /** The part began with a tab: a line of its own in the message. */
  isNewLine: boolean;
}

/** Seconds since 1970, as `journalctl -o short-unix` shows them. */
const UNIX = /^(\d{10}\.\d{3})\d{3}(?= \S{1,255} [^\s[:/]{1,64}\[\d{1,10}\]: )/;
const POINT = 46;

const dated = (line: string): string =>
  line.charCodeAt(10) === POINT
    ? line.replace(UNIX, (time) => new Date(Math.floor(Number(time) * 1000)).toISOString())
    : line;

const found5424 = (line: string) => (/^\d{0,6} ?</.test(line) ? LINE_5424.exec(line) : null);

export const isSyslog = (line: string): boolean => LINE.test(dated(line)) || found5424(line) !== null;

/** The line that was repeated, and how often; itself once where it is no such line. */
export function unrepeated(line: string): { line: string; times: number } {
  const found = line.includes(' repeated ') ? REPEATED.exec(line) : null;
  if (found === null) return { line, times: 1 };
  const [, head = '', times = '', text = ''] = found;
  return { line: head + text, times: Math.max(1, Number(times)) };
}

function timeOf(found: RegExpExecArray, year: number): number {
  const [, month = '', day = '', clock = '', date = '', isoClock = '', fraction = '', zone = ''] = found;
  if (date !== '') {
    const shift = zone.replace(' UTC', 'Z').replace(/(\d\d):?(\d\d)$/, '$1:$2');
    return Date.parse(`${date}T${isoClock}.${fraction.padEnd(3, '0').slice(0, 3)}${shift}`);
  }
  const at = MONTHS.indexOf(month) / 3;
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(':').map(Number);
  return at < 0 ? Number.NaN : Date.UTC(year, at, Number(day), hours, minutes, seconds);
}

/** `year` is that of lines, which do not say it. */
export function readSyslog(written: string, year: number): SyslogLine | undefined {
  const line = dated(written);
  const found = found5424(line) ?? LINE.exec(line);
  if (found === null) return undefined;
  const rest = line.slice(found[0].length);
  const isNewLine = (found[11] === undefined ? JOURNAL_NEW_LINE : NEW_LINE).test(rest);
  return {
    stream: found[8] ?? '',
    time: timeOf(found, year),
    pid: found[10] ?? '',
    sequence: found[11] ?? '',
    part: Number(found[12] ?? 1),
    text: isNewLine ? rest.replace(JOURNAL_NEW_LINE, '') : rest,
    isNewLine,
  };
}
