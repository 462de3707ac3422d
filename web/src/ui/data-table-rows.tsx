// The rows of a table: all of them where they are few or stand on paper, else only those near the window.
import { type KeyboardEvent, Suspense, use, useRef } from 'react';
import { formatCount } from '../lib/format.ts';
import { useIsPrinting } from '../lib/printing.ts';
import classes from './data-table.module.css';
import { goal, linkIn, OneRow, type RowsProps } from './data-table-row.tsx';
import type { RowSource } from './row-source.ts';

/** Of more rows than this, only those near the window are drawn. */
const MANY = 100;

/** As many are there at once while the code for many is on its way. */
const FIRST = 40;

const load = () => import('./data-table-near.tsx');
let loaded: ReturnType<typeof load> | undefined;
/** Once it has arrived, tables are drawn with it at once: one that is suspended would hold back what is typed beside it. */
let here: Awaited<ReturnType<typeof load>> | undefined;

/** The code that draws rows near the window, which no page begins with; fetched once. */
export function nearRows(): ReturnType<typeof load> {
  loaded ??= load().then(
    (code) => {
      here = code;
      return code;
    },
    (error: unknown) => {
      loaded = undefined;
      throw error;
    },
  );
  return loaded;
}

function LateRows<Row>(props: RowsProps<Row>) {
  const { NearRows } = here ?? use(nearRows());
  return <NearRows {...props} />;
}

/** Each row that is here, and the lengths of those that are not. */
function piecesOf<Row>({ count, at }: RowSource<Row>): (number | { first: number; last: number })[] {
  const pieces: (number | { first: number; last: number })[] = [];
  for (let index = 0; index < count; index += 1) {
    const before = pieces.at(-1);
    if (at(index) !== undefined) pieces.push(index);
    else if (typeof before === 'object') before.last = index;
    else pieces.push({ first: index, last: index });
  }
  return pieces;
}

function AllRows<Row>({ source, columns, rowKey, rowPath }: RowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const next = goal(event, source.count);
    if (next !== undefined) linkIn(body.current, next)?.focus();
  };
  return (
    <tbody ref={body} onKeyDown={walk}>
      {piecesOf(source).map((piece) => {
        if (typeof piece === 'object')
          return (
            <tr key={`from ${piece.first}`}>
              <td className={classes.cell}>
                Rows {formatCount(piece.first + 1)} to {formatCount(piece.last + 1)} are not shown here.
              </td>
            </tr>
          );
        const row = source.at(piece);
        if (row === undefined) return null;
        const key = rowKey?.(row) ?? piece;
        return <OneRow key={key} row={row} columns={columns} path={rowPath?.(row)} index={piece} />;
      })}
    </tbody>
  );
}

export const isMany = (count: number): boolean => count > MANY;

/** More than this would take minutes to lay out and fill hundreds of sheets. */
const MOST_PRINTED = 5000;

/** Of a list that is fetched, few are here at a time. */
const isForPaper = <Row,>({ count, near }: RowSource<Row>): boolean =>
  near !== undefined || count <= MOST_PRINTED;

export function Rows<Row>(props: RowsProps<Row>) {
  const isPrinting = useIsPrinting() && isForPaper(props.source);
  const { count, at } = props.source;
  if (!isMany(count) || isPrinting) return <AllRows {...props} />;
  return (
    <Suspense fallback={<AllRows {...props} source={{ count: Math.min(count, FIRST), at }} />}>
      <LateRows {...props} />
    </Suspense>
  );
}
