// Texts from elsewhere in Markdown. Pure. Guards: what is put in is text and never markup, a link or HTML.

import { inertBlock, inertLine } from './inert-text.ts';

const SPECIAL = /[\\`*_{}[\]()<>#+\-!|~&]/g;

/** One line of plain text. */
export const markdownText = (value: string): string =>
  inertLine(value.replace(/\s+/g, ' ')).replace(SPECIAL, '\\$&');

/** A block of SQL, behind a fence that is longer than any in it. */
export function markdownSql(value: string): string[] {
  let longest = 2;
  for (const [run] of value.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return [`${fence}sql`, inertBlock(value), fence];
}
