// The table of the house: sortable heads that are buttons, rows that open with a click or Enter and are walked with
// the arrow keys, numbers aligned, columns that step back when there is no room.
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { type Sort, type SortValue, sortRows } from '../lib/sort.ts';
import classes from './data-table.module.css';
import { AscendingIcon, DescendingIcon } from './icons.ts';

export interface Column<Row> {
  key: string;
  title: string;
  /** Says more when the title is short. */
  hint?: string;
  render: (row: Row) => ReactNode;
  /** Makes the column sortable. */
  value?: (row: Row) => SortValue;
  /** The first click sorts this way; sizes and counts start with the largest. */
  descendingFirst?: boolean;
  align?: 'end';
  /** Steps back first on narrow screens: 'wide' below 1100 px, 'medium' below 760 px. */
  needs?: 'wide' | 'medium';
  width?: 'min' | 'small' | 'middle' | 'half' | 'grow' | 'state';
}

export interface DataTableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** Decides between rows that are equal in the sorted column. */
  ties?: readonly ((row: Row) => SortValue)[];
  /** Where a row leads; its first cell has to hold a link marked `data-row-link`. */
  rowPath?: (row: Row) => string;
}

function moveFocus(event: KeyboardEvent<HTMLTableSectionElement>): void {
  const steps = new Map([
    ['ArrowDown', 1],
    ['ArrowUp', -1],
    ['Home', Number.NEGATIVE_INFINITY],
    ['End', Number.POSITIVE_INFINITY],
  ]);
  const step = steps.get(event.key);
  if (step === undefined) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row-link]')];
  const at = event.target instanceof HTMLElement ? links.indexOf(event.target) : -1;
  if (at < 0) return;
  event.preventDefault();
  links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
}

function Head<Row>({
  column,
  sort,
  onSort,
}: { column: Column<Row> } & Pick<DataTableProps<Row>, 'sort' | 'onSort'>) {
  const here = sort?.key === column.key;
  const descending = here && sort.descending;
  const layout = { 'data-align': column.align, 'data-needs': column.needs, 'data-width': column.width };
  if (column.value === undefined || onSort === undefined) {
    return (
      <th scope="col" className={classes.head} title={column.hint} {...layout}>
        {column.title}
      </th>
    );
  }
  const next = { key: column.key, descending: here ? !descending : (column.descendingFirst ?? false) };
  return (
    <th
      scope="col"
      className={classes.head}
      title={column.hint}
      aria-sort={here ? (descending ? 'descending' : 'ascending') : undefined}
      {...layout}
    >
      <button
        type="button"
        className={classes.sort}
        data-here={here || undefined}
        onClick={() => onSort(next)}
      >
        {column.title}
        <span className={classes.arrow} aria-hidden="true">
          {descending ? <DescendingIcon size={13} /> : <AscendingIcon size={13} />}
        </span>
      </button>
    </th>
  );
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, rows, rowPath, sort, onSort } = props;
  const navigate = useNavigate();
  const sorted = columns.find((column) => column.key === sort?.key)?.value;
  const ordered = sorted
    ? sortRows(rows, { value: sorted, descending: sort?.descending ?? false, ties: props.ties ?? [] })
    : rows;
  const open = (event: MouseEvent, row: Row) => {
    const inside = event.target instanceof Element && event.target.closest('a,button,input');
    if (inside || !rowPath || window.getSelection()?.toString()) return;
    navigate(rowPath(row));
  };
  return (
    <div className={classes.frame}>
      <table className={classes.table}>
        <caption className="visually-hidden">{props.caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} {...(sort && onSort ? { sort, onSort } : {})} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={moveFocus}>
          {ordered.map((row) => (
            <tr
              key={props.rowKey(row)}
              className={classes.row}
              data-opens={rowPath ? true : undefined}
              onClick={rowPath ? (event) => open(event, row) : undefined}
            >
              {columns.map((column) => (
                <td
                  key={column.key}
                  className={classes.cell}
                  data-align={column.align}
                  data-needs={column.needs}
                  data-width={column.width}
                >
                  {column.render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
