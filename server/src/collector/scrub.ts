// Blanks secrets in statements of others: what follows a word such as password in code, what a connection string inside a
// literal or comment carries, every literal of a statement that is no query (`alter system set …`, `call …`, `set …`), and
// whatever a custom parameter or one of the operator's names is set to. Pure. Guards: a statement cut in the middle of a secret is blanked to
// its end; where the meaning is unclear, more is blanked rather than less.
import { commentEnd } from '../kernel/comment-end.ts';
import { ScrubbedTexts } from './scrubbed-texts.ts';

const BLANK = '********';
const MAX_DEPTH = 4;
/** How much of the code in front of a literal is looked at. */
const CONTEXT = 200;

const SECRET_WORD =
  '(?:passw|passphrase|passcode|pass(?![a-z])|pwd|secret|credential|token|api_?key|access_?key|private_?key)\\w{0,40}';

/** A name of the operator's, which ends where it ends; `*` stands for any letters of names. */
const namePattern = (name: string) =>
  `(?<![\\w.$])${name.replaceAll(/[.$-]/g, '\\$&').replaceAll('*', '[\\w.$-]{0,63}')}(?![\\w.$])`;

/** What makes a word of a statement the name of a secret, in each place where it can stand. */
interface Rules {
  readonly names: RegExp | undefined;
  /** The code right in front of a literal that makes it a secret: `password '`, `password := E'`, `'x.secret', '`. */
  readonly beforeSecret: RegExp;
  readonly beforeName: RegExp;
  /** `password='…'` of a connection string; quotes are doubled inside a literal. */
  readonly inText: RegExp;
  readonly assigned: RegExp;
  /** `set name = value` without quotes. */
  readonly namedSet: RegExp | undefined;
}

function rulesFor(names: readonly string[]): Rules {
  const own = names.map(namePattern).join('|');
  const word = own === '' ? SECRET_WORD : `(?:${SECRET_WORD}|${own})`;
  return {
    names: own === '' ? undefined : new RegExp(`^(?:${own})$`, 'i'),
    beforeSecret: new RegExp(`${word}["']?\\s*(?:=>?|:=|,|\\bto)?\\s*(?:\\b(?:e|n|u&))?$`, 'i'),
    beforeName: new RegExp(`${word}\\s*=?\\s*$`, 'i'),
    inText: new RegExp(
      `(${word}"?\\s{0,20}(?:=|:|\\bto\\b|\\s)\\s{0,20}(?:e|u&)?)(?:\\\\'(?:.*\\\\'|.*$)|''(?:[^'\\\\]|\\\\.|'''')*(?:''|$)|'(?:[^'\\\\]|\\\\.)*(?:'|$)|"(?:[^"\\\\]|\\\\.)*(?:"|$))`,
      'gis',
    ),
    assigned: new RegExp(`(${word}"?\\s{0,20}[=:]\\s{0,20})(?![\\s'"\\\\:=]|\\*{8})[^\\s&'"]+`, 'gi'),
    namedSet:
      own === ''
        ? undefined
        : new RegExp(
            `(\\bset\\s+(?:(?:session|local)\\s+)?"?(?:${own})"?\\s*(?:=|\\bto\\b)\\s*)(?!default\\b|'\\*{8}')[^\\s;'][^;']*`,
            'gi',
          ),
  };
}

const ROLE_STATEMENT = /^\s*(?:create|alter)\s+(?:role|user|group)\b/i;
/** A password without any quotes, which the server refuses but shows. */
const BARE = /(\bpassword\s+)(?!null\b|(?:e|n|u&)?'|\$|")[^\s';]+/gi;
/** `set app.x = value` and `set app.x to value`: whatever a custom parameter is given. */
const CUSTOM_SET =
  /(\bset\s+(?:(?:session|local)\s+)?["\w$]+(?:\.["\w$]+)+\s*(?:=|\bto\b)\s*)(?!default\b|'\*{8}')[^\s;'][^;']*/gi;
/** What a statement that reads or writes rows begins with; literals of all others are blanked. */
const QUERY = /^(?:select|with|insert|update|delete|merge|values|table|explain|declare|fetch)$/i;
/** Statements whose dollar-quoted literal is a body of statements. */
const HOLDS_BODY = /^(?:do|create)$/i;
const IN_URL = /(:\/\/[^\s:/@'"]{0,200}:)[^\s@'"]+(?=@|$)/g;

/** One piece of a statement: a comment, a dollar-quoted body, a literal, a quoted name, or the code up to the next. */
const PIECE =
  /(?<comment>--|\/\*)|(?<dollar>\$(?<tag>(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?)\$)|(?<quote>')|(?<name>"(?:[^"]|"")*(?:"|$))|(?<code>(?:\$\d+|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*|[\s\S])(?:[^-/$'"a-z_\u0080-\uffff]*))/giy;

/** Where the comment that begins at `start` ends; block comments nest. */
function endOfComment(text: string, start: number): number {
  if (text[start] === '-') {
    const end = text.indexOf('\n', start);
    return end === -1 ? text.length : end;
  }
  return commentEnd(text, start);
}

/** Where the literal that begins at `start` ends, its closing quote included; a cut one ends with the text. */
function literalEnd(text: string, start: number, escapes: boolean): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at];
    if (escapes && character === '\\') at += 1;
    else if (character === "'") {
      if (text[at + 1] !== "'") return at + 1;
      at += 1;
    }
  }
  return text.length;
}

function scrubText(text: string, { inText, assigned }: Rules): string {
  return text.replace(inText, `$1${BLANK}`).replace(assigned, `$1${BLANK}`).replace(IN_URL, `$1${BLANK}`);
}

function scrubBody(body: string, depth: number, rules: Rules): string {
  return depth > 0 ? scrubText(scrub(body, depth - 1, rules), rules) : BLANK;
}

/** Comments and continuation do not part a word from its literal. */
class Context {
  readonly rules: Rules;
  #code = '';
  #afterSecret = false;
  /** What the statement begins with; undefined before its first word. */
  #verb: string | undefined;

  constructor(rules: Rules) {
    this.rules = rules;
  }

  add(code: string): void {
    if (code.trim() !== '') this.#afterSecret = false;
    const end = code.lastIndexOf(';');
    if (end !== -1) this.#verb = undefined;
    this.#verb ??= /[a-z_]+/i.exec(code.slice(end + 1))?.[0];
    this.#code = (this.#code + code).slice(-CONTEXT);
  }

  /** Whether a literal here is a secret, also as the continuation of one. */
  takesSecret(): boolean {
    this.#afterSecret ||= this.rules.beforeSecret.test(this.#code);
    return this.#afterSecret;
  }

  /** Whether no literal of the statement may be kept, since it is no query. */
  get isUtility(): boolean {
    return this.#verb !== undefined && !QUERY.test(this.#verb);
  }

  get holdsBody(): boolean {
    return this.#verb === undefined || HOLDS_BODY.test(this.#verb);
  }

  /** People write double quotes by mistake; the server shows the statement that failed. */
  takesSecretName(): boolean {
    return this.rules.beforeName.test(this.#code);
  }

  literal(text: string): void {
    this.#code = (this.#code + text).slice(-CONTEXT);
  }

  get escapes(): boolean {
    return /(?:^|[^\w$])e$/i.test(this.#code);
  }
}

/** A piece as it may be kept, and where the next one begins. */
type Piece = readonly [kept: string, end: number];

function literal(text: string, at: number, context: Context): Piece {
  const end = literalEnd(text, at, context.escapes);
  const secret = context.takesSecret() || context.isUtility;
  const closed = end - at > 1 && text[end - 1] === "'";
  const body = text.slice(at + 1, closed ? end - 1 : end);
  context.literal(secret ? "''" : `'${body}'`);
  return [`'${secret ? BLANK : scrubText(body, context.rules)}${closed || secret ? "'" : ''}`, end];
}

function dollarQuoted(text: string, at: number, of: { tag: string; depth: number; context: Context }): Piece {
  const { tag, depth, context } = of;
  const start = at + tag.length;
  const close = text.indexOf(tag, start);
  const body = text.slice(start, close === -1 ? text.length : close);
  const isBlank = context.takesSecret() || (context.isUtility && !context.holdsBody);
  const kept = isBlank ? BLANK : scrubBody(body, depth, context.rules);
  context.literal("''");
  return close === -1 ? [tag + kept, text.length] : [tag + kept + tag, close + tag.length];
}

function piece(text: string, at: number, { depth, context }: { depth: number; context: Context }): Piece {
  PIECE.lastIndex = at;
  const { comment, dollar, quote, name, code = '' } = PIECE.exec(text)?.groups ?? { code: text.slice(at) };
  if (quote !== undefined) return literal(text, at, context);
  if (dollar !== undefined) return dollarQuoted(text, at, { tag: dollar, depth, context });
  if (comment !== undefined) {
    const end = endOfComment(text, at);
    context.add(' ');
    return [scrubText(text.slice(at, end), context.rules), end];
  }
  const secret = name !== undefined && context.takesSecretName();
  context.add(name ?? code);
  return [secret ? `"${BLANK}"` : (name ?? code), at + (name ?? code).length];
}

function scrub(text: string, depth: number, rules: Rules): string {
  const context = new Context(rules);
  let out = '';
  for (let at = 0; at < text.length; ) {
    const [kept, end] = piece(text, at, { depth, context });
    out += kept;
    at = end;
  }
  const set = out.replace(CUSTOM_SET, `$1${BLANK}`);
  const kept = rules.namedSet ? set.replace(rules.namedSet, `$1${BLANK}`) : set;
  return ROLE_STATEMENT.test(kept) ? kept.replace(BARE, `$1${BLANK}`) : kept;
}

/** Blanks secrets, those in parameters of the operator's choice (`collector.masked_parameters`) among them. */
export class Scrubber {
  readonly #rules: Rules;
  readonly #texts: ScrubbedTexts;

  constructor(maskedParameters: readonly string[] = []) {
    const rules = rulesFor(maskedParameters);
    this.#rules = rules;
    this.#texts = new ScrubbedTexts((text) => scrub(text, MAX_DEPTH, rules));
  }

  /**
   * The statement with `********` in place of secrets.
   * @example new Scrubber().statement("alter role app password 'hunter2'") === "alter role app password '********'"
   */
  statement(text: string): string {
    return this.#texts.of(text);
  }

  /** The value of a parameter; what looks like a secret was masked on the server already. */
  parameter(name: string, value: string): string {
    return value !== '' && this.#rules.names?.test(name) ? BLANK : value;
  }
}
