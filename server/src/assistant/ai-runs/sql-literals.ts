// Constants of SQL statements within any text: where a statement begins, and what in it is a value. Pure, and in one pass, whatever
// the text is. Guards: what is not closed is taken to its end; names, keywords, parameters and the shape stay.

import { commentEnd } from '../../kernel/comment-end.ts';
import { SECRET_BEFORE } from './secret-patterns.ts';

const START =
  /(?<![\w$])(?:select|insert\s+into|update\s+\S{1,200}\s+(?:as\s+\w{1,63}\s+)?set|delete\s+from|merge\s+into|with\s+(?:recursive\s+)?\S{1,200}\s+as|values\s*\(|(?:create|alter)\s+\w+|set\s+(?:session\s+|local\s+)?[\w.]{1,128}\s*(?:=|to\b)|call\s+\S{1,200}\s*\(|execute\s+\w+|copy\s+\S|comment\s+on|declare\s+\w+|explain\s|do\s+(?:\$|')|where\b|notify\s+\w+\s*,|(?:prepare\s+transaction|(?:commit|rollback)\s+prepared)\s|security\s+label\s|update\s+(?:only\s+)?\S{1,200}\s+(?:\*\s*)?(?:\w{1,63}\s+)?set\s|(?:Filter|Cond|Sort Key|Group Key|Cache Key|Order By|Partition By|Output|Function Call|Remote SQL):\s)/giu;

const TOKEN =
  /(?<placeholder>\[(?:text|number|secret|email|address|comment|value) \d+\])|(?<line>--[^\n]*)|(?<block>\/\*)|(?<quoted>"(?:[^"]|"")*(?:"|$))|(?<parameter>\$\d+)|(?<dollar>\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)|(?<quote>'(?:[^']|'')*(?:'|$))|(?<number>(?:0[xob][\da-f_]+|(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d[\d_]*)(?:e[+-]?\d+)?)(?![\w$]))|(?<word>[\p{L}\p{N}_$]+'?)/giuy;
/** What is passed over in one go: words that no quote follows, and signs that begin nothing. */
const NO_CONSTANT = /(?:[\p{L}_][\p{L}\p{N}_]*(?![\p{L}\p{N}_$'])|[\s,;=<>()+*:])+/uy;
const NO_STRING = /(?:[\p{L}\p{N}_]+(?![\p{L}\p{N}_$'])|[\s.,;=<>()+*:])+/uy;
/** A literal in which a backslash hides the quote after it. */
const ESCAPED = /'(?:[^'\\]|\\[\s\S]|'')*(?:'|\\?$)/y;
const HARMLESS_COMMENT = /^[A-Za-z_.,;:/* \n-]*$/;
/** What is no name. */
const HOLDS = /['$]|[=<>(,]\s?\d|\b(?:limit|offset)\s\d|\/\*/i;
const PREFIXES = new Set(["e'", "n'", "b'", "x'"]);
/** Figures of a plan. */
const OF_PLAN = /(?:\b(?:cost|rows|width|time|loops|hit|read|dirtied|written)=|\d\.\.)$/;
/** Words behind which prose does not go on. */
const AFTER_OPERATOR = /(?:[=<>(,+*/%-]|\b(?:in|between|and|limit|offset|like|then|else|when|interval))\s*$/i;

export type LiteralKind = 'text' | 'number' | 'comment' | 'secret';
export type Stand = (kind: LiteralKind, value: string) => string;

interface ScanPosition {
  text: string;
  at: number;
  stand: Stand;
  /** A statement and nothing else: each number in it is a constant. */
  isWhole: boolean;
  /** Numbers and comments stay. */
  isOfStrings?: boolean;
}

const STOOD = /^\[(?:text|secret|email|address|value|comment|number) \d+\]$/;
/** How far back a name may stand that says what a string is. */
const BEFORE = 80;

const comment = (body: string, stand: Stand): string => {
  if (HARMLESS_COMMENT.test(body) || STOOD.test(body.replace(/^(?:--|\/\*) | \*\/$/g, ''))) return body;
  return body.startsWith('--') ? `-- ${stand('comment', body)}` : `/* ${stand('comment', body)} */`;
};

const inQuotes = ({ text, at, stand }: ScanPosition, body: string) =>
  body === "''" || STOOD.test(body.slice(1, -1))
    ? body
    : `'${stand(SECRET_BEFORE.test(text.slice(Math.max(0, at - BEFORE), at)) ? 'secret' : 'text', body)}'`;

/** The piece at a place as it may leave, and where the next one begins. */
function piece(place: ScanPosition): readonly [kept: string, end: number] {
  const { text, at, stand, isWhole, isOfStrings } = place;
  const plain = isOfStrings ? NO_STRING : NO_CONSTANT;
  plain.lastIndex = at;
  if (plain.test(text)) return [text.slice(at, plain.lastIndex), plain.lastIndex];
  TOKEN.lastIndex = at;
  const found = TOKEN.exec(text);
  const groups = found?.groups;
  if (!found || !groups) return [text[at] ?? '', at + 1];
  const [whole] = found;
  const end = at + whole.length;
  if (groups.line !== undefined) return [isOfStrings ? whole : comment(whole, stand), end];
  if (groups.block !== undefined) {
    const over = commentEnd(text, at);
    const body = text.slice(at, over);
    return [isOfStrings ? body : comment(body, stand), over];
  }
  if (groups.dollar !== undefined) {
    const close = text.indexOf(whole, end);
    const over = close === -1 ? text.length : close + whole.length;
    const body = text.slice(end, close === -1 ? text.length : close);
    return [`${whole}${STOOD.test(body) ? body : stand('text', text.slice(at, over))}${whole}`, over];
  }
  if (groups.quoted !== undefined) return [HOLDS.test(whole) ? within(place, whole) : whole, end];
  if (groups.quote !== undefined) return [inQuotes(place, whole), end];
  if (groups.number !== undefined) {
    const before = text.slice(Math.max(0, at - 24), at);
    const isConstant = !isOfStrings && (isWhole || (AFTER_OPERATOR.test(before) && !OF_PLAN.test(before)));
    return [isConstant ? stand('number', whole) : whole, end];
  }
  if (groups.word === undefined || !whole.endsWith("'")) return [whole, end];
  return prefixed(place, whole);
}

/** A name in quotes, or a text of JSON that holds a statement. */
function within({ stand, isOfStrings = false }: ScanPosition, whole: string): string {
  const close = whole.length > 1 && whole.endsWith('"') ? '"' : '';
  const inner = whole.slice(1, whole.length - close.length);
  const out: string[] = [];
  for (let at = 0; at < inner.length; ) {
    const [kept, end] = piece({ text: inner, at, stand, isWhole: false, isOfStrings });
    out.push(kept);
    at = end;
  }
  return `"${out.join('')}${close}`;
}

/** `E'…'` and its like; any other letter before the quote is an apostrophe of prose. */
function prefixed(place: ScanPosition, word: string): readonly [string, number] {
  const { text, at } = place;
  const quote = at + word.length - 1;
  if (!PREFIXES.has(word.toLowerCase())) {
    const isApostrophe = /[\p{L}]/u.test(text[quote + 1] ?? '');
    return [isApostrophe ? word : word.slice(0, -1), isApostrophe ? quote + 1 : quote];
  }
  ESCAPED.lastIndex = quote;
  const body = ESCAPED.exec(text)?.[0] ?? text.slice(quote);
  return [`${word.slice(0, -1)}${inQuotes(place, body)}`, quote + body.length];
}

/** Where the first thing stands that is neither space nor comment. */
function beginning(text: string): number {
  const skipped = /[\s(;]+|--[^\n]*/y;
  for (let at = 0; ; ) {
    skipped.lastIndex = at;
    if (text.startsWith('/*', at)) at = commentEnd(text, at);
    else if (skipped.test(text)) at = skipped.lastIndex;
    else return at;
  }
}

/** What comments say in a text that is no statement. */
function withoutComments(text: string, stand: Stand, isBeforeStatement: boolean): string {
  const out: string[] = [];
  let end = 0;
  for (let at = text.indexOf('/*'); at !== -1; at = text.indexOf('/*', end)) {
    const over = commentEnd(text, at);
    out.push(
      text.slice(end, at),
      text.endsWith('*/') || over < text.length ? comment(text.slice(at, over), stand) : text.slice(at, over),
    );
    end = over;
  }
  const kept = out.join('') + text.slice(end);
  return isBeforeStatement
    ? kept.replace(/^[ \t]*--(?!-)[^\n]*/gm, (found) => comment(found.trimStart(), stand))
    : kept;
}

/** Where the line begins that holds the first constant with a type, as conditions of plans have them. */
function typedConstant(text: string): number {
  const at = text.indexOf("'::");
  return at === -1 ? -1 : text.lastIndexOf('\n', at) + 1;
}

const IN_PLAN = /:\s$/;

/** An expression on its own, such as the condition of a plan, without its constants. */
export function expressionWithoutLiterals(text: string, stand: Stand): string {
  const out: string[] = [];
  for (let at = 0; at < text.length; ) {
    const [kept, end] = piece({ text, at, stand, isWhole: true });
    out.push(kept);
    at = end;
  }
  return out.join('');
}

/** Where statements begin in a text; undefined where there are none. */
function statementsOf(text: string): { start: number; isWhole: boolean } | undefined {
  START.lastIndex = 0;
  const first = START.exec(text);
  const typed = typedConstant(text);
  if (!first && typed === -1) return undefined;
  const isWhole = !IN_PLAN.test(first?.[0] ?? ':') && beginning(text) === first?.index;
  const start = isWhole ? 0 : Math.min(first?.index ?? text.length, typed === -1 ? text.length : typed);
  return { start, isWhole };
}

/** The same with the strings alone masked, so that nothing else that is taken out of the text can take the end of one with it. */
export function withoutStrings(text: string, stand: Stand): string {
  const start = statementsOf(text)?.start;
  if (start === undefined) return text;
  const out = [text.slice(0, start)];
  for (let at = start; at < text.length; ) {
    const [kept, end] = piece({ text, at, stand, isWhole: false, isOfStrings: true });
    out.push(kept);
    at = end;
  }
  return out.join('');
}

/** The text with what `stand` gives in place of each constant of the statements in it. */
export function withoutLiterals(text: string, stand: Stand): string {
  const found = statementsOf(text);
  if (!found) return withoutComments(text, stand, false);
  const { start, isWhole } = found;
  const out = [withoutComments(text.slice(0, start), stand, true)];
  for (let at = start; at < text.length; ) {
    const [kept, end] = piece({ text, at, stand, isWhole });
    out.push(kept);
    at = end;
  }
  return out.join('');
}
