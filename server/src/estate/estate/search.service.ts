// What somebody types, found among the databases and statements of the servers they can see. Guards: two statements at most,
// and none for texts too short to tell statements apart.

import { OWN_STATEMENT } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import type * as contract from './search.contract.ts';
import { findDatabasesByName, findStatementsByWords } from './search.queries.ts';
import { statementWords } from './statements-found.queries.ts';

type Query = Input<typeof contract.searchEstate>['query'];
type Answer = Output<typeof contract.searchEstate>;

const LIMIT = 8;
/** Words that begin with fewer are in nearly every statement. */
const LEAST_LETTERS = 3;
const MOST_WORDS = 10;

export async function searchEstate(
  { db, principal }: Ctx,
  { text, near, limit = LIMIT }: Query,
): Promise<Answer> {
  const typed = text.trim().toLowerCase();
  const names = typed.split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  const words = statementWords(typed);
  const of = { text: typed, near, limit };
  const [databases, statements] = await Promise.all([
    names.length === 0 ? [] : findDatabasesByName(db, principal, { ...of, words: names }),
    words.every(({ length }) => length < LEAST_LETTERS)
      ? []
      : findStatementsByWords(db, principal, { ...of, words, without: OWN_STATEMENT }),
  ]);
  return { databases, statements };
}
