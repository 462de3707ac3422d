// What comes from monitored servers on its way to a model: data between marks that nothing in it can close, because nobody who wrote
// it can know them. Pure.

import { randomBytes } from 'node:crypto';
import { cutText } from '../../kernel/inert-text.ts';

/** More of one answer is cut, so that no tool fills a conversation. */
const MOST_CHARACTERS = 48_000;

export interface Marks {
  begin: string;
  end: string;
  nonce: string;
}

export function newMarks(): Marks {
  const nonce = randomBytes(16).toString('hex');
  return { nonce, begin: `<data-${nonce}>`, end: `</data-${nonce}>` };
}

/** Visible characters, line breaks and tabs; what hides or turns text is written out. */
const visible = (text: string) =>
  text.replaceAll(
    /[^\n\t\P{Cc}]|\p{Cf}|\p{Zl}|\p{Zp}/gu,
    (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`,
  );

/**
 * The marks are texts of their own: what is masked before it leaves is masked text by text, and a quote that a stranger leaves open
 * reaches to the end of its text, not over the mark behind it.
 */
export function asData(marks: Marks, text: string): [begin: string, data: string, end: string] {
  const cut = text.length > MOST_CHARACTERS ? `${cutText(text, MOST_CHARACTERS)}\n(The rest was cut.)` : text;
  // The marks stand in the conversation, so whoever can see it could have them written on a server.
  const inner = visible(cut.toWellFormed()).replaceAll(new RegExp(marks.nonce, 'gi'), '(removed)');
  return [marks.begin, inner, marks.end];
}
