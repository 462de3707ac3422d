// What is refused before the grammar sees it. Guards: a text that is too long, nested too deep or no text costs next to nothing.
import type { Refusal } from './types.ts';

/** Bytes in UTF-8. */
const LONGEST_BYTES = 64 * 1024;
const DEEPEST = 200;
/** Of what waits to be parsed. */
export const MOST_WAITING = 200;
/** From when the worker has it until it must have answered. */
export const SLOWEST_MS = 3000;
/** Starting it, on a machine that may be busy. */
export const START_MS = 20_000;
/** Of the grammar's own memory, which grows and is never given back while the worker lives. */
export const MOST_MEMORY_BYTES = 96 * 1024 * 1024;
/** A worker that was not asked for so long is ended. */
export const IDLE_MS = 30_000;
/** What is said of one text, as JSON. */
export const LONGEST_ANSWER = 512 * 1024;

/** How deep brackets are nested at most; those within quotes count as well, which only refuses what nobody writes. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of text) {
    if (character === '(' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === ')' || character === ']') depth = Math.max(0, depth - 1);
  }
  return deepest;
}

export const WORDS: Readonly<Record<Exclude<Refusal, 'syntax'>, string>> = {
  not_text: 'The statement has characters that PostgreSQL does not accept.',
  too_long: `The statement is longer than ${LONGEST_BYTES / 1024} kB.`,
  too_deep: 'The statement is nested too deep.',
  too_slow: 'The statement takes too long to parse.',
  too_large: 'The statement takes too much memory to parse.',
  busy: 'Too many statements wait to be parsed; try again later.',
  stopped: 'The parser has been stopped.',
};

/** Undefined: the grammar may see it. */
export function refusalOf(text: string): Exclude<Refusal, 'syntax'> | undefined {
  // No text has more characters than bytes: what is far too long is not looked at any further.
  if (text.length > LONGEST_BYTES || Buffer.byteLength(text) > LONGEST_BYTES) return 'too_long';
  if (text.includes('\0') || !text.isWellFormed()) return 'not_text';
  return depthOf(text) > DEEPEST ? 'too_deep' : undefined;
}
