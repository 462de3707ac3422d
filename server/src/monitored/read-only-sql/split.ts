// One text as the statements that are in it, by a lexer that knows quotes, dollar quotes and comments. Pure. Guards: what is within any of
// them ends no statement; one message to a server never carries two.
import { commentEnd } from '../../kernel/comment-end.ts';

/** From a place on: a text in quotes (backslashes count behind an e), a name, a dollar quote or a comment; sticky. */
const TOKENS =
  /--[^\n]*|\/\*|[eE]'(?:[^'\\]|\\.|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d[\w.]*|\$\d+|./suy;

const isComment = (token: string) => token.startsWith('--') || token === '/*';

/** Bodies of functions in standard SQL have semicolons within: `begin atomic … end`, with `case … end` in it. */
class Bodies {
  #depth = 0;
  #words: string[] = [];

  /** Whether a semicolon here ends no statement. */
  get isWithin(): boolean {
    return this.#depth > 0;
  }

  word(token: string): void {
    const word = token.toLowerCase();
    const before = this.#words.at(-1);
    const makes = this.#words[0] === 'create';
    if (makes && word === 'atomic' && before === 'begin') this.#depth += 1;
    else if (this.#depth > 0 && word === 'case') this.#depth += 1;
    else if (this.#depth > 0 && word === 'end') this.#depth -= 1;
    this.#words = this.#words.length === 0 ? [word] : [this.#words[0] ?? '', word];
  }

  clear(): void {
    this.#depth = 0;
    this.#words = [];
  }
}

/** Without their semicolons; those that are empty or only comments are left out. */
export function splitStatements(text: string): string[] {
  const found: string[] = [];
  const bodies = new Bodies();
  let [from, hasText, parens] = [0, false, 0];
  const end = (at: number) => {
    if (hasText) found.push(text.slice(from, at).trim());
    [from, hasText, parens] = [at + 1, false, 0];
    bodies.clear();
  };
  for (let at = 0; at < text.length; ) {
    TOKENS.lastIndex = at;
    const match = TOKENS.exec(text);
    const token = match?.[0] ?? text.charAt(at);
    if (token === ';' && parens === 0 && !bodies.isWithin) end(at);
    else if (!isComment(token) && token.trim() !== '') {
      hasText = true;
      if (/^[A-Za-z_]\w*$/.test(token)) bodies.word(token);
      parens = Math.max(0, parens + (token === '(' ? 1 : token === ')' ? -1 : 0));
    }
    at += token.length;
    if (token === '/*') at = commentEnd(text, at - 2);
    else if (/^\$(?:[^\d]|$)/u.test(token) && token.length > 1) {
      const close = text.indexOf(token, at);
      at = close === -1 ? text.length : close + token.length;
    }
  }
  end(text.length);
  return found;
}
