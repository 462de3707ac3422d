// Tables as CSV. Pure. Guards: a text that a spreadsheet would take for a formula is made plain; what is not known is an
// empty cell, never a zero.
type Cell = string | number | boolean | null;

const NUMBER = /^-?\d+(\.\d+)?$/;

function cellText(cell: Cell): string {
  if (cell === null) return '';
  const text = String(cell);
  const safe = /^[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvText = (rows: readonly (readonly Cell[])[], separator = ','): string =>
  rows.map((cells) => `${cells.map(cellText).join(separator)}\r\n`).join('');
