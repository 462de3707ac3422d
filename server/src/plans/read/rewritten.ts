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

const OF_PLAN = /duration: [\d.]{1,20} ms {1,2}plan:|\(cost=\d/;
const DEEPEST = 16;

/** All texts within a value of JSON, with the name of the member that each is in. */
function textsIn(value: unknown, name = '', depth = 0): [name: string, text: string][] {
  if (typeof value === 'string') return [[name, value]];
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return [];
  return Object.entries(value).flatMap(([key, one]: [string, unknown]) =>
    textsIn(one, Array.isArray(value) ? name : key, depth + 1),
  );
}

/** Lines that records of a log or rows of a result hold, a record a line or all in one. */
function textsOfJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text) || !OF_PLAN.test(text)) return undefined;
  let values: unknown[];
  try {
    values = [JSON.parse(text)];
  } catch {
    try {
      values = text.split('\n').flatMap((line): unknown[] => (line.trim() === '' ? [] : [JSON.parse(line)]));
    } catch {
      return undefined;
    }
  }
  const texts = textsIn(values);
  const member = texts.find(([, one]) => OF_PLAN.test(one))?.[0];
  return texts.flatMap(([name, one]) => (name === member ? [one.replace(/\n$/, '')] : [])).join('\n');
}

/** The ways in which a text may be read that has no plan as it is. */
export const rewritten = (text: string): string[] =>
  [textsOfJson(text), unescaped(text), asJson(text)].filter(
    (one): one is string => one !== undefined && one !== text,
  );
