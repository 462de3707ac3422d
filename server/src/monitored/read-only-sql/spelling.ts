// Names that a server may read as other ones than our parser, which takes every text for UTF-8. Pure. Guards: in a database of another
// encoding a name is cut after 63 bytes of that encoding, and letters of one byte may be made small, so that another object is meant. What
// the newest grammar has as a form of its own, an older server reads as the call of a function, which somebody may have made.
import type { ParsedStatement } from '../../kernel/parser/types.ts';
import { StatementRefused } from './types.ts';

/** The parser cut a name at most three bytes below its 63. */
const MAY_BE_CUT = 60;

const isUnclear = (name: string): boolean =>
  /[^\0-\x7f]/.test(name) && (Buffer.byteLength(name) >= MAY_BE_CUT || name !== name.toLowerCase());

/** Throws StatementRefused. */
export function demandSpelling({ relations, uses }: ParsedStatement, encoding: unknown): void {
  if (encoding === 'UTF8') return;
  const names = [
    ...relations.flatMap(({ schema, name }) => [schema ?? '', name]),
    ...uses.flatMap(({ parts }) => parts),
  ];
  const unclear = names.find(isUnclear);
  if (unclear !== undefined)
    throw new StatementRefused(
      'not_allowed',
      `The database is not in UTF-8, so it may read the name ${unclear} as another one. Use names with small letters and up to ${MAY_BE_CUT - 1} bytes.`,
    );
}

/** Forms of the grammar by the version that brought them: before it, each is a call of a function of that name. */
const FORMS: ReadonlyMap<string, readonly [version: number, word: string]> = new Map([
  ['JsonObjectConstructor', [16, 'json_object']],
  ['JsonArrayConstructor', [16, 'json_array']],
  ['JsonArrayQueryConstructor', [16, 'json_array']],
  ['JsonObjectAgg', [16, 'json_objectagg']],
  ['JsonArrayAgg', [16, 'json_arrayagg']],
  ['JsonIsPredicate', [16, 'is json']],
  ['JsonParseExpr', [17, 'json']],
  ['JsonScalarExpr', [17, 'json_scalar']],
  ['JsonSerializeExpr', [17, 'json_serialize']],
  ['JsonFuncExpr', [17, 'json_exists, json_value and json_query']],
  ['JsonTable', [17, 'json_table']],
  ['MergeSupportFunc', [17, 'merge_action']],
]);

/** Throws StatementRefused. */
export function demandGrammar({ nodes }: Pick<ParsedStatement, 'nodes'>, version: unknown): void {
  const major = typeof version === 'number' ? Math.floor(version / 10_000) : 0;
  const newer = nodes.map((kind) => FORMS.get(kind)).find((form) => form !== undefined && form[0] > major);
  if (newer)
    throw new StatementRefused(
      'not_allowed',
      `PostgreSQL has ${newer[1]} from version ${newer[0]} on; on this server the name may stand for any function.`,
    );
}
