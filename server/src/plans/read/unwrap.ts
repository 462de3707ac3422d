// Takes plans out of what they were pasted with: psql's head, frame and marks of continued lines, pgAdmin's quotes, and lines of a log of
// auto_explain in its three forms. Guards: nothing of the plan itself is changed.
import { MOST_PLANS } from '../caps.ts';
import { rejoined } from './rejoin.ts';
import { uncarried } from './uncarried.ts';
import { undressed } from './undressed.ts';

export interface Wrapped {
  text: string;
  /** As auto_explain says. */
  duration_ms: number | null;
}

const LOGGED = /duration: (\d+(?:\.\d+)?) ms {1,2}plan:/;
const LOG_LINE =
  /^(?:\d{4}-\d\d-\d\d[ T]|\d{10}\.\d|[[<(]\S|[^\t ][^\n]{0,300}?\b(?:LOG|DETAIL|HINT|ERROR|FATAL|STATEMENT|CONTEXT|WARNING|NOTICE|INFO|DEBUG\d?): {2})/;

/** Members within members that are looked at: CloudNativePG and Azure have the event one level down. */
const MOST_AROUND = 4;

function messageIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return LOGGED.test(value) ? value : undefined;
  if (typeof value !== 'object' || value === null || depth > MOST_AROUND) return undefined;
  for (const one of Object.values(value)) {
    const found = messageIn(one, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofJsonLog(line: string): string | undefined {
  try {
    return messageIn(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** From the line with `plan:` up to the next line of the log. */
function ofLog(lines: readonly string[], start: number): { plan: string; next: number } {
  const first = lines[start] ?? '';
  const message = first.startsWith('{"') ? ofJsonLog(first) : undefined;
  if (message !== undefined)
    return { plan: message.slice(message.indexOf('plan:') + 'plan:'.length), next: start + 1 };
  const rest = first.slice(first.indexOf('plan:') + 'plan:'.length);
  if (/,"duration: /.test(first)) return ofCsv(lines, start, rest);
  let next = start + 1;
  while (next < lines.length && !LOG_LINE.test(lines[next] ?? '')) next += 1;
  const own = lines.slice(start + 1, next).map((line) => line.replace(/^\t|^#011/, ''));
  return { plan: [rest, ...own].join('\n'), next };
}

/** A field in quotes, in which two quotes are one. */
function ofCsv(lines: readonly string[], start: number, rest: string): { plan: string; next: number } {
  const own: string[] = [];
  for (let at = start; at < lines.length; at += 1) {
    const line = (at === start ? rest : (lines[at] ?? '')).replaceAll('""', '\u0000');
    const end = line.indexOf('"');
    own.push((end === -1 ? line : line.slice(0, end)).replaceAll('\u0000', '"'));
    if (end !== -1) return { plan: own.join('\n'), next: at + 1 };
  }
  return { plan: own.join('\n'), next: lines.length };
}

function fromLog(lines: readonly string[]): Wrapped[] {
  const found: Wrapped[] = [];
  for (let at = 0; at < lines.length && found.length < MOST_PLANS; ) {
    const duration = LOGGED.exec(lines[at] ?? '')?.[1];
    if (duration === undefined) at += 1;
    else {
      const { plan, next } = ofLog(lines, at);
      found.push({ text: plan.trim() === '' ? '' : plan, duration_ms: Number(duration) });
      at = next;
    }
  }
  return found;
}

/** CSV, as pgAdmin and psql write it: a field in quotes may have several lines. JSON that is in no field has lines with quotes of its own. */
function fromCsv(lines: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    if (/^\s*[[{]/.test(line)) return found.concat(lines.slice(at));
    if (line.startsWith('"')) {
      const { plan, next } = ofCsv(lines, at, line.slice(1));
      found.push(plan);
      at = next;
    } else {
      found.push(line);
      at += 1;
    }
  }
  return found.join('\n').split('\n');
}

const HEAD = /^[^\w[{<]*QUERY PLAN[^\w[{<]*$/;
const RULE = /^[\s\-+=|:\u2500-\u257f]*$/;
/** What AsciiDoc, LaTeX, troff, trackers and boards have around, and the type that pgAdmin shows. */
const MARK =
  /^\s*(?:\[(?:options|cols)=.*\]|\|={3,}|\.{4}|\^l\|.*|\{(?:noformat|code\b[^}]*)\}|\[\/?code\]|\.(?:LP|TS|TE|DS L|DE)|center;|l\.|_|\\(?:begin|end)\{.*|\\(?:hline|midrule|endfirsthead|endhead|tabularnewline|noindent|textit|small|fI).*|\* Record \d+|"?text"?)\s*$/;
/** In whatever language psql writes. */
const END = /^\(\d+ \p{L}[\p{L} ]{0,30}\)$/u;

/** One result of psql, below its head. */
function ofResult(lines: readonly string[]): string {
  const end = lines.findIndex((line) =>
    END.test(
      line
        .trim()
        .replace(/^[|│]|[|│]$/g, '')
        .trim(),
    ),
  );
  const own = lines
    .slice(0, end === -1 ? undefined : end)
    .filter((line) => line.trim() === '' || !RULE.test(line));
  // The old way of psql to mark lines of one cell.
  if (own.length > 1 && own.slice(1).every((line) => /^:/.test(line)))
    return own.map((line) => line.replace(/^[:|]|(?<!\s)\s+[:|]$/g, '')).join('\n');
  const isFramed = own.every((line) => line.trim() === '' || /^[|│║]/.test(line));
  // DBeaver draws the right side alone.
  const isBarred = isFramed || own.every((line) => line.trim() === '' || /[|│║]\s*$/.test(line));
  const bare = isBarred ? own.map((line) => line.replace(/^[|│║]/, '').replace(/[|│║]\s*$/, '')) : own;
  return rewrapped(undressed(bare))
    .map((line) => line.replace(/(?<!\s)\s*[+↵]\s*$/, ''))
    .join('\n');
}

/** Lines that `\pset format wrapped` broke, with a mark at both ends; without a margin there is none at the start. */
function rewrapped(lines: readonly string[]): string[] {
  if (!lines.every((line) => line === '' || /^[ .…]/.test(line))) return [...lines];
  const whole: string[] = [];
  for (const line of lines) {
    const before = whole.at(-1)?.trimEnd() ?? '';
    const mark = line.charAt(0);
    if ((mark === '.' || mark === '…') && before.endsWith(mark))
      whole.splice(-1, 1, before.slice(0, -1) + line.slice(1));
    else whole.push(line);
  }
  return whole;
}

/** Each result of psql by itself, also one that was copied without its head. */
function fromPsql(lines: readonly string[]): Wrapped[] {
  const heads = lines.flatMap((line, at) => (HEAD.test(line.trim()) ? [at] : [])).slice(0, MOST_PLANS);
  const [first] = heads;
  if (first === undefined) return [];
  const before = lines.slice(0, first);
  return [
    ...(before.some((line) => line.includes('(cost=')) ? [before] : []),
    ...heads.map((head, at) => lines.slice(head + 1, heads[at + 1])),
  ].map((own) => ({ text: ofResult(own), duration_ms: null }));
}

/** `\x` of psql: the head stands before the first line, and a bar before each. */
const EXPANDED = /^(?:[|│] )?(?:QUERY PLAN\s*| +)[|│]/;

const fromExpanded = (lines: readonly string[]): string =>
  rewrapped(lines.filter((line) => EXPANDED.test(line)).map((line) => line.replace(EXPANDED, '')))
    .map((line) => line.replace(/^ /, '').replace(/(?<!\s)\s*(?:[+↵]\s*)?(?:[|│]\s*)?$/, ''))
    .join('\n');

const TAB_STOP = 8;

/** Tabs as the spaces that they stand for: a tree is read by its indentation. */
function untabbed(line: string): string {
  let text = '';
  for (const one of line.split('\t')) {
    const start = text === '' && one === line ? '' : text;
    text = start + one + ' '.repeat(TAB_STOP - ((start.length + one.length) % TAB_STOP));
  }
  return line.includes('\t') ? text.trimEnd() : line;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&gt;': '>',
  '&lt;': '<',
  '&quot;': '"',
  '&#39;': "'",
  '&#34;': '"',
  '&nbsp;': ' ',
  '&amp;': '&',
};

const TAGS =
  /<\/?(?:pre|code|p|div|span|br|table|thead|tbody|th|td|tr|html|head|body|meta|title)\b[^<>]{0,300}>|<!DOCTYPE[^<>]{0,300}>/g;
const ENDS = /<br ?\/?>(?!\n)|<\/(?:tr|div|p)>(?!\n)/g;

/** As it was copied out of the source of a page. */
const fromPage = (text: string): string =>
  /-&gt;|&quot;Node Type&quot;|&lt;explain |"Node Type"[^\n]{0,99}<br|<td\b[^<>]{0,300}>[^<>]{0,2000}\(cost=/.test(
    text,
  )
    ? text
        .replaceAll(ENDS, '\n')
        .replaceAll(TAGS, '')
        .replaceAll(/&(?:gt|lt|quot|#39|#34|nbsp|amp);/g, (one) => ENTITIES[one] ?? one)
    : text;

const HARD_SPACE = /[\u00a0\u2007\u202f]/g;
/** Where a plan has spaces; elsewhere one may be part of a value. */
const HARD_SPACE_OF_PLAN = /^[ \t]*[\u00a0\u2007\u202f]|[\u00a0\u2007\u202f](?:\(cost=|\(actual|rows=)/m;
const ARROW = /^((?:["'|]|[^\S\r\n\u2028\u2029])*)(?:[\u2192\u21d2]|[\u2013\u2014]>) /gm;

/** What word processors, chats and pages make of spaces, quotes and arrows. */
function plainSigns(written: string): string {
  const text = written.replaceAll(/[\u200b\u200c\u2060]/g, '');
  const spaced = HARD_SPACE_OF_PLAN.test(text) ? text.replaceAll(HARD_SPACE, ' ') : text;
  // Beside plain quotes they are part of a value.
  const isPlain = spaced.includes('"') && !/[\u201c-\u201f](?:Node Type|Plan)[\u201c-\u201f]/.test(spaced);
  const quoted = isPlain ? spaced : spaced.replaceAll(/[\u201c-\u201f]/g, '"');
  return quoted.replaceAll(/\r\n?/g, '\n').replaceAll(ARROW, '$1-> ');
}

/** What a plan has in every format, also one without costs. */
const OF_PLAN = /\(cost=|\(actual |Node[ -]Type|->/;

/** Of a page or chat that marks code: what is between the marks. */
function fenced(text: string): string {
  const found = [...text.matchAll(/^[ \t]*(```|~~~)[^\n]*\n(.*?)^[ \t]*\1/gms)].map(
    ([, , code = '']) => code,
  );
  const code = found.join('\n');
  if (OF_PLAN.test(code)) return code;
  return text.includes('```') ? text.replaceAll(/```(?:[a-z]+$)?/gm, '') : text;
}

/** All plans of a text, in its order; the text itself where nothing is wrapped around one. */
export function unwrap(text: string): Wrapped[] {
  const written = fenced(plainSigns(fromPage(text).replace(/^\ufeff/, '')));
  const lines = undressed(written.split('\n'));
  return fromLines(lines).map((one) => ({
    ...one,
    text: rejoined(one.text.split('\n').map(untabbed)).join('\n'),
  }));
}

function fromLines(lines: readonly string[]): Wrapped[] {
  const logged = fromLog(uncarried(lines, LOGGED));
  if (logged.length > 0) return logged;
  const bare = fromCsv(lines.filter((line) => !MARK.test(line)));
  const printed = fromPsql(bare);
  if (printed.length > 0) return printed;
  const isExpanded = lines.some((line) => /^(?:[|│] )?QUERY PLAN\s*[|│]/.test(line));
  return [
    {
      text: isExpanded ? fromExpanded(lines) : bare.filter((line) => !END.test(line.trim())).join('\n'),
      duration_ms: null,
    },
  ];
}
