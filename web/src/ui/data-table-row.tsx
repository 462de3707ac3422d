// A row of a table, which opens where it is clicked, and how keys lead from one row to another. The cells of a row that has
// not changed are not drawn again.
import { type KeyboardEvent, type MouseEvent, useMemo } from 'react';
import { useNavigate } from 'react-router';
import classes from './data-table.module.css';
import type { Column } from './data-table.tsx';
import type { RowSource } from './row-source.ts';

export interface RowsProps<Row> {
  source: RowSource<Row>;
  columns: readonly Column<Row>[];
  /** Absent where rows are known by their places. */
  rowKey?: ((row: Row) => string) | undefined;
  rowPath?: ((row: Row) => string | undefined) | undefined;
}

export interface RowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  path: string | undefined;
  index: number;
  /** One of many, of which not all are drawn. */
  isOfMany?: boolean;
}

export function OneRow<Row>({ row, columns, path, index, isOfMany }: RowProps<Row>) {
  const navigate = useNavigate();
  const open = (event: MouseEvent) => {
    const inside = event.target instanceof Element && event.target.closest('a,button,input');
    if (inside || path === undefined || window.getSelection()?.toString()) return;
    navigate(path);
  };
  const cells = useMemo(
    () =>
      columns.map((column) => (
        <td
          key={column.key}
          className={classes.cell}
          data-align={column.align}
          data-needs={column.needs}
          data-width={column.width}
          data-title={column.title}
        >
          {column.render(row)}
        </td>
      )),
    [row, columns],
  );
  return (
    <tr
      data-index={index}
      aria-rowindex={isOfMany ? index + 2 : undefined}
      className={classes.row}
      data-opens={path === undefined ? undefined : true}
      onClick={path === undefined ? undefined : open}
    >
      {cells}
    </tr>
  );
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
  ['Home', Number.NEGATIVE_INFINITY],
  ['End', Number.POSITIVE_INFINITY],
]);

export const linkIn = (body: HTMLElement | null, index: number) =>
  body?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row-link]`);

/** The index of the row in which that stands. */
export const indexOf = (element: Element): number =>
  Number(element.closest<HTMLElement>('[data-index]')?.dataset.index);

/** The index of the row to go to with that key, from the row whose link has the focus. */
export function goal(event: KeyboardEvent<HTMLElement>, count: number): number | undefined {
  const step = STEPS.get(event.key);
  const { target } = event;
  if (step === undefined || !(target instanceof HTMLElement) || !target.matches('[data-row-link]'))
    return undefined;
  event.preventDefault();
  return Math.min(count - 1, Math.max(0, indexOf(target) + step));
}
