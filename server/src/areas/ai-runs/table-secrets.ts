// Secrets in tables, told by the name of their column or of the setting in their row: rows of cells, and texts with tabs or bars
// between cells. Pure, and in one pass. Guards: names of columns and of settings stay.
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

function line(cells: readonly string[], columns: Columns, hide: Hide): string[] {
  const secrets = secretCells(cells, columns);
  return cells.map((cell, at) => {
    const value = cell.trim();
    if (!secrets.has(at) || saysNothing(value) || /^\[\w+ \d+\]$/.test(value) || /^:?-{2,}:?$/.test(value))
      return cell;
    return cell.replace(value, () => hide(value));
  });
}

/** A text with the secrets hidden that stand in tables within it. */
export function withoutTableSecrets(text: string, hide: Hide): string {
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
