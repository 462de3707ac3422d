// Constants of SQL statements within any text: where a statement begins, and what in it is a value. Pure, and in one pass, whatever
// the text is. Guards: what is not closed is taken to its end; names, keywords, parameters and the shape stay.

const START =
  /(?<![\w$])(?:select|insert\s+into|update\s+\S{1,200}\s+(?:as\s+\w{1,63}\s+)?set|delete\s+from|merge\s+into|with\s+(?:recursive\s+)?\S{1,200}\s+as|values\s*\(|(?:create|alter)\s+\w+|set\s+(?:session\s+|local\s+)?[\w.]{1,128}\s*(?:=|to\b)|call\s+\S{1,200}\s*\(|execute\s+\w+|copy\s+\S|comment\s+on|declare\s+\w+|explain\s|do\s+\$|where\s+\S)/giu;

const TOKEN =
  /(?<placeholder>\[(?:text|number|secret|email|address|comment|value) \d+\])|(?<line>--[^\n]*)|(?<block>\/\*)|(?<quoted>"(?:[^"]|"")*(?:"|$))|(?<parameter>\$\d+)|(?<dollar>\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)|(?<quote>'(?:[^']|'')*(?:'|$))|(?<number>(?:0[xob][\da-f_]+|(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d[\d_]*)(?:e[+-]?\d+)?)(?![\w$]))|(?<word>[\p{L}\p{N}_$]+'?)/giuy;
/** A literal in which a backslash hides the quote after it. */
const ESCAPED = /'(?:[^'\\]|\\[\s\S]|'')*(?:'|\\?$)/y;
const HARMLESS_COMMENT = /^[A-Za-z_.,;:/* \n-]*$/;
const PREFIXES = new Set(["e'", "n'", "b'", "x'"]);
/** Words behind which prose does not go on. */
const AFTER_OPERATOR = /(?:[=<>(,+*/%-]|\b(?:in|between|and|limit|offset|like|then|else|when|interval))\s*$/i;

export type LiteralKind = 'text' | 'number' | 'comment';
export type Stand = (kind: LiteralKind, value: string) => string;

/** Where the comment that begins at `start` ends; block comments nest. */
function blockEnd(text: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}

interface Place {
  text: string;
  at: number;
  stand: Stand;
  /** A statement and nothing else: each number in it is a constant. */
  isWhole: boolean;
}

const comment = (body: string, stand: Stand): string => {
  if (HARMLESS_COMMENT.test(body)) return body;
  return body.startsWith('--') ? `-- ${stand('comment', body)}` : `/* ${stand('comment', body)} */`;
};

const inQuotes = (body: string, stand: Stand) =>
  /^'\[(?:text|secret|email|address|value) \d+\]'$/.test(body) || body === "''"
    ? body
    : `'${stand('text', body)}'`;

/** The piece at a place as it may leave, and where the next one begins. */
function piece({ text, at, stand, isWhole }: Place): readonly [kept: string, end: number] {
  TOKEN.lastIndex = at;
  const found = TOKEN.exec(text);
  const groups = found?.groups;
  if (!found || !groups) return [text[at] ?? '', at + 1];
  const [whole] = found;
  const end = at + whole.length;
  if (groups.line !== undefined) return [comment(whole, stand), end];
  if (groups.block !== undefined) {
    const over = blockEnd(text, at);
    return [comment(text.slice(at, over), stand), over];
  }
  if (groups.dollar !== undefined) {
    const close = text.indexOf(whole, end);
    const over = close === -1 ? text.length : close + whole.length;
    return [`${whole}${stand('text', text.slice(at, over))}${whole}`, over];
  }
  if (groups.quote !== undefined) return [inQuotes(whole, stand), end];
  if (groups.number !== undefined) {
    const isConstant = isWhole || AFTER_OPERATOR.test(text.slice(Math.max(0, at - 24), at));
    return [isConstant ? stand('number', whole) : whole, end];
  }
  if (groups.word === undefined || !whole.endsWith("'")) return [whole, end];
  return prefixed({ text, at, stand, isWhole }, whole);
}

/** `E'…'` and its like; any other letter before the quote is an apostrophe of prose. */
function prefixed({ text, at, stand }: Place, word: string): readonly [string, number] {
  const quote = at + word.length - 1;
  if (!PREFIXES.has(word.toLowerCase())) {
    const isApostrophe = /[\p{L}]/u.test(text[quote + 1] ?? '');
    return [isApostrophe ? word : word.slice(0, -1), isApostrophe ? quote + 1 : quote];
  }
  ESCAPED.lastIndex = quote;
  const body = ESCAPED.exec(text)?.[0] ?? text.slice(quote);
  return [`${word.slice(0, -1)}${inQuotes(body, stand)}`, quote + body.length];
}

const BEGINS = /^[\s(;]*(?:\/\*[\s\S]{0,500}?\*\/\s*)?$/;

/** The text with what `stand` gives in place of each constant of the statements in it. */
export function withoutLiterals(text: string, stand: Stand): string {
  START.lastIndex = 0;
  const first = START.exec(text);
  if (!first) return text;
  const before = text.slice(0, first.index);
  const isWhole = BEGINS.test(before.slice(-600)) && before.length <= 600;
  const out = [before];
  for (let at = first.index; at < text.length; ) {
    const [kept, end] = piece({ text, at, stand, isWhole });
    out.push(kept);
    at = end;
  }
  return out.join('');
}
