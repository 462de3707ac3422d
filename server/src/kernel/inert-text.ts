// Texts that strangers chose, such as names of databases, tables and roles, for places where people read or paste them. Pure.
// Guards: nothing in them moves a cursor, colours, ends a bracketed paste, turns the direction of the text around it or
// hides; one rule for every place.

/**
 * Control characters of both sets, direction marks, separators of lines, and what takes no space. The joiners of scripts and
 * emoji (U+200C, U+200D) and the signs that enclose digits are seen, and stay.
 */
const HIDDEN =
  /(?!\u200c|\u200d|[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2])(?:\u034f|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0])/gu;
const HIDDEN_IN_BLOCK = new RegExp(`(?![\\n\\t])${HIDDEN.source}`, 'gu');
/** Whether there is anything to do, for texts that are long and nearly always clean. */
const SUSPECT = new RegExp(HIDDEN_IN_BLOCK.source, 'u');
/** A colour of ours. */
const COLOUR = '\\u001b\\[[0-9;]*m';
const IN_TERMINAL = new RegExp(`${COLOUR}|${HIDDEN_IN_BLOCK.source}`, 'gu');

const HIDDEN_RUN = new RegExp(`(?:${HIDDEN.source})+`, 'gu');

const MARK = '?';

/** For one line of a terminal, a document, a mail or a button: what cannot be seen is a question mark. */
export const inertLine = (text: string): string => text.toWellFormed().replaceAll(HIDDEN, MARK);

/** The same for several lines, such as a statement to copy: their ends and tabs stay. */
export const inertBlock = (text: string): string => {
  const whole = text.toWellFormed().replaceAll('\r\n', '\n');
  return SUSPECT.test(whole) ? whole.replaceAll(HIDDEN_IN_BLOCK, MARK) : whole;
};

/** For lines and heads of messages, where a name is one of many words. */
export const spacedLine = (text: string): string => text.toWellFormed().replaceAll(HIDDEN_RUN, ' ').trim();

const asEscapes = (character: string): string =>
  Array.from(
    { length: character.length },
    (_none, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');

/** JSON.stringify writes half a character as an escape, which strict readers refuse; whole ones it never writes so. */
const HALF = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * What JSON.stringify made, saying the same and showing nothing of it: what cannot be seen is written as an escape, as JSON
 * allows in texts, and half a character is a sign that something was there.
 */
export function inertJson(json: string): string {
  const whole = json.includes('\\ud') ? json.replaceAll(HALF, '$1\ufffd') : json;
  return SUSPECT.test(whole) ? whole.replaceAll(HIDDEN_IN_BLOCK, asEscapes) : whole;
}

/** The last look at a line for a terminal: our own colours stay, everything else is written as an escape. */
export const inertOutput = (line: string): string =>
  SUSPECT.test(line)
    ? line.replaceAll(IN_TERMINAL, (found) => (found.length > 2 ? found : asEscapes(found)))
    : line;

/** How many characters at most, never a half one; `end` is put where something was left out, and counts. */
export function cutText(text: string, most: number, end = ''): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, Math.max(0, most - end.length));
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}${end}`;
}
