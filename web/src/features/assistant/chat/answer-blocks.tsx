// Lists and tables of an answer.
import type { List, ListItem, Table, TableCell, TableRow } from 'mdast';
import type { ReactNode } from 'react';
import classes from './chat.module.css';
import { rangeOf } from './markdown.ts';

/** A number of a list that is shown. */
const MOST_START = 1_000_000;

export function listOf(list: List, inside: (item: ListItem) => ReactNode): ReactNode {
  const { children, ordered, start } = list;
  const items = children.map((item) => <li key={rangeOf(item).start}>{inside(item)}</li>);
  const key = rangeOf(list).start;
  if (!ordered) return <ul key={key}>{items}</ul>;
  return (
    <ol key={key} start={Math.min(start ?? 1, MOST_START)}>
      {items}
    </ol>
  );
}

export function tableOf(table: Table, inside: (cell: TableCell) => ReactNode): ReactNode {
  const cells = ({ children }: TableRow, Cell: 'th' | 'td') =>
    children.map((cell) => <Cell key={rangeOf(cell).start}>{inside(cell)}</Cell>);
  const [head, ...rows] = table.children;
  const { start } = rangeOf(table);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <div key={start} className={classes.table} tabIndex={0}>
      <table>
        <thead>{head ? <tr>{cells(head, 'th')}</tr> : null}</thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rangeOf(row).start}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
