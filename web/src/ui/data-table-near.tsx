// The rows of a long table that are near the window, between two rows that are as high as the ones left out. Guards: the
// page is laid out once for each frame while it is scrolled; the focus stays with its row, also where that has to be
// fetched first or was scrolled away.
import { useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  type FocusEvent,
  type KeyboardEvent,
  memo,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import classes from './data-table.module.css';
import type { Column } from './data-table.tsx';
import { goal, indexOf, linkIn, OneRow, type RowsProps } from './data-table-row.tsx';

/** What a row is taken to be high before one has been measured. */
const ROW_PX = 41;
const BEYOND = 10;
/** Less is nothing that anybody sees. */
const NEAR_PX = 0.5;

type Rows = Virtualizer<Window, Element>;

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

const differ = (one: number, other: number) => Math.abs(one - other) >= NEAR_PX;

/** Gives each drawn row the height that it has; where nearly all have another one than was taken, all are taken to. */
function fit(virtual: Rows, body: HTMLElement | null, usual: RefObject<number>): void {
  const heights = [...(body?.querySelectorAll<HTMLElement>(':scope > [data-index]') ?? [])].map((row) => ({
    index: Number(row.dataset.index),
    px: row.getBoundingClientRect().height,
  }));
  const wrong = heights.filter(({ index, px }) => {
    const taken = virtual.measurementsCache[index]?.size;
    return px > 0 && taken !== undefined && differ(px, taken);
  });
  if (wrong.length === 0) return;
  const middle = heights.map(({ px }) => px).sort((a, b) => a - b)[heights.length >> 1] ?? ROW_PX;
  const alike = heights.filter(({ px }) => !differ(px, middle)).length;
  // Drawn anew, which may not be asked for while something is being drawn.
  queueMicrotask(() => {
    if (differ(middle, usual.current) && alike >= 0.9 * heights.length) {
      usual.current = middle;
      virtual.measure();
    } else for (const { index, px } of wrong) virtual.resizeItem(index, px);
  });
}

/** One cell: more of them would bring back columns that step back on narrow screens. */
const Spacer = ({ px }: { px: number }) =>
  px > 0 ? (
    <tr style={{ height: px }}>
      <td style={{ padding: 0 }} />
    </tr>
  ) : null;

interface AwaitedProps<Row> {
  index: number;
  px: number;
  columns: readonly Column<Row>[];
}

/** A row that is not here yet. The focus may stand in it, so that keys lead on from there. */
function AwaitedRow<Row>({ index, px, columns }: AwaitedProps<Row>) {
  return (
    <tr data-index={index} aria-rowindex={index + 2} className={classes.row} style={{ height: px }}>
      {columns.map(({ key, align, needs, width }, place) => (
        <td key={key} className={classes.cell} data-align={align} data-needs={needs} data-width={width}>
          {place === 0 ? (
            <span data-row-link tabIndex={-1} className={classes.awaited}>
              Loading row {index + 1}
            </span>
          ) : null}
        </td>
      ))}
    </tr>
  );
}

/** Keeps the focus with its row, and leads it to others by key. */
function useWalk(body: RefObject<HTMLElement | null>, count: number, show: (index: number) => void) {
  /** The row that has the focus, or had it when it was left out or came from the server. */
  const held = useRef<number>(undefined);
  /** The row that a key leads to, which may have to be drawn first. */
  const wanted = useRef<number>(undefined);
  useLayoutEffect(() => {
    const { activeElement } = document;
    const isFree = activeElement === null || activeElement === document.body;
    if (!isFree && !body.current?.contains(activeElement)) return;
    const to = wanted.current ?? (isFree ? held.current : undefined);
    const link = to === undefined ? null : linkIn(body.current, to);
    if (!link) return;
    wanted.current = undefined;
    link.focus({ preventScroll: true });
  });
  return {
    onFocus: ({ target }: FocusEvent<HTMLElement>) => {
      held.current = target.matches('[data-row-link]') ? indexOf(target) : undefined;
      wanted.current = undefined;
    },
    onBlur: ({ target }: FocusEvent<HTMLElement>) => {
      // Some browsers tell this also of what is taken from the page.
      if (body.current?.contains(target)) held.current = undefined;
    },
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      const next = goal(event, count);
      if (next === undefined) return;
      const link = linkIn(body.current, next);
      if (link) return link.focus();
      wanted.current = next;
      show(next);
    },
  };
}

export function NearRows<Row>({ source, columns, rowKey, rowPath }: RowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  // Scrolling draws a few rows and leaves all others as they are.
  const [TableRow] = useState(() => memo(OneRow<Row>));
  const top = useTop(body);
  const usual = useRef(ROW_PX);
  const virtual = useWindowVirtualizer({
    count: source.count,
    estimateSize: () => usual.current,
    overscan: BEYOND,
    scrollMargin: top,
  });
  const near = virtual.getVirtualItems();
  const [first, last] = [near[0], near.at(-1)];
  useLayoutEffect(() => fit(virtual, body.current, usual));
  const walk = useWalk(body, source.count, (index) => virtual.scrollToIndex(index));
  const { near: tell } = source;
  const [from, to] = [first?.index, last?.index];
  useEffect(() => {
    if (from !== undefined && to !== undefined) tell?.(from, to);
  }, [tell, from, to]);
  return (
    <tbody ref={body} {...walk}>
      <Spacer px={(first?.start ?? top) - top} />
      {near.map(({ index, size }) => {
        const row = source.at(index);
        if (row === undefined)
          return <AwaitedRow key={`awaited ${index}`} index={index} px={size} columns={columns} />;
        const key = rowKey?.(row) ?? index;
        return (
          <TableRow key={key} row={row} columns={columns} path={rowPath?.(row)} index={index} isOfMany />
        );
      })}
      <Spacer px={virtual.getTotalSize() - ((last?.end ?? top) - top)} />
    </tbody>
  );
}
