// Names that a server may read as other ones than our parser, which takes every text for UTF-8. Pure. Guards: in a database of another
// encoding a name is cut after 63 bytes of that encoding, and letters of one byte may be made small, so that another object is meant.
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
