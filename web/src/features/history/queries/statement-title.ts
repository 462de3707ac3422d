// What a DBA calls a statement: its verb and the tables it names, read off the text that pg_stat_statements keeps. Pure. Guards: it is a
// label beside the text, never in place of it; a text that it cannot read has none.

import { cutText } from '../../../lib/inert-text.ts';

export interface StatementTitle {
  /** SELECT, INSERT, UPDATE, DELETE or MERGE. */
  verb: string;
  /** As they are written, each once, in the order of the text. */
  tables: string[];
}

/** A longer text is read up to here. */
const MOST_READ = 20_000;
const VERBS = new Set(['select', 'insert', 'update', 'delete', 'merge']);
const BEFORE_TABLE = new Set(['from', 'join', 'into', 'update', 'using']);
/** Their arguments hold "from" without a table. */
const FROM_IN_ARGUMENTS = new Set(['extract', 'substring', 'trim', 'overlay', 'position']);
const NO_TABLE = new Set(['select', 'lateral', 'unnest', 'values', 'set', 'rows', 'only']);

const TOKENS =
  /\/\*[\s\S]*?\*\/|--[^\n]*|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)(?:\s*\.\s*(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*))*|[(),;]/gu;

const isName = (token: string) => /^["\p{L}_]/u.test(token);
const isText = (token: string) => /^(?:\/\*|--|'|\$)/.test(token);

/** Words, names and brackets, without comments and constants. */
function tokensOf(query: string): string[] {
  const found = cutText(query, MOST_READ).match(TOKENS) ?? [];
  return found.filter((token) => !isText(token)).map((token) => token.replaceAll(/(?<!\s)\s*\.\s*/g, '.'));
}

/** Names of the queries of WITH: they are no tables. */
function namesOfWith(tokens: readonly string[]): Set<string> {
  const names = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    if (token.toLowerCase() !== 'as') continue;
    const isQuery = ['(', 'materialized', 'not'].includes(tokens[at + 1]?.toLowerCase() ?? '');
    const name = tokens[at - 1];
    if (isQuery && name !== undefined) names.add(name);
  }
  return names;
}

/** Walks a text and remembers within which calls it is. */
class TableReader {
  readonly tables: string[] = [];
  readonly #tokens: readonly string[];
  readonly #others: ReadonlySet<string>;
  readonly #calls: string[] = [];

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
    this.#others = namesOfWith(tokens);
  }

  #word(at: number): string {
    return this.#tokens[at]?.toLowerCase() ?? '';
  }

  #isBeforeTable(at: number): boolean {
    const word = this.#word(at);
    if (!BEFORE_TABLE.has(word)) return false;
    const before = this.#word(at - 1);
    if (word === 'update') return at === 0 || before === '(' || before === ')' || before === ';';
    if (word === 'from') return before !== 'distinct' && !FROM_IN_ARGUMENTS.has(this.#calls.at(-1) ?? '');
    return true;
  }

  #takeList(first: number): void {
    let at = first;
    for (;;) {
      while (['only', 'table'].includes(this.#word(at))) at += 1;
      const name = this.#tokens[at];
      if (name === undefined || !isName(name) || NO_TABLE.has(name.toLowerCase())) return;
      const isFunction = this.#tokens[at + 1] === '(' && this.#word(first - 1) !== 'into';
      if (!isFunction && !this.#others.has(name) && !this.tables.includes(name)) this.tables.push(name);
      // An alias may be between a table and the next of the list.
      let next = at + 1;
      if (this.#word(next) === 'as') next += 1;
      if (this.#tokens[next] !== ',' && isName(this.#tokens[next] ?? '')) next += 1;
      if (this.#tokens[next] !== ',') return;
      at = next + 1;
    }
  }

  read(): string[] {
    for (const [at, token] of this.#tokens.entries()) {
      if (token === '(') this.#calls.push(this.#word(at - 1));
      else if (token === ')') this.#calls.pop();
      else if (this.#isBeforeTable(at)) this.#takeList(at + 1);
    }
    return this.tables;
  }
}

/** The verb outside of brackets: what WITH prepares is no verb of the statement. */
function verbOf(tokens: readonly string[]): string | undefined {
  let depth = 0;
  for (const token of tokens) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (depth === 0 && VERBS.has(token.toLowerCase())) return token.toUpperCase();
  }
  return undefined;
}

/** Undefined where the text is no SELECT, INSERT, UPDATE, DELETE or MERGE, or names no table. */
export function statementTitle(query: string): StatementTitle | undefined {
  const tokens = tokensOf(query);
  const first = tokens[0]?.toLowerCase() ?? '';
  if (first !== 'with' && first !== '(' && !VERBS.has(first)) return undefined;
  const verb = verbOf(tokens) ?? (first === '(' ? 'SELECT' : undefined);
  const tables = verb === undefined ? [] : new TableReader(tokens).read();
  return verb === undefined || tables.length === 0 ? undefined : { verb, tables };
}

export interface StatementTag {
  name: string;
  value: string;
}

const MOST_TAGS = 8;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The pairs that an application put into comments of its text, as sqlcommenter writes them: `route='%2Fcart'`. */
export function statementTags(query: string): StatementTag[] {
  const comments = cutText(query, MOST_READ).match(/\/\*[\s\S]*?\*\//g) ?? [];
  const pairs = comments.flatMap((comment) => [
    ...comment.matchAll(/(?<![\w%.-])([\w%.-]+)='((?:[^'\\]|\\.)*)'/g),
  ]);
  return pairs.slice(0, MOST_TAGS).map(([, name = '', value = '']) => ({
    name: decoded(name),
    value: decoded(value.replaceAll("\\'", "'")),
  }));
}
