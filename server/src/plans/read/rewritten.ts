// A text in which no plan was found as it is, read another way: with its escapes undone, or as data of another language made JSON. Pure.
// Guards: time is in line with the length; a text that cannot be read another way is none.

const ESCAPED = /\\"(?:Node Type|Plan)\\{1,9}"\s*:|(?:width=\d+|loops=\d+|never executed)\)(?:\\r)?\\n/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '', t: '\t' };

/** One level of escapes, as of a string within a program or a record. */
function unescaped(text: string): string | undefined {
  if (!ESCAPED.test(text)) return undefined;
  return text
    .replace(/^\s*["']|["']\s*$/g, '')
    .replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_all, code: string | undefined, sign = '') =>
      code === undefined ? (ESCAPES[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
    );
}

/** Where data of a language begins. */
const DATA = /[[({]\s*(?:[[({]\s*){0,3}(?:["']|Plan["']?\s*(?::|=>))/;
const TOKEN =
  /\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\/[^\n]*|\/\*.*?\*\/|=>|[A-Za-z_$][\w$]*|,(?=\s*[\])}])|[()]/gs;
const WORDS: Readonly<Record<string, string>> = {
  ...{ True: 'true', False: 'false', None: 'null', nil: 'null', undefined: 'null' },
  ...{ true: 'true', false: 'false', null: 'null', '(': '[', ')': ']', '=>': ':', ',': '' },
};

/** A string in single quotes as one of JSON. */
const requoted = (token: string) =>
  `"${token
    .slice(1, -1)
    .replaceAll(/\\'/g, "'")
    .replaceAll(/(?<!\\)"/g, '\\"')}"`;

function token(found: string): string {
  if (found.startsWith("'")) return requoted(found);
  if (found.startsWith('/')) return '';
  if (/^["\\]/.test(found)) return found;
  return Object.hasOwn(WORDS, found) ? (WORDS[found] ?? '') : `"${found}"`;
}

/** Data of Python, Ruby or JavaScript, and JSON that was written by hand, as JSON. */
function asJson(text: string): string | undefined {
  const start = DATA.exec(text)?.index;
  return start === undefined ? undefined : text.slice(start).replaceAll(TOKEN, token);
}

/** The ways in which a text may be read that has no plan as it is. */
export const rewritten = (text: string): string[] =>
  [unescaped(text), asJson(text)].filter((one): one is string => one !== undefined && one !== text);
