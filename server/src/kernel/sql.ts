// Plain SQL with bound parameters. Values only ever travel as parameters; fragments nest; there is no way to put
// a string into the text except by writing it in the source.

import { createHash } from 'node:crypto';
import { cutText } from './inert-text.ts';
import { FIRST_MS } from './times.ts';

export interface Sql {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Set by `prepared`: the name under which each connection keeps the parsed statement. */
  readonly name?: string;
  /** Ends it while it is under way: whoever waited has left. */
  readonly signal?: AbortSignal;
}

/** Stands in a statement for a value that is not known yet. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

class Fragment implements Sql {
  readonly strings: readonly string[];
  readonly parts: readonly unknown[];
  #built: { text: string; values: unknown[] } | undefined;

  constructor(strings: readonly string[], parts: readonly unknown[]) {
    this.strings = strings;
    this.parts = parts;
  }

  #build(): { text: string; values: unknown[] } {
    this.#built ??= render(this);
    return this.#built;
  }
  get text(): string {
    return this.#build().text;
  }
  get values(): readonly unknown[] {
    return this.#build().values;
  }
}

function render(root: Fragment): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const write = (fragment: Fragment): string =>
    fragment.strings.reduce((text, piece, index) => {
      if (index === 0) return piece;
      const part = fragment.parts[index - 1];
      if (part instanceof Fragment) return text + write(part) + piece;
      const same = part instanceof Placeholder ? values.indexOf(part) : -1;
      const number = same === -1 ? values.push(part) : same + 1;
      return `${text}$${number}${piece}`;
    }, '');
  return { text: write(root), values };
}

/**
 * Builds a statement; every interpolated value becomes a parameter, every interpolated `sql` a part of the text.
 * Statements begin with their name in a comment, so that pg_stat_statements shows who sent them.
 */
export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  return new Fragment(strings, parts);
}

const NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * A table's or column's name as part of the text, quoted. Only for names made of a-z, 0-9 and _, as those that probe
 * definitions carry; anything else is an error, so that no foreign text ever becomes SQL.
 */
export function identifier(name: string): Sql {
  if (!NAME.test(name)) throw new Error(`not a name for SQL: ${JSON.stringify(cutText(name, 80))}`);
  return new Fragment([`"${name}"`], []);
}

/**
 * Such a name as a text constant, for what a parameter cannot be: a view's definition, a predicate that a partial index
 * has to match whatever the plan.
 */
export function nameLiteral(name: string): Sql {
  if (!NAME.test(name)) throw new Error(`not a name for SQL: ${JSON.stringify(cutText(name, 80))}`);
  return new Fragment([`'${name}'`], []);
}

const COMMA: Sql = new Fragment([', '], []);

/** Fragments with a separator between them. */
export function join(fragments: readonly Sql[], separator: Sql = COMMA): Sql {
  const parts = fragments.flatMap((fragment, index) => (index === 0 ? [fragment] : [separator, fragment]));
  return new Fragment(
    Array.from({ length: parts.length + 1 }, () => ''),
    parts,
  );
}

/** A moment from milliseconds since the epoch; what lies before the first that can be stored is that one. */
export const timeOf = (ms: number): Sql =>
  sql`${new Date(Math.max(FIRST_MS, ms)).toISOString()}::timestamptz`;

const names = new Map<string, string>();
/** The same text has the same name in every process, so a pooler in between can never mix two statements up. */
const nameOf = (text: string) => `m_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;

/**
 * Lets every connection parse and plan the statement once instead of at each call, which for a join of small tables
 * is most of its cost. Only for statements of hot paths whose text is always the same.
 */
export function prepared(statement: Sql): Sql {
  const { text, values } = statement;
  const name = names.get(text) ?? nameOf(text);
  names.set(text, name);
  return { text, values, name };
}

/**
 * A prepared statement that is written once, when it is asked for the first time: to put a long one together again for each
 * request takes longer than much of what it asks. `write` is given a place for each name, wherever its value is to go.
 */
export function preparedOnce<N extends string>(
  names: readonly N[],
  write: (places: Record<N, Sql>) => Sql,
): (values: Record<N, unknown>) => Sql {
  let written: Sql | undefined;
  return (values) => {
    written ??= prepared(write(placesOf(names)));
    const given: Record<string, unknown> = values;
    return {
      ...written,
      values: written.values.map((one) => (one instanceof Placeholder ? given[one.name] : one)),
    };
  };
}

const placesOf = <N extends string>(names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, sql`${new Placeholder(name)}`])) as Record<N, Sql>;

export const empty: Sql = new Fragment([''], []);
