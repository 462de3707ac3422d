// Secrets in tables, told by the name of their column or of the setting in their row: rows of cells, and texts with tabs or bars
// between cells. Pure, and in one pass. Guards: names of columns and of settings stay.
import { least } from '../../kernel/lists.ts';
import { isSecretName, isSecretSetting, saysNothing } from './secret-patterns.ts';

export type Hide = (value: string) => string;

const IS_NAME = /^[\w.]{1,128}$/;
const IS_VALUE =
  /^(?:setting|value|values|reset_val|boot_val|old_value|new_value|current|previous|pending|default)$/;
const MOST_COLUMNS = 2000;

/** What the cells of one table are, by their place. */
export interface Columns {
  secret: ReadonlySet<number>;
  values: ReadonlySet<number>;
}

export function columnsOf(names: readonly unknown[]): Columns {
  const [secret, values] = [new Set<number>(), new Set<number>()];
  for (const [at, one] of names.slice(0, MOST_COLUMNS).entries()) {
    const name = typeof one === 'string' ? one.trim() : '';
    if (IS_NAME.test(name) && isSecretName(name)) secret.add(at);
    if (IS_VALUE.test(name)) values.add(at);
  }
  return { secret, values };
}

/** Which cells of a row are secrets. */
export function secretCells(cells: readonly unknown[], { secret, values }: Columns): ReadonlySet<number> {
  const found = new Set(secret);
  for (const [at, one] of cells.entries()) {
    if (typeof one !== 'string' || one.length > 256) continue;
    const name = one.trim();
    if (isSecretSetting(name)) found.add(at + 1);
    if (values.size > 0 && !values.has(at) && IS_NAME.test(name) && isSecretName(name))
      for (const value of values) found.add(value);
  }
  return found;
}

const isKept = (value: string) =>
  saysNothing(value) || /^\[\w+ \d+\]$/.test(value) || /^:?-{2,}:?$/.test(value);

function line(cells: readonly string[], columns: Columns, hide: Hide): string[] {
  const secrets = secretCells(cells.map(bare), columns);
  return cells.map((cell, at) => {
    const value = bare(cell);
    return !secrets.has(at) || isKept(value) ? cell : cell.replace(value, () => hide(value));
  });
}

/** A cell without spaces and quotes around it. */
function bare(cell: string): string {
  const value = cell.trim();
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}

/** Cells of a line of CSV; marks within quotes part nothing. */
function cellsOf(line: string, mark: string): string[] {
  if (!line.includes('"')) return line.split(mark);
  const cells: string[] = [];
  let [start, isQuoted] = [0, false];
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (line[at] === mark && !isQuoted) {
      cells.push(line.slice(start, at));
      start = at + 1;
    }
  }
  cells.push(line.slice(start));
  return cells;
}

const NAMES = /^(?:name|setting_name|parameter|key)$/;
const HEAD = /^"?[\w.]{1,128}"?$/;

/** What the columns of a line of names are; undefined where nothing of it can be secret, or it names none. */
function headOf(cells: readonly string[]): Columns | undefined {
  if (cells.length < 2 || !cells.every((cell) => HEAD.test(cell.trim()))) return undefined;
  const names = cells.map(bare);
  const columns = columnsOf(names);
  return columns.secret.size > 0 || (columns.values.size > 0 && names.some((name) => NAMES.test(name)))
    ? columns
    : undefined;
}

/** Tables with commas or semicolons between cells, under a line that names their columns. */
function separated(text: string, mark: string, hide: Hide): string {
  if (!text.includes(mark) || !text.includes('\n')) return text;
  let head: { columns: Columns; wide: number } | undefined;
  return text
    .split('\n')
    .map((one) => {
      if (!one.includes(mark)) {
        head = undefined;
        return one;
      }
      if (!head) {
        const cells = one.split(mark);
        const columns = headOf(cells);
        head = columns && { columns, wide: cells.length };
        return one;
      }
      const cells = cellsOf(one, mark);
      if (cells.length === head.wide) return line(cells, head.columns, hide).join(mark);
      if (cells.length < head.wide) {
        head = undefined;
        return one;
      }
      // A mark within a cell has moved the ones behind it.
      const first = least(secretCells(cells.map(bare), head.columns), cells.length);
      const rest = cells.slice(first).join(mark).trim();
      return isKept(rest) ? one : [...cells.slice(0, first), hide(rest)].join(mark);
    })
    .join('\n');
}

/** A text with the secrets hidden that stand in tables within it. */
export function withoutTableSecrets(text: string, hide: Hide): string {
  return separated(separated(barred(text, hide), ',', hide), ';', hide);
}

function barred(text: string, hide: Hide): string {
  if (!/[\t|]/.test(text)) return text;
  let [columns, wide]: [Columns, string] = [columnsOf([]), ''];
  return text
    .split('\n')
    .map((one) => {
      const mark = one.includes('\t') ? '\t' : '|';
      const cells = one.split(mark);
      if (cells.length < 2) {
        wide = '';
        return one;
      }
      if (wide === `${mark}${cells.length}`) return line(cells, columns, hide).join(mark);
      // The first line of a table names its columns.
      wide = `${mark}${cells.length}`;
      columns = columnsOf(cells);
      return line(cells, columnsOf([]), hide).join(mark);
    })
    .join('\n');
}
