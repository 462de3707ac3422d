// A day of rollups of one database as packed columns and back: all entities together apart from the single ones, so
// that a reader of the whole unpacks little. Pure. Guards: a day that is packed says of each span, column and entity
// what its rows said; days can be packed anew together with rows that came later.
import type { Column } from '../../probes/types.ts';
import { storedName, type TableLayout } from '../layout/table-layout.ts';
import { arraysOf, numbersOf } from '../layout/tiers.ts';
import { Bytes, Cursor } from './bytes.ts';
import { type Cell, decodeColumn, encodeColumn } from './codec.ts';
import type { PackedColumns } from './hour.ts';

export type Element = number | null;

/** A row of the rollup's table. */
export interface DayRow {
  /** Milliseconds since the epoch. */
  at: number;
  runs: number;
  covered_seconds: number;
  /** 0 is all of them together. */
  object_ids: readonly number[];
  /** By the names of the table's arrays. */
  arrays: Readonly<Record<string, readonly Element[] | null>>;
}

export const SPAN_COLUMNS = ['@at', '@runs', '@covered', '@id'];
/** The packed columns of a number: of all entities together, and of each. */
export const dayParts = (name: string): [all: string, each: string] => [name, `${name}@o`];

/** What elements beyond the end of an array are: nothing grew, or as the mean says. */
const leftOut = ({ kind }: Column, part: number): Element => (kind === 'counter' && part === 0 ? 0 : null);

function elementOf({ arrays }: DayRow, name: string, of: { position: number; leftOut: Element }): Element {
  const array = arrays[name];
  if (of.position === -1 || !array) return null;
  return of.position < array.length ? (array[of.position] ?? null) : of.leftOut;
}

/** Several lists as one: each with its length before it. */
function joined(lists: readonly (readonly Element[])[]): Uint8Array {
  const out = new Bytes();
  for (const list of lists) {
    const data = encodeColumn('double', list);
    out.varint(data.length);
    out.all(data);
  }
  return out.take();
}

/** Each list is taken apart when it is asked for: most readers want two of the six of a level. */
function split(data: Uint8Array, count: number): (part: number) => Cell[] | undefined {
  const cursor = new Cursor(data);
  const lists = Array.from({ length: count }, () => cursor.some(cursor.varint()));
  const known: (Cell[] | undefined)[] = [];
  return (part) => {
    const list = lists[part];
    if (!list) return undefined;
    const cells = known[part] ?? decodeColumn(list);
    known[part] = cells;
    return cells;
  };
}

const nothing = (): Cell[] | undefined => undefined;

/** The elements of one array: of all entities together, or entity by entity. */
interface Lists {
  layout: TableLayout;
  rows: readonly DayRow[];
  /** Where each row has which entity. */
  positions: readonly ReadonlyMap<number, number>[];
  ids: readonly number[];
}

function together({ rows }: Lists, column: Column): Element[][] {
  return arraysOf(column).map((name, part) =>
    rows.map((row) =>
      elementOf(row, name, { position: row.object_ids.indexOf(0), leftOut: leftOut(column, part) }),
    ),
  );
}

function oneByOne({ layout, rows, positions, ids }: Lists, column: Column): Element[][] {
  const isFamily = layout.keeps === 'objects';
  return arraysOf(column).map((name, part) => {
    const otherwise = leftOut(column, part);
    return ids.flatMap((id) =>
      rows.map((row, index) => {
        const value = elementOf(row, name, { position: positions[index]?.get(id) ?? -1, leftOut: otherwise });
        // Of a family nothing is said of what did not grow.
        return value === 0 && otherwise === 0 && isFamily ? null : value;
      }),
    );
  });
}

/** Rows of the same span: the last one counts. */
export function packDay(layout: TableLayout, all: readonly DayRow[]): PackedColumns {
  const rows = [...new Map(all.map((row) => [row.at, row])).values()].sort((a, b) => a.at - b.at);
  const ids = [...new Set(rows.flatMap(({ object_ids }) => object_ids))].filter((id) => id !== 0);
  ids.sort((a, b) => a - b);
  const positions = rows.map(({ object_ids }) => new Map(object_ids.map((id, position) => [id, position])));
  const of = <T>(read: (row: DayRow) => T) => rows.map(read);
  const packed = new Map<string, Uint8Array>([
    [
      '@at',
      encodeColumn(
        'whole',
        of(({ at }) => at),
      ),
    ],
    [
      '@runs',
      encodeColumn(
        'whole',
        of(({ runs }) => runs),
      ),
    ],
    [
      '@covered',
      encodeColumn(
        'double',
        of(({ covered_seconds }) => covered_seconds),
      ),
    ],
    ['@id', encodeColumn('whole', ids)],
  ]);
  const lists = { layout, rows, positions, ids };
  for (const column of numbersOf(layout)) {
    const [whole, each] = dayParts(storedName(column.name));
    packed.set(whole, joined(together(lists, column)));
    packed.set(each, ids.length === 0 ? new Uint8Array() : joined(oneByOne(lists, column)));
  }
  return packed;
}

const numbers = (data: Uint8Array | undefined) => (data ? decodeColumn(data) : []).map(Number);
const elementAt = (cells: readonly Cell[] | undefined, index: number): Element => {
  const cell = cells?.[index] ?? null;
  return cell === null ? null : Number(cell);
};

export interface Spans {
  at: readonly number[];
  runs: readonly number[];
  covered: readonly number[];
  ids: readonly number[];
}

export const spansOf = (packed: PackedColumns): Spans => ({
  at: numbers(packed.get('@at')),
  runs: numbers(packed.get('@runs')),
  covered: numbers(packed.get('@covered')),
  ids: numbers(packed.get('@id')),
});

/** Reads elements of one column: by part (as arraysOf names them), place of the entity (-1: all), and span. */
export type ReadElement = (part: number, position: number, span: number) => Element;

export function readerOf(packed: PackedColumns, column: Column, spans: Spans): ReadElement {
  const count = arraysOf(column).length;
  const [whole, each] = dayParts(storedName(column.name)).map((name) => {
    const data = packed.get(name);
    return data && data.length > 0 ? split(data, count) : nothing;
  });
  return (part, position, span) =>
    position < 0
      ? elementAt(whole?.(part), span)
      : elementAt(each?.(part), position * spans.at.length + span);
}

/** The rows again, with an element for each entity in each. */
export function unpackDay(layout: TableLayout, packed: PackedColumns): DayRow[] {
  const spans = spansOf(packed);
  const object_ids = [0, ...spans.ids];
  const readers = numbersOf(layout).flatMap((column) => {
    const read = readerOf(packed, column, spans);
    return arraysOf(column).map((name, part) => ({ name, part, read }));
  });
  return spans.at.map((at, span) => ({
    at,
    runs: spans.runs[span] ?? 0,
    covered_seconds: spans.covered[span] ?? 0,
    object_ids,
    arrays: Object.fromEntries(
      readers.map(({ name, part, read }) => {
        const elements = object_ids.map((_id, position) => read(part, position - 1, span));
        return [name, elements.every((one) => one === null) ? null : elements];
      }),
    ),
  }));
}
