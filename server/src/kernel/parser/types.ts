// What is said of a statement that was parsed. Plain data, since it comes from a worker.

/** A column as it is written: with the table or alias before it, if there is one. */
export interface ColumnUse {
  readonly table: string | null;
  readonly column: string;
}

/** `value`: without a column in it. `column`: one column. `other`: an expression of columns. */
export type Against =
  | { readonly kind: 'value'; readonly parameters: readonly number[] }
  | ({ readonly kind: 'column' } & ColumnUse)
  | { readonly kind: 'other' };

/** One of the conditions that all have to hold, on a bare column. */
export interface Condition extends ColumnUse {
  /** An operator as it is written, or `in`, `between`, `like`, `is null`, `is not null`. */
  readonly operator: string;
  readonly against: Against;
}

export interface Order extends ColumnUse {
  readonly isDescending: boolean;
}

export interface Relation {
  readonly schema: string | null;
  readonly name: string;
  readonly alias: string | null;
  /** It names what a `with` of the statement defines. */
  readonly isWith: boolean;
  /** The byte of the text that its name begins at, with its schema. */
  readonly at: number;
}

/** One select, update or delete with the tables that it names itself; one within another is a scope of its own. */
export interface Scope {
  readonly relations: readonly Relation[];
  /** Those of `where` and of joins. */
  readonly conditions: readonly Condition[];
  /** Columns that it sorts by, up to the first that is an expression. */
  readonly order: readonly Order[];
  readonly hasLimit: boolean;
  /** It returns groups or sums rather than rows. */
  readonly isGrouped: boolean;
}

/** A name that the server will look up when it runs the statement. */
export interface NameUse {
  /**
   * A `column` may also be written for a function of a row: `t.f` for `f(t)`. A `field` is one of the names in `(e).f.g`: a part of
   * a value, or a function or type that the value is given to.
   */
  readonly of: 'function' | 'operator' | 'type' | 'column' | 'field';
  /** With its schema before it where it is written so. */
  readonly parts: readonly string[];
  /** The byte of the text that it begins at. */
  readonly at: number;
}

export interface ParsedStatement {
  /** The root node in PostgreSQL's sources, e.g. `SelectStmt`. */
  readonly root: string;
  /** Every kind of node in it, so that whoever allows statements can allow by list. */
  readonly nodes: readonly string[];
  readonly relations: readonly Relation[];
  /** As written, `schema.name` or `name`; so are operators and types. */
  readonly functions: readonly string[];
  readonly operators: readonly string[];
  readonly types: readonly string[];
  /** `$1` and so on, in the order of the text, with the byte that each begins at. */
  readonly parameters: readonly { readonly number: number; readonly at: number }[];
  readonly scopes: readonly Scope[];
  /** Functions, operators, types and columns part by part: a name may have a point in it. */
  readonly uses: readonly NameUse[];
  /** The root of what an `explain` explains; null for anything else. */
  readonly explained: string | null;
  /** Options of an `explain` that are on, by name: those that are switched off are left out. */
  readonly options: readonly string[];
}

export interface ParsedText {
  readonly statements: readonly ParsedStatement[];
  /** The same for statements that differ by constants, names of aliases and white space alone. */
  readonly fingerprint: string;
}

/**
 * Why a text was not parsed. `syntax`: PostgreSQL's grammar refuses it, as it does one that was cut. `not_text`: characters that
 * PostgreSQL has not. `too_long`, `too_deep`, `too_slow`, `too_large`: beyond the caps. `busy`: too many wait. `stopped`: it is over.
 */
export type Refusal =
  | 'syntax'
  | 'not_text'
  | 'too_long'
  | 'too_deep'
  | 'too_slow'
  | 'too_large'
  | 'busy'
  | 'stopped';

export type Parsed =
  | ({ readonly kind: 'parsed' } & ParsedText)
  | { readonly kind: 'refused'; readonly why: Refusal; readonly message: string };
