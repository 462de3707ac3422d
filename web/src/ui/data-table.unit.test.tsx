// The table: sorted by its heads, walked by keyboard, opened by a click; of many rows only those near the window are
// drawn, and the keys reach the others too.
import { act, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { Link } from 'react-router';
import { expect, it } from 'vitest';
import type { Sort } from '../lib/sort.ts';
import { show } from '../testing/show.tsx';
import { type Column, DataTable } from './data-table.tsx';

interface Row {
  id: number;
  size: number;
}

let drawn = 0;
const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'name',
    title: 'Name',
    value: (row) => `row ${row.id}`,
    render: (row) => {
      drawn += 1;
      return (
        <Link data-row-link to={`/rows/${row.id}`}>
          row {row.id}
        </Link>
      );
    },
  },
  { key: 'size', title: 'Size', value: (row) => row.size, descendingFirst: true, render: (row) => row.size },
  { key: 'more', title: 'More', render: () => <button type="button">More</button> },
];

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, at) => ({ id: at + 1, size: (at * 7) % count }));

function Table({ first }: { first: readonly Row[] }) {
  const [sort, setSort] = useState<Sort>({ key: 'name', descending: false });
  const [rows, setRows] = useState(first);
  return (
    <>
      <DataTable
        caption="Rows"
        columns={COLUMNS}
        rows={rows}
        rowKey={(row) => String(row.id)}
        rowPath={(row) => `/rows/${row.id}`}
        sort={sort}
        onSort={setSort}
      />
      <button
        type="button"
        onClick={() => setRows(rows.map((row, at) => (at === 1 ? { ...row, size: 99 } : row)))}
      >
        Change one
      </button>
    </>
  );
}

const firstCells = () => screen.getAllByRole('link').map((link) => link.textContent);
const focused = () => document.activeElement?.textContent;

it('sorts by the heads that can, large sizes first, and says so', async () => {
  const { user } = show(<Table first={rowsOf(4)} />);
  const head = (name: string) => screen.getByRole('columnheader', { name });
  expect(firstCells()).toEqual(['row 1', 'row 2', 'row 3', 'row 4']);
  expect(within(head('More')).queryByRole('button')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Size' }));
  expect(head('Size').getAttribute('aria-sort')).toBe('descending');
  expect(head('Name').getAttribute('aria-sort')).toBeNull();
  // Sizes are 0, 3, 2 and 1.
  expect(firstCells()).toEqual(['row 2', 'row 3', 'row 4', 'row 1']);
  await user.click(screen.getByRole('button', { name: 'Size' }));
  expect(head('Size').getAttribute('aria-sort')).toBe('ascending');
  expect(firstCells()).toEqual(['row 1', 'row 4', 'row 3', 'row 2']);
});

it('opens a row where it is clicked, and leaves its buttons alone', async () => {
  const { user, router } = show(<Table first={rowsOf(3)} />, { path: '/', at: '/' });
  const row = screen.getAllByRole('row')[2];
  if (!row) throw new Error('the table has no second row');
  await user.click(within(row).getByRole('button', { name: 'More' }));
  expect(router.state.location.pathname).toBe('/');
  const cell = within(row).getAllByRole('cell')[1];
  if (!cell) throw new Error('the row has no second cell');
  await user.click(cell);
  expect(router.state.location.pathname).toBe('/rows/2');
});

it('draws only the cells of the row that has changed again', async () => {
  const { user } = show(<Table first={rowsOf(20)} />);
  drawn = 0;
  await user.click(screen.getByRole('button', { name: 'Change one' }));
  expect(screen.getByRole('cell', { name: '99' }).textContent).toBe('99');
  expect(drawn).toBe(1);
});

it('is walked with the arrow keys, and stops at both ends', async () => {
  const { user } = show(<Table first={rowsOf(3)} />);
  screen.getByRole('link', { name: 'row 1' }).focus();
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}');
  expect(focused()).toBe('row 3');
  await user.keyboard('{ArrowUp}');
  expect(focused()).toBe('row 2');
  await user.keyboard('{Home}{ArrowUp}');
  expect(focused()).toBe('row 1');
  await user.keyboard('{End}');
  expect(focused()).toBe('row 3');
});

it('draws a few of ten thousand rows, says how many there are, and leads to the last one', async () => {
  const { user } = show(<Table first={rowsOf(10_000)} />);
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('10001');
  const drawnRows = screen.getAllByRole('link').length;
  expect(drawnRows).toBeGreaterThan(15);
  expect(drawnRows).toBeLessThan(100);
  const first = screen.getByRole('link', { name: 'row 1' });
  expect(first.closest('tr')?.getAttribute('aria-rowindex')).toBe('2');
  first.focus();
  await user.keyboard('{End}');
  await expect.poll(focused).toBe('row 10000');
  expect(document.activeElement?.closest('tr')?.getAttribute('aria-rowindex')).toBe('10001');
  expect(screen.getAllByRole('link').length).toBeLessThan(100);
  await user.keyboard('{Home}');
  await expect.poll(focused).toBe('row 1');
});

it('does not ask where it stands while it is scrolled, which would lay the page out once more', async () => {
  show(<Table first={rowsOf(10_000)} />);
  const body = screen.getAllByRole('rowgroup').at(-1);
  if (!body) throw new Error('a table has rows');
  const place = body.getBoundingClientRect();
  let looked = 0;
  body.getBoundingClientRect = () => {
    looked += 1;
    return place;
  };
  await act(async () => {
    window.scrollY = 4000;
    window.dispatchEvent(new Event('scroll'));
  });
  await screen.findByRole('link', { name: 'row 100' });
  expect(looked).toBe(0);
  window.scrollY = 0;
});

it('leaves the columns as they are where rows are left out', () => {
  show(<Table first={rowsOf(400)} />);
  window.scrollTo(0, 4000);
  // A cell over several columns would bring back those that step back on narrow screens, as empty ones.
  for (const cell of document.querySelectorAll('td')) expect(cell.colSpan).toBe(1);
});

it('says of rows that are fetched which are not here, keeps their places, and prints those that are', () => {
  const near: [number, number][] = [];
  const rows = {
    count: 10_000,
    at: (index: number) => (index < 10 ? { id: index + 1, size: index } : undefined),
    near: (first: number, last: number) => void near.push([first, last]),
  };
  show(<DataTable caption="Rows" columns={COLUMNS} rows={rows} rowKey={(row) => String(row.id)} />);
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('10001');
  expect(firstCells().slice(-1)).toEqual(['row 10']);
  const awaited = screen.getByText('Loading row 11');
  expect(awaited.closest('tr')?.getAttribute('aria-rowindex')).toBe('12');
  expect(near.at(-1)?.[0]).toBe(0);
  expect(near.at(-1)?.[1]).toBeGreaterThan(15);
  window.dispatchEvent(new Event('beforeprint'));
  screen.getByText('Rows 11 to 10,000 are not shown here.');
  expect(firstCells().length).toBe(10);
  act(() => void window.dispatchEvent(new Event('afterprint')));
});

it('stands on paper with all of its rows', () => {
  show(<Table first={rowsOf(400)} />);
  expect(screen.getAllByRole('row').length).toBeLessThan(200);
  window.dispatchEvent(new Event('beforeprint'));
  expect(screen.getAllByRole('row').length).toBe(401);
  act(() => void window.dispatchEvent(new Event('afterprint')));
  expect(screen.getAllByRole('row').length).toBeLessThan(200);
});
