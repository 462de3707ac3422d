// The head of a table's column: a button where the column can be sorted.

import classes from './data-table.module.css';
import type { Column, DataTableProps } from './data-table.tsx';
import { AscendingIcon, DescendingIcon } from './icons.ts';

export function Head<Row>({
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
        {here && !descending && column.order ? (
          <span className={classes.order} aria-hidden="true">
            {column.order}
          </span>
        ) : (
          <span className={classes.arrow} aria-hidden="true">
            {descending ? <DescendingIcon size={13} /> : <AscendingIcon size={13} />}
          </span>
        )}
      </button>
    </th>
  );
}
