// The rows of a table. Once there are many, only those near the window are drawn, between two rows that are as high as
// the ones left out. The cells of a row that has not changed are not drawn again.
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type RefObject,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useNavigate } from 'react-router';
import { useIsPrinting } from '../lib/printing.ts';
import classes from './data-table.module.css';
import type { Column } from './data-table.tsx';

/** Of more rows than this, only those near the window are drawn. */
const MANY = 100;
/** What a row is taken to be high before it has been measured. */
const ROW_PX = 41;
const BEYOND = 10;

interface RowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  path: string | undefined;
  index: number;
  measure?: (element: HTMLTableRowElement | null) => void;
}

function OneRow<Row>({ row, columns, path, index, measure }: RowProps<Row>) {
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
        >
          {column.render(row)}
        </td>
      )),
    [row, columns],
  );
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={measure ? index + 2 : undefined}
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

const linkIn = (body: HTMLElement | null, index: number) =>
  body?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row-link]`);

/** The index of the row to go to with that key, from the row whose link has the focus. */
function goal(event: KeyboardEvent<HTMLElement>, count: number): number | undefined {
  const step = STEPS.get(event.key);
  const { target } = event;
  if (step === undefined || !(target instanceof HTMLElement) || !target.matches('[data-row-link]'))
    return undefined;
  const at = Number(target.closest<HTMLElement>('[data-index]')?.dataset.index);
  event.preventDefault();
  return Math.min(count - 1, Math.max(0, at + step));
}

/** How far below the top of the page the rows begin: looked at when the page changes its height, not while it is scrolled. */
function useTop(body: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const look = () => {
      const now = body.current ? body.current.getBoundingClientRect().top + window.scrollY : 0;
      setTop((before) => (Math.abs(before - now) < 1 ? before : now));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [body]);
  return top;
}

export interface RowsProps<Row> {
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  rowPath?: ((row: Row) => string) | undefined;
}

function AllRows<Row>({ rows, columns, rowKey, rowPath }: RowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const next = goal(event, rows.length);
    if (next !== undefined) linkIn(body.current, next)?.focus();
  };
  return (
    <tbody ref={body} onKeyDown={walk}>
      {rows.map((row, index) => (
        <OneRow key={rowKey(row)} row={row} columns={columns} path={rowPath?.(row)} index={index} />
      ))}
    </tbody>
  );
}

const Spacer = ({ px, columns }: { px: number; columns: number }) =>
  px > 0 ? (
    <tr>
      <td colSpan={columns} style={{ height: px, padding: 0 }} />
    </tr>
  ) : null;

function NearRows<Row>({ rows, columns, rowKey, rowPath }: RowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  // Scrolling draws a few rows and leaves all others as they are.
  const [TableRow] = useState(() => memo(OneRow<Row>));
  const wanted = useRef<number>(undefined);
  const top = useTop(body);
  // What the last one was high: what is drawn next needs no correction then.
  const usual = useRef(ROW_PX);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => usual.current,
    overscan: BEYOND,
    scrollMargin: top,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : rowKey(row);
    },
  });
  const near = virtual.getVirtualItems();
  const seen = near.at(-1);
  useLayoutEffect(() => {
    if (seen && body.current && virtual.measurementsCache[seen.index]) usual.current = seen.size;
  });
  // The row that a key leads to may have to be drawn first.
  useLayoutEffect(() => {
    const link = wanted.current === undefined ? null : linkIn(body.current, wanted.current);
    if (!link) return;
    wanted.current = undefined;
    link.focus();
  });
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const next = goal(event, rows.length);
    if (next === undefined) return;
    const link = linkIn(body.current, next);
    if (link) return link.focus();
    wanted.current = next;
    virtual.scrollToIndex(next);
  };
  const above = (near[0]?.start ?? top) - top;
  const below = virtual.getTotalSize() - ((near.at(-1)?.end ?? top) - top);
  return (
    <tbody ref={body} onKeyDown={walk}>
      <Spacer px={above} columns={columns.length} />
      {near.map(({ index, key }) => {
        const row = rows[index];
        if (row === undefined) return null;
        return (
          <TableRow
            key={String(key)}
            row={row}
            columns={columns}
            path={rowPath?.(row)}
            index={index}
            measure={virtual.measureElement}
          />
        );
      })}
      <Spacer px={below} columns={columns.length} />
    </tbody>
  );
}

export function isMany(rows: readonly unknown[]): boolean {
  return rows.length > MANY;
}

/** More than this would take minutes to lay out and fill hundreds of sheets. */
const MOST_PRINTED = 5000;

export function Rows<Row>(props: RowsProps<Row>) {
  const isPrinting = useIsPrinting() && props.rows.length <= MOST_PRINTED;
  return isMany(props.rows) && !isPrinting ? <NearRows {...props} /> : <AllRows {...props} />;
}
