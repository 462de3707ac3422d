// What statements have in common: their text without constants and comments, spaced alike. Pure. Guards: the time is in line with
// the length; a statement that was cut within a constant loses that constant too.

/** Of longer ones, the start is compared. */
const LONGEST = 10_000;

const PIECES =
  /\be'(?:\\[\s\S]|''|[^'\\])*(?:'|$)|'[^']*(?:''[^']*)*(?:'|$)|\$([a-z_]*)\$[\s\S]*?(?:\$\1\$|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$\d+|(?<![\w$.])-?\d[\w.]*(?:e[+-]\d+)?|\s+/gi;
const LISTS = /\(\?(?:, ?\?)+\)/g;
const ROWS = /\(\?\)(?:, ?\(\?\))+/g;
const SPACE = 32;

function instead(found: string): string {
  const first = found.charCodeAt(0);
  if (first <= SPACE) return ' ';
  // A comment: "--" or "/*"; a minus before a number is part of it.
  return found.startsWith('--') || found.startsWith('/*') ? ' ' : '?';
}

/** @example normalized("select * from t where id in (1, 2)") === 'select * from t where id in (?)' */
export function normalized(statement: string): string {
  const start = statement.length > LONGEST ? statement.slice(0, LONGEST) : statement;
  const plain = start.replaceAll(PIECES, instead);
  if (!plain.includes('(?')) return plain.trim();
  return plain.replaceAll(LISTS, '(?)').replaceAll(ROWS, '(?)').trim();
}
