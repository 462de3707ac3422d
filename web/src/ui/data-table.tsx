// The table of the house: sortable heads that are buttons, rows that open with a click or Enter and are walked with
// the arrow keys, numbers aligned, columns that step back when there is no room; ten thousand rows scroll as ten do. On a
// phone each row is a card (data-table-cards.module.css): its name, the figure that matters at the right, the others below.
import { type ReactNode, useMemo } from 'react';
import { type Sort, type SortValue, sortRows } from '../lib/sort.ts';
import classes from './data-table.module.css';
import cards from './data-table-cards.module.css';
import { Head } from './data-table-head.tsx';
import { isMany, Rows } from './data-table-rows.tsx';
import { isList, listSource, type RowSource } from './row-source.ts';
import { useScrolls } from './use-scrolls.ts';

export interface Column<Row> {
  key: string;
  title: string;
  /** Says more when the title is short. */
  hint?: string;
  render: (row: Row) => ReactNode;
  /** What its first order is where it is not that of the words in it: "worst first". */
  order?: string;
  /** Makes the column sortable. */
  value?: (row: Row) => SortValue;
  /** The first click sorts this way; sizes and counts start with the largest. */
  descendingFirst?: boolean;
  align?: 'end';
  /** Steps back first on narrow screens: 'wide' below 1100 px, 'medium' below 760 px. */
  needs?: 'wide' | 'medium';
  /** 'actions' is a column of buttons, which are at the foot of a card. */
  width?: 'min' | 'actions' | 'small' | 'middle' | 'half' | 'grow' | 'state';
}

export interface DataTableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  /** A list, or rows that are fetched, which come in the order in which they are shown. */
  rows: readonly Row[] | RowSource<Row>;
  rowKey: (row: Row) => string;
  /** What is shown is about to be replaced. */
  isBusy?: boolean;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** Decides between rows that are equal in the sorted column. */
  ties?: readonly ((row: Row) => SortValue)[];
  /** Where a row leads, if anywhere; its first cell has to hold a link or button marked `data-row-link`. */
  rowPath?: (row: Row) => string | undefined;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, rows, sort, onSort, ties } = props;
  const sorted = columns.find((column) => column.key === sort?.key)?.value;
  const descending = sort?.descending ?? false;
  const source = useMemo(() => {
    if (!isList(rows)) return rows;
    return listSource(sorted ? sortRows(rows, { value: sorted, descending, ties: ties ?? [] }) : rows);
  }, [rows, sorted, descending, ties]);
  const { count } = source;
  const [frame, scrolls] = useScrolls<HTMLDivElement>();
  return (
    <div
      ref={frame}
      className={classes.frame}
      data-many={isMany(count) || undefined}
      // What scrolls is reached by keyboard.
      tabIndex={scrolls ? 0 : undefined}
    >
      <table
        className={`${classes.table} ${cards.table}`}
        aria-rowcount={isMany(count) ? count + 1 : undefined}
        aria-busy={props.isBusy || undefined}
      >
        <caption className="visually-hidden">{props.caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} {...(sort && onSort ? { sort, onSort } : {})} />
            ))}
          </tr>
        </thead>
        <Rows
          source={source}
          columns={columns}
          // A row that is fetched again keeps its place; two parts may hold the same one when figures move.
          rowKey={isList(rows) ? props.rowKey : undefined}
          rowPath={props.rowPath}
        />
      </table>
    </div>
  );
}
