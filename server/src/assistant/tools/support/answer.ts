// How tools answer: a few lines that say what it is, of when and from where, then a table of tab-separated values. Guards: no
// value can be taken for the end of a cell or a line; what was cut is said, with how to get the rest; unknown is null.
import { cutText } from '../../../kernel/inert-text.ts';
import type { ToolAnswer } from '../../mcp/toolbox.service.ts';
import type { ToolCtx } from '../types.ts';

export type Cell = string | number | boolean | null | undefined;

export interface Table {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** More of one cell is cut, where what it says is no statement to run or to read whole. */
const LONGEST_CELL = 500;
/** More of a table is cut, so that an answer fits into any conversation. */
const LONGEST_TABLE = 40_000;

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

/** Without characters that hide something or turn the direction of the text. */
const visible = (text: string) =>
  text.replaceAll(/[\t\n\r\\]|\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, (found) => {
    const known = ESCAPES[found];
    return known ?? `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`;
  });

/** Six digits are more than anybody reads. */
const rounded = (value: number) =>
  Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));

function cellText(cell: Cell, longest: number): string {
  if (cell === null || cell === undefined) return 'null';
  if (typeof cell === 'number') return rounded(cell);
  const text = visible(String(cell));
  return text.length > longest ? `${cutText(text, longest)}… (${text.length} characters)` : text;
}

/** The rows that fit, and how many those are. */
function tsv({ columns, rows }: Table, longest: number): { text: string; shown: number } {
  const lines = [columns.join('\t')];
  let size = 0;
  for (const row of rows) {
    const line = row.map((cell) => cellText(cell, longest)).join('\t');
    size += line.length;
    if (size > LONGEST_TABLE) break;
    lines.push(line);
  }
  return { text: lines.join('\n'), shown: lines.length - 1 };
}

export interface Section extends Table {
  /** A heading, where there are several. */
  title?: string;
  /** How many there are in all; as many as the table has where it is absent. */
  total?: number | undefined;
  /** There are more, and nobody knows how many. */
  more?: boolean;
  /** What to ask to get the rest; a sentence. */
  rest?: string;
  /** Nothing of it is cut but rows: half a statement is worse than none. */
  isWhole?: true;
  /** Said in place of a table without rows. */
  empty: string;
}

export interface Answer {
  /** What it is about, in a line. */
  about: string;
  /** Where the figures come from, and of when they are. */
  source: string;
  /** The page that shows the same, as a path. */
  page?: string;
  /** What one has to know to read it rightly. */
  notes?: readonly string[];
  sections: readonly Section[];
}

/** The lines of a section, and how many rows they show. */
function shownSection({ title, total, more = false, rest, isWhole, empty, ...table }: Section): {
  lines: string[];
  shown: number;
} {
  const head = title === undefined ? [] : ['', `## ${title}`];
  if (table.rows.length === 0) return { lines: [...head, empty], shown: 0 };
  const { text, shown } = tsv(table, isWhole ? LONGEST_TABLE : LONGEST_CELL);
  const all = total ?? table.rows.length;
  const of = more ? `the first ${shown} rows; there are more` : `${shown} of ${all} rows`;
  const cut = shown < all || more ? [`(${of}.${rest === undefined ? '' : ` ${rest}`})`] : [];
  return { lines: [...head, text, ...cut], shown };
}

export const pageOf = ({ deps }: ToolCtx, path: string) => `${deps.base_url ?? ''}${path}`;

export function answer(ctx: ToolCtx, { about, source, page, notes = [], sections }: Answer): ToolAnswer {
  const parts = sections.map(shownSection);
  const lines = [
    visible(about),
    `Source: ${source}`,
    ...(page === undefined ? [] : [`Page: ${pageOf(ctx, page)}`]),
    ...notes.map((note) => `Note: ${visible(note)}`),
    ...parts.flatMap((part) => part.lines),
  ];
  const rows = parts.reduce((sum, { shown }) => sum + shown, 0);
  return { text: lines.join('\n'), source, page: page ?? null, rows };
}

/** A moment as it stands in answers: to the second. */
export const second = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
