// What people and programs put before and behind each line of a plan: numbers, marks of mails and comments, quotes of a language. Pure.
// Guards: a mark is taken off only where the lines of nodes have it; what has none is left as it is.

/** A line that only a plan has, whatever stands before it. */
const OF_NODE =
  /\((?:cost=\d|actual (?:time|rows)=|never executed\))|^[^A-Za-z]*->\s|["'<\s]Node[ -]Type["'>:]/;

/** LaTeX has signs of its own for these. */
const fromTex = (line: string) =>
  line
    .replaceAll(/\$([<>])\$|\\textgreater\{\}/g, (_all, sign: string | undefined) => sign ?? '>')
    .replaceAll(/\\textasciitilde\{\}|\\~\{\}/g, '~')
    .replaceAll(/\\([_%#&$])/g, '$1');

const withoutDoubles = (line: string) => line.replaceAll(/''|\\'/g, "'");

interface Dress {
  /** Of each line that has it. */
  readonly has: RegExp;
  readonly taken: RegExp;
  /** Undoes what the writer did to the text within. */
  undo?(line: string): string;
  /** No line of a plan begins so, so one of them is enough. */
  readonly isSure?: boolean;
}

const DRESSES: readonly Dress[] = [
  // Colors of a terminal.
  { has: /\p{Cc}\[[\d;]{0,16}[mK]/u, taken: /\p{Cc}\[[\d;]{0,16}[mK]/gu, isSure: true },
  { has: /^(?:> ?)+(?=[^>\s]|\s|$)/, taken: /^(?:> ?)+/, isSure: true },
  { has: /^[ \t]*#(?: |$)/, taken: /^[ \t]*# ?/ },
  { has: /^[ \t]*\/\/(?: |$)/, taken: /^[ \t]*\/\/ ?/ },
  { has: /^[ \t]*\*(?: |$)/, taken: /^[ \t]*\* ?/ },
  { has: /^-- ?(?!>)/, taken: /^-- ?/ },
  // Frames, also of AsciiDoc, and marks of code within them.
  { has: /^[|\u2502\u2551](?! QUERY PLAN)/, taken: /^[|\u2502\u2551]|(?<!\s)\s*[|\u2502\u2551]\s*$/g },
  { has: /^ ?`.*` ?$/, taken: /^ ?`|` ?$/g },
  { has: /^QUERY PLAN (?! *[|\u2502])/, taken: /^QUERY PLAN / },
  { has: / ?\\\\$/, taken: /(?<! ) *\\\\$/, undo: fromTex },
  { has: /^\\raggedright\{/, taken: /^\\raggedright\{|\}$/g, undo: fromTex },
  { has: /^INSERT INTO .*\('.*'\);$/i, taken: /^INSERT INTO .*?VALUES ?\('|'\);$/gi, undo: withoutDoubles },
  // Numbers, as of cat -n, editors and grids.
  {
    has: /^[ \t]*\d{1,6}(?:\||(?:[.:)]| ?[|\u2502])?[ \t])/,
    taken: /^[ \t]*\d{1,6}(?:\| ?|(?:[.:)]| ?[|\u2502])?[ \t])|(?<!\s)\s*\|$/g,
  },
  // Rows with their number, as a grid exports them, and as YAML.
  { has: /^\s*\d{1,6},".*"$/, taken: /^\s*\d{1,6},"|"$/g },
  { has: /^\s*- "?QUERY PLAN"?: "/, taken: /^\s*- "?QUERY PLAN"?: "|"$/g },
  // Strings of a program, with its sign between them.
  {
    has: /^\s*["'][^\n]*(?:\\r)?\\n["'] ?[+,;.\\]?;?$/,
    taken: /^\s*["']|(?:\\r)?\\n["'] ?[+,;.\\]?;?$/g,
  },
  { has: /^\s*\(?'.*',?\)?[,;]?$/, taken: /^\s*\(?'|',?\)?[,;]?$/g, undo: withoutDoubles },
  // Rows of a grid that were copied as a list.
  { has: /\),$/, taken: /,$/ },
  { has: /^\s*\(".*",?\)[,;]?$/, taken: /^\s*\("|",?\)[,;]?$/g },
];

/** One around the other, such as numbers of a mail that was quoted. */
const MOST_DRESSES = 3;

function dressOf(lines: readonly string[]): Dress | undefined {
  const nodes = lines.filter((line) => OF_NODE.test(line));
  return nodes.length === 0
    ? undefined
    : DRESSES.find(({ has, isSure }) =>
        isSure ? nodes.some((line) => has.test(line)) : nodes.every((line) => has.test(line)),
      );
}

export function undressed(lines: readonly string[]): readonly string[] {
  let bare = lines;
  for (let round = 0; round < MOST_DRESSES; round += 1) {
    const dress = dressOf(bare);
    if (dress === undefined) return bare;
    // Strings of a program and marks of a mail have lines of others beside them.
    bare = bare.map((line) => {
      const own = dress.has.test(line) ? line.replace(dress.taken, '') : line;
      return dress.undo === undefined ? own : dress.undo(own);
    });
  }
  return bare;
}
