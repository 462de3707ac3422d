// Lines of a log as texts of other notations: a text of JSON or a list of them, a member of logfmt, and line ends that were written as \n. Pure.
// Guards: only what has a line of a server in it is taken for such a text; time is in line with the length.
import { isCsvStart } from './csv.ts';
import { type Carried, carriedByTime, inBytes } from './envelope.ts';
import { isJsonStart } from './json.ts';
import { prefixOfLine } from './prefix.ts';

/** Of a text, so many lines are looked at. */
const LOOKED_AT = 50;
const TAB = 9;

function isOfServer(line: string): boolean {
  if (line.charCodeAt(0) === TAB) return true;
  const bare = carriedByTime(line)?.text ?? line;
  return isCsvStart(bare) || isJsonStart(bare) || prefixOfLine(bare) !== undefined;
}

const hasServer = (text: string) => text.split('\n', LOOKED_AT).some(isOfServer);

const carried = (text: string, time = Number.NaN): Carried => ({
  ...{ text: text.replace(/(?<!\n)(?:\r?\n)+$/, ''), isPartial: false, stream: '', time, pid: '' },
});

const JSON_TEXT = /^\s*(?:(?:\[|- )\s*)?"(?:[^"\\]|\\.)*"/;

/** The text of `"…"`, also with the comma of a list behind it, or the texts of `["…", "…"]`, one below the other. */
function textOfJson(line: string): string | undefined {
  if (!JSON_TEXT.test(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line.replace(/^\s*- |,\s*$/g, ''));
    const texts: unknown[] = Array.isArray(value) ? value : [value];
    return texts.every((text) => typeof text === 'string') ? inBytes(texts.join('\n')) : undefined;
  } catch {
    return undefined;
  }
}

const MEMBER = /(?:^| |[{,]")(?:msg|message|log|line|record)(?:=|"=>)("(?:[^"\\]|\\.)*")(?=[ ,}]|$)/g;
const TIME = /(?:^| )(?:ts|time|timestamp)="?(\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:?\d\d))"?(?= |$)/;

/** `level=info msg="…"`, as programs write that log so, and `{"log"=>"…"}` of Fluent Bit. */
function carriedByLogfmt(line: string): Carried | undefined {
  for (const [, quoted = ''] of line.matchAll(MEMBER)) {
    const text = textOfJson(quoted);
    if (text !== undefined && hasServer(text)) return carried(text, Date.parse(TIME.exec(line)?.[1] ?? ''));
  }
  return undefined;
}

/** A line of a server behind a line end that was written as text. */
const WRITTEN_END = /\\n(?:\\t|\t|[<[(]? ?\d{4}-\d\d-\d\d[ T]\d\d:)/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '', '"': '"', "'": "'", '\\': '\\' };

const unescaped = (text: string) =>
  text.replaceAll(/\\(.)/g, (written, sign: string) => ESCAPES[sign] ?? written);

function carriedByEscapes(line: string): Carried | undefined {
  if (!WRITTEN_END.test(line)) return undefined;
  const text = unescaped(line.replace(/^b?['"](.*)['"]$/s, '$1'));
  return hasServer(text) ? carried(text) : undefined;
}

const QUOTE = '"';

const LIST = /^\[ ?['"].*['"] ?\]$/s;
const LISTED = /(?:^\[ ?|, ?)b?(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")(?=, ?b?['"]| ?\]$)/gs;

/** Lines as Python prints a list of them. */
function carriedByList(line: string): Carried | undefined {
  if (!LIST.test(line)) return undefined;
  const texts = [...line.matchAll(LISTED)].map(([, single, double]) => unescaped(single ?? double ?? ''));
  const text = texts.map((one) => one.replace(/\n$/, '')).join('\n');
  return hasServer(text) ? carried(text) : undefined;
}

/** As `aws logs get-log-events --output text` prints them: times around the line. */
const EVENTS = /^EVENTS\t\d{13}\t(.*)\t(\d{13})$/;

/** Undefined where the line is none of these. */
export function carriedByText(line: string): Carried | undefined {
  if (!line.includes(': ') && !line.includes('\\"') && !line.includes('\\t') && !line.includes('\t'))
    return undefined;
  const list = line.startsWith('[') ? carriedByList(line) : undefined;
  if (list !== undefined) return list;
  if (line.includes(`=${QUOTE}`) || line.includes(`=>${QUOTE}`)) {
    const found = carriedByLogfmt(line);
    if (found !== undefined) return found;
  }
  if (line.includes(QUOTE)) {
    const text = textOfJson(line);
    if (text !== undefined && hasServer(text)) return carried(text);
  }
  const [, event, time] = (line.startsWith('EVENTS') && EVENTS.exec(line)) || [];
  if (event !== undefined) return carried(event, Number(time));
  return line.includes('\\n') ? carriedByEscapes(line) : undefined;
}
