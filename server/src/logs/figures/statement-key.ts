// What a statement is found by where the log does not say its queryid: its text without constants, spaced alike. Pure.
import { createHash } from 'node:crypto';
import { normalized } from './fingerprint.ts';

/** Lists of constants, as 18 writes them with a comment within. */
const CUT_LISTS = /\( *\? *\)/g;

/** The same of a statement in the log and of the text that pg_stat_statements has of it. */
export function keyOfText(statement: string): string {
  const text = normalized(statement).replaceAll(CUT_LISTS, '(?)').replace(/ ?;$/, '').toLowerCase();
  return `text:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
