// What is typed into a search of a log: words and "phrases", all of which have to be in the texts of an event. Pure. Guards: blocks, rows and
// texts are searched by the same rule.
import { Fault } from '../../kernel/errors.ts';
import { addWords, isWordCode } from './word-filter.ts';

/** A word that begins or ends with a letter or digit (ASCII) is found as a whole; `order*` finds what begins so. */
export interface Term {
  /** In small letters. */
  readonly text: string;
  readonly isStart: boolean;
}

const MOST_TERMS = 10;

export function termsOf(search: string | undefined): Term[] {
  const terms: Term[] = [];
  for (const [, phrase, word = ''] of (search ?? '').matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const isStart = phrase === undefined && word.length > 1 && word.endsWith('*');
    const text = (phrase ?? (isStart ? word.slice(0, -1) : word)).trim().toLowerCase();
    if (text !== '') terms.push({ text, isStart });
  }
  if (terms.length > MOST_TERMS)
    throw new Fault('bad_request', `Search for at most ${MOST_TERMS} words or phrases.`);
  return terms;
}

/** Hashes of words that a text which has all terms must have. */
export function hashesOf(terms: readonly Term[]): Set<number> {
  const hashes = new Set<number>();
  for (const { text, isStart } of terms)
    addWords(hashes, isStart ? text.replace(/(?<![a-z0-9])[a-z0-9]+$/, '') : text);
  return hashes;
}

const isWordAt = (text: string, at: number) => at >= 0 && at < text.length && isWordCode(text.charCodeAt(at));

/** Where a term is in a text in small letters, from some place on; -1: nowhere. */
export function findTerm(text: string, term: Term, from = 0): number {
  const { length } = term.text;
  for (let at = text.indexOf(term.text, from); at !== -1; at = text.indexOf(term.text, at + 1)) {
    const isBegin = !isWordAt(text, at) || !isWordAt(text, at - 1);
    const isEnd = term.isStart || !isWordAt(text, at + length - 1) || !isWordAt(text, at + length);
    if (isBegin && isEnd) return at;
  }
  return -1;
}

/** The same rule as a regular expression of PostgreSQL, for a text in small letters. */
export function patternOf({ text, isStart }: Term): string {
  const before = isWordAt(text, 0) ? '(^|[^a-z0-9])' : '';
  const after = !isStart && isWordAt(text, text.length - 1) ? '([^a-z0-9]|$)' : '';
  // Only ASCII: behind a backslash, letters mean something else.
  const body = text.replace(/[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/g, '\\$&');
  return `${before}${body}${after}`;
}
