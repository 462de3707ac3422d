// A text for the clipboard: nothing in it moves a cursor, ends a bracketed paste or turns the direction of the text around it
// once it is pasted into a terminal. The server has the same rule (kernel/inert-text.ts); a test compares them.

const HIDDEN =
  /(?!\u200c|\u200d|[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\n\t])(?:\u034f|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0])/gu;

/** Ends of lines and tabs stay; what cannot be seen is a question mark. */
export const inertBlock = (text: string): string =>
  text
    // Half a character.
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll('\r\n', '\n')
    .replaceAll(HIDDEN, '?');

/** How many characters at most, never a half one. */
export function cutText(text: string, most: number): string {
  const cut = text.slice(0, most);
  return text.length > most && /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
