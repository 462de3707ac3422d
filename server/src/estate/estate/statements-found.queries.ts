// Statements by the words of their texts, as a relation for a statement that also says whose servers they may be of. Guards:
// it is the expression of the index queries_words_idx, so that a word is found among millions of texts.
import { type Sql, sql } from '../../kernel/sql.ts';
import { knownStatements } from '../../store/read/doors/relations.ts';

/** As texts are taken apart for the index: by ASCII signs; all else is a letter. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they part words, too
const SIGNS = /[\x00-/:-@[-`{-\x7f]+/;
const MOST_WORDS = 10;

export const statementWords = (text: string): string[] =>
  text.toLowerCase().split(SIGNS).filter(Boolean).slice(0, MOST_WORDS);

/**
 * Those that have, for each of these words, one that begins with it: connection_id, database_name, queryid, toplevel,
 * query_text, last_seen.
 */
export const statementsWith = (words: readonly string[]): Sql => sql`(
  select q.connection_id, q.database_name, q.queryid, q.toplevel, q.query_text, q.last_seen
  from ${knownStatements} q
  where to_tsvector('simple'::regconfig, regexp_replace(left(q.query_text, 4096), '[\\x01-/:-@\\[-\`{-\\x7f]+', ' ', 'g'))
    @@ to_tsquery('simple'::regconfig, ${words.map((word) => `'${word}':*`).join(' & ')})
)`;
