// log_line_prefix as a parser of lines: compiled from the setting, or found out from a line. Pure. Guards: the time that a line
// takes is in line with its length, whatever it holds; a name that breaks the pattern makes another pattern and no lost line.
import { WORD_PATTERN } from '../severities.ts';
import { BARE, OF_CLIENT } from './line-origin.ts';

/** What is taken from a prefix; the group of each in the pattern. */
type Part =
  | 'time'
  | 'epoch'
  | 'pid'
  | 'session'
  | 'user'
  | 'database'
  | 'application'
  | 'host'
  | 'sqlstate'
  | 'queryid';

export interface Prefix {
  /** As log_line_prefix writes it; `*` is a word whose meaning is not known. */
  readonly text: string;
  /** From the start of a line to its text: the parts, the word of severity, and the SQLSTATE of verbose lines. */
  readonly pattern: RegExp;
  /** Two spaces of the server were made one. */
  readonly isOneSpace: boolean;
  readonly groups: Readonly<Record<Part | 'word' | 'verbose', number>>;
}

const ZONE = String.raw`(?:(?!(?:ERROR|FATAL|WARN|INFO|DEBUG|TRACE|LOG) )[A-Za-z]{1,6}|<?[+-]\d\d(?::?\d\d){0,2}>?)`;
/** Programs that write lines again have more decimals. */
const TIME = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{3,6})? ${ZONE}`;
/** French has a space before it; after words of other scripts, of which a byte is the end, some translations have fewer behind it. */
const COLON = String.raw`(?::  | : {1,2}|(?<=[\u0080-\u00ff]): ?)`;
/** Names are up to 63 bytes, hosts up to 255, commands and applications shorter. */
const MOST_OF_A_NAME = 255;
/** Its colons are not those of the prefix. */
const IPV6_WITH_PORT = String.raw`[0-9a-f]{0,4}:[0-9a-f:.]{1,45}(?:%\w{1,16})?\(\d{1,5}\)`;
const HOST_WITH_PORT = String.raw`[\w.-]{1,${MOST_OF_A_NAME}}\(\d{1,5}\)`;
const ESCAPE = /%(-?\d+)?([a-zA-Z%])/y;

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/** A name ends where the next character of the prefix is; one that has it itself is found out by the line. */
function nameUpTo(rest: string): string {
  const next = rest.split('%', 1)[0] ?? '';
  if (next.trim() === '') return `[^ ]{0,${MOST_OF_A_NAME}}`;
  if (next.startsWith(' ')) return `.{0,${MOST_OF_A_NAME}}?`;
  // What the server writes for no name has a bracket of its own.
  return `(?:\\[unknown\\]|[^${escaped(next.charAt(0))}]{0,${MOST_OF_A_NAME}})`;
}

interface Compiling {
  pattern: string;
  count: number;
  groups: Partial<Record<Part, number>>;
  hasRest: boolean;
}

function capture(state: Compiling, part: Part, pattern: string): string {
  if (state.groups[part] !== undefined) return `(?:${pattern})`;
  state.count += 1;
  state.groups[part] = state.count;
  return `(${pattern})`;
}

function ofEscape(state: Compiling, letter: string, next: string): string {
  const name = () => nameUpTo(next);
  switch (letter) {
    case 't':
    case 'm':
      return capture(state, 'time', TIME);
    case 'n':
      return capture(state, 'epoch', String.raw`\d+\.\d{3}`);
    case 's':
      return TIME;
    case 'p':
      return capture(state, 'pid', String.raw`\d+`);
    case 'P':
      return String.raw`(?:\d+|\[none\])?`;
    case 'u':
      return capture(state, 'user', name());
    case 'd':
      return capture(state, 'database', name());
    case 'a':
      return capture(state, 'application', name());
    case 'h':
      return capture(state, 'host', name());
    case 'r':
      return capture(state, 'host', `(?:${IPV6_WITH_PORT}|${HOST_WITH_PORT}|${name()})`);
    case 'e':
      return capture(state, 'sqlstate', '[0-9A-Z]{5}');
    case 'l':
    case 'x':
      return String.raw`\d+`;
    case 'Q':
      return capture(state, 'queryid', String.raw`-?\d+`);
    case 'c':
      return String.raw`[0-9a-f]+\.${capture(state, 'session', '[0-9a-f]+')}`;
    case 'v':
      return String.raw`(?:-?\d+\/\d+)?`;
    case '%':
      return '%';
    default:
      return name();
  }
}

/** Compiles `log_line_prefix`; what the server does not know of it writes nothing, as the server does. */
export function compilePrefix(text: string, colon = COLON): Prefix {
  const state: Compiling = { pattern: '', count: 0, groups: {}, hasRest: false };
  for (let at = 0; at < text.length; ) {
    ESCAPE.lastIndex = at;
    const found = ESCAPE.exec(text);
    if (found === null) {
      state.pattern += text[at] === '*' ? '[^ ]{0,255}' : escaped(text.charAt(at));
      at += 1;
      continue;
    }
    at = ESCAPE.lastIndex;
    const [, padding, letter = ''] = found;
    if (letter === 'q') {
      if (!state.hasRest) state.pattern += '(?:';
      state.hasRest = true;
      continue;
    }
    const next = text.slice(at).replaceAll(/%q/g, '');
    const one = ofEscape(state, letter, next.startsWith('%') ? '' : next);
    state.pattern += padding === undefined ? one : ` {0,64}${one} {0,64}`;
  }
  if (state.hasRest) state.pattern += ')?';
  return finished(text, state, colon);
}

/** Behind a prefix, spaces at the end of a line may have been taken away. */
function finished(text: string, { pattern, count, groups }: Compiling, colon: string): Prefix {
  return {
    text,
    isOneSpace: colon === ONE_SPACE,
    pattern: new RegExp(
      `^${pattern}(${WORD_PATTERN})${pattern === '' ? colon : `(?:${colon}|:$)`}(?:((?=[A-Z]*\\d)[0-9A-Z]{5}): )?`,
    ),
    groups: {
      time: groups.time ?? 0,
      epoch: groups.epoch ?? 0,
      pid: groups.pid ?? 0,
      session: groups.session ?? 0,
      user: groups.user ?? 0,
      database: groups.database ?? 0,
      application: groups.application ?? 0,
      host: groups.host ?? 0,
      sqlstate: groups.sqlstate ?? 0,
      queryid: groups.queryid ?? 0,
      word: count + 1,
      verbose: count + 2,
    },
  };
}

const WORD = new RegExp(`(?:^|[^A-Za-z\\u0080-\\u00ff])(${WORD_PATTERN})${COLON}`);
/** Pages and some exports make one space of two; the next line may have both. */
const ONE_SPACE = ': {1,2}';
const WORD_BEFORE_ONE = new RegExp(`(?:^|[^A-Za-z\\u0080-\\u00ff])(${WORD_PATTERN})${ONE_SPACE}`);
/** A prefix is looked for in so much of a line. */
const LONGEST_PREFIX = 600;

const NUMBER = /\d+/y;
const BRACKETED = /(?<=\[)\d+(?=-\d+\])/y;
/** What says the process more surely, further on. */
const SURE_PROCESS = /\[\d+\]|\bpid="?\d/;
/** Says the process as well. */
const SESSION = /\b[0-9a-f]{8}\.[0-9a-f]{1,8}\b/;
/** What Heroku writes: `app[postgres.77]: [BLUE] [1-1] `. */
const DYNO = /(?<=\[postgres\.)\d+(?=\]: )/y;

/** What a piece of a prefix is, by how it looks; the first that fits. */
const LOOKS: readonly (readonly [pattern: RegExp, text: string])[] = [
  [new RegExp(`${TIME.replace('(?:\\.\\d{3,6})?', '\\.\\d{3,6}')}`, 'y'), '%m'],
  [new RegExp(TIME, 'y'), '%t'],
  [/\d{9,11}\.\d{3}(?!\d)/y, '%n'],
  [/(?<=\[)\d+(?=\])/y, '%p'],
  // Debian wrote `[%p-%l]` for years.
  [/(?<=\[)postgres\.(?=\d{1,10}\]: )/y, 'postgres.'],
  [DYNO, '%p'],
  [BRACKETED, '%p'],
  [/(?<=\[)[0-9a-f]{6,}\.[0-9a-f]+(?=\])/y, '%c'],
  [/\b[0-9a-f]{6,16}\.[0-9a-f]{1,8}\b/y, '%c'],
  [/(?<=\[)\d+(?=-1\])/y, '%l'],
  [/(?<=\b(?:user|usr|u|role)=(?:"|(?!")))(?:\[unknown\]|[^,;| \]"]*)/iy, '%u'],
  [/(?<=\b(?:db|database|dbname|d)=(?:"|(?!")))(?:\[unknown\]|[^,;| \]"]*)/iy, '%d'],
  [
    /(?<=\b(?:app|appname|application|application_name|a)=(?:"|(?!")))(?:\[unknown\]|[^,;|\]"]*?)(?=[,;|\]"]| \w+=| \[| \d{4}-\d\d-\d\d | ?$)/iy,
    '%a',
  ],
  [/(?<=\b(?:client|host|remote|from|h|r|ip|addr)=)[^,;| \]]*/iy, '%r'],
  [/(?<=\b(?:pid|p)="?)\d+/iy, '%p'],
  [/(?<=\b(?:state|sqlstate|error|e|code)=|\bsql_error_code = )[0-9A-Z]{5}\b/iy, '%e'],
  [/(?<=\b(?:line|l|session_line)=)\d+/iy, '%l'],
  [/(?<=\b(?:xid|txid|tx|x)=)\d+/iy, '%x'],
  [/(?<=\b(?:qid|queryid|query_id)=)-?\d+/iy, '%Q'],
  [/-?\d+\/\d+/y, '%v'],
  [/(?<![\w.])-?\d{15,20}(?![\w.])/y, '%Q'],
  [
    /(?<![\w\]]\()\b(?:0[0-3]|0[89]|2[0-8]|34|38|39|40|42|44|5[3-8]|72)\d{3}\b(?!-)|\b(?:0A|0B|0L|0P|0Z|2B|2D|2F|3B|3D|3F|08|21|22|23|25|26|28|34|38|39|40|42|44|53|54|55|57|58|72|F0|HV|P0|XX)[0-9A-Z]{3}\b/y,
    '%e',
  ],
  [
    /\d{1,3}(?:\.\d{1,3}){3}(?:\(\d+\))?|\[local\]|(?!\d\d:\d\d:\d\d(?![\w:]))(?=[0-9a-f:]*::[0-9a-f]|(?:[0-9a-f]{1,4}:){5})(?!:[^:])[0-9a-f:.]+(?:%\w+)?(?:\(\d+\))?|[\w.-]+\(\d+\)/iy,
    '%r',
  ],
  [NUMBER, '%p'],
  [/\d+/y, '%l'],
];
const AT = /^(?:\[unknown\]@\[unknown\]|[^@\s:,[\]()|]{1,63}@[^@\s:,[\]()|/]{1,63})/;
const LABEL = /[A-Za-z_]{1,24}=/y;
const WORDLIKE = /[^\s[\](){},:;|=@<>'"-]+/y;

/** Each of these is there once; a second piece that looks so is a word of unknown meaning. */
const ONCE: ReadonlySet<string> = new Set(['%m', '%p', '%e', '%u', '%d', '%a', '%r']);

/** A number alone is that of the process, where none in brackets comes and it is no part of a name or a date. */
const isProcess = (head: string, at: number, end: number) =>
  !SURE_PROCESS.test(head.slice(end)) &&
  !/[\w-]/.test(head.charAt(at - 1)) &&
  !/^-\d\d-\d\d/.test(head.slice(end)) &&
  !SESSION.test(head.slice(0, at));

/** Five digits may be the number of a process, where none was before and none comes. */
const isState = (text: string, rest: string, has: ReadonlySet<string>) =>
  text === '00000' || !/^\d+$/.test(text) || has.has('%p') || /\[\d+\]/.test(rest);

function piece(head: string, at: number, has: ReadonlySet<string>): readonly [text: string, end: number] {
  // Between the names of a database and of an application.
  if (head.charAt(at) === '/') return ['/', at + 1];
  LABEL.lastIndex = at;
  if (LABEL.test(head)) return [head.slice(at, LABEL.lastIndex), LABEL.lastIndex];
  const pair = AT.exec(head.slice(at, at + 160));
  if (pair !== null && !has.has('%u')) return ['%u@%d', at + pair[0].length];
  for (const [pattern, text] of LOOKS) {
    pattern.lastIndex = at;
    const found = pattern.exec(head);
    if (found === null || (found[0] === '' && !head.startsWith('=', at - 1))) continue;
    if (text === '%t' && has.has('%t')) return ['%s', pattern.lastIndex];
    if (ONCE.has(text) && has.has(text)) continue;
    if ((pattern === BRACKETED || pattern === DYNO) && SURE_PROCESS.test(head.slice(pattern.lastIndex)))
      continue;
    if (pattern === NUMBER && text === '%p' && !isProcess(head, at, pattern.lastIndex)) continue;
    if (text === '%e' && !isState(found[0], head.slice(pattern.lastIndex), has)) continue;
    return [text, pattern.lastIndex];
  }
  WORDLIKE.lastIndex = at;
  const word = WORDLIKE.exec(head);
  return word === null ? [head.charAt(at).replace('%', '%%'), at + 1] : ['*', WORDLIKE.lastIndex];
}

const HOST_AT_END = /[\w.:\]]\(\d+\)[^\w(]*$/;

/** Says neither time nor process, and still what only PostgreSQL writes. */
const CODED = /\[%e\]|(?:state|code|error|e)=%e|^ ?\* = %e/;

/** The prefix that a line shows, or undefined where it is no line of PostgreSQL. */
export function prefixOfLine(line: string): Prefix | undefined {
  const first = line.slice(0, LONGEST_PREFIX);
  const whole = WORD.exec(first);
  const start = whole ?? WORD_BEFORE_ONE.exec(first);
  if (start === null) return undefined;
  const head = line.slice(0, start.index + start[0].lastIndexOf(start[1] ?? ''));
  if (OF_CLIENT.test(head)) return undefined;
  const has = new Set<string>();
  let text = '';
  for (let at = 0; at < head.length; ) {
    const [one, end] = piece(head, at, has);
    for (const known of one.match(/%[a-z]/gi) ?? []) has.add(known);
    // The time of a line has milliseconds where two times are there: the other one is the start of its session.
    if (one === '%m') text = text.replace('%t', '%s');
    // What is before the time and looks so is of the program that carries the line.
    if (/^%[mt]$/.test(one) && /[\w*]\[%p\](:| .*\|) $/.test(text) && SURE_PROCESS.test(head.slice(end))) {
      text = text.replace('%p', '*');
      has.delete('%p');
    }
    text += one;
    at = end;
  }
  // What looks like a port tells sessions apart where nothing else does: `%h(%p)`.
  if (!has.has('%p') && !has.has('%c') && HOST_AT_END.test(head)) {
    text = text.replace('%r', '%h(%p)');
    has.add('%p');
  }
  // A line of prose may have such a word; a prefix has a time, a process, or nothing at all.
  if (head !== '' && !['%m', '%t', '%n', '%p', '%c'].some((known) => has.has(known)) && !CODED.test(text))
    return undefined;
  // Other programs write such words with one space, but not behind a time with its zone and a process.
  if (
    whole === null &&
    !BARE.test(line) &&
    !(['%m', '%t'].some((one) => has.has(one)) && ['%p', '%c'].some((one) => has.has(one)))
  )
    return undefined;
  const prefix = compilePrefix(text, whole === null ? ONE_SPACE : COLON);
  return prefix.pattern.test(line) ? prefix : undefined;
}
