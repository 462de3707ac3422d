// A day of rollups of one database as packed columns and back: all entities together apart from the single ones, so
// that a reader of the whole unpacks little. Pure. Guards: a day that is packed says of each span, column and entity
// what its rows said; days can be packed anew together with rows that came later.
import type { Column } from '../../probes/types.ts';
import { storedName, type TableLayout } from '../layout/table-layout.ts';
import { arraysOf, numbersOf } from '../layout/tiers.ts';
import { encodeColumn } from './codec.ts';
import type { PackedColumns } from './hour.ts';
import { decodeNumbers, type Elements, elementsIn } from './numbers.ts';
import { Bytes, Cursor } from './whole.ts';

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

/** What a counter of each object grew by over the day, where that is packed: whoever ranks thousands over a month adds up days. */
export const daySums = (name: string): string => `${name}@d`;
export const hasDaySums = (layout: TableLayout, { kind }: Column): boolean =>
  layout.keeps === 'objects' && kind === 'counter';

/** What elements beyond the end of an array are: nothing grew, or as the mean says. */
const leftOut = ({ kind }: Column, part: number): Element => (kind === 'counter' && part === 0 ? 0 : null);

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
function split(data: Uint8Array, count: number): (part: number) => Elements | undefined {
  const cursor = new Cursor(data);
  const lists = Array.from({ length: count }, () => cursor.some(cursor.varint()));
  const known: { elements: Elements | undefined }[] = [];
  return (part) => {
    const list = lists[part];
    if (!list) return undefined;
    const own = known[part] ?? { elements: elementsIn(list) };
    known[part] = own;
    return own.elements;
  };
}

const nothing = (): Elements | undefined => undefined;

/** The elements of one array: of all entities together, or entity by entity. */
interface Lists {
  layout: TableLayout;
  rows: readonly DayRow[];
  ids: readonly number[];
  /** Of each row, by position: which of `ids` stands there; -1: all together. */
  places: readonly Int32Array[];
}

function together({ rows }: Lists, column: Column): Element[][] {
  return arraysOf(column).map((name, part) =>
    rows.map(({ arrays, object_ids }) => {
      const [array, position] = [arrays[name], object_ids.indexOf(0)];
      if (position === -1 || !array) return null;
      return position < array.length ? (array[position] ?? null) : leftOut(column, part);
    }),
  );
}

/** Filled row by row, since most arrays of most rows are not there at all: thousands of objects have dozens of columns. */
function oneByOne({ layout, rows, ids, places }: Lists, column: Column): Element[][] {
  const isFamily = layout.keeps === 'objects';
  return arraysOf(column).map((name, part) => {
    const otherwise = leftOut(column, part);
    const elements = new Array<Element>(ids.length * rows.length).fill(null);
    for (const [index, { arrays }] of rows.entries()) {
      const array = arrays[name];
      if (!array) continue;
      for (const [position, place] of (places[index] ?? new Int32Array()).entries()) {
        if (place < 0) continue;
        const value = position < array.length ? (array[position] ?? null) : otherwise;
        // Of a family nothing is said of what did not grow.
        if (value !== null && !(value === 0 && otherwise === 0 && isFamily))
          elements[place * rows.length + index] = value;
      }
    }
    return elements;
  });
}

/** Of a list of elements, entity by entity; null: nothing grew. */
function sumsIn(elements: readonly Element[], spans: number): Element[] {
  const sums: Element[] = [];
  for (let from = 0; from < elements.length; from += spans) {
    let sum = 0;
    for (let index = from; index < from + spans; index += 1) sum += elements[index] ?? 0;
    sums.push(sum === 0 ? null : sum);
  }
  return sums;
}

function placesIn(ids: readonly number[], rows: readonly DayRow[]): Int32Array[] {
  const known = new Map(ids.map((id, place) => [id, place]));
  return rows.map(({ object_ids }) => Int32Array.from(object_ids, (id) => known.get(id) ?? -1));
}

/** Column by column, so that whoever packs can do something else in between. Rows of the same span: the last one counts. */
export function* packedColumns(
  layout: TableLayout,
  all: readonly DayRow[],
  isSummed = false,
): Generator<[string, Uint8Array]> {
  const rows = [...new Map(all.map((row) => [row.at, row])).values()].sort((a, b) => a.at - b.at);
  const known = new Set<number>();
  for (const { object_ids } of rows) for (const id of object_ids) if (id !== 0) known.add(id);
  const ids = [...known].sort((a, b) => a - b);
  const of = <T>(read: (row: DayRow) => T) => rows.map(read);
  yield [
    '@at',
    encodeColumn(
      'whole',
      of(({ at }) => at),
    ),
  ];
  yield [
    '@runs',
    encodeColumn(
      'whole',
      of(({ runs }) => runs),
    ),
  ];
  yield [
    '@covered',
    encodeColumn(
      'double',
      of(({ covered_seconds }) => covered_seconds),
    ),
  ];
  yield ['@id', encodeColumn('whole', ids)];
  const lists = { layout, rows, ids, places: placesIn(ids, rows) };
  for (const column of numbersOf(layout)) {
    const [whole, each] = dayParts(storedName(column.name));
    yield [whole, joined(together(lists, column))];
    const elements = ids.length === 0 ? [] : oneByOne(lists, column);
    yield [each, ids.length === 0 ? new Uint8Array() : joined(elements)];
    if (isSummed && hasDaySums(layout, column))
      yield [
        daySums(storedName(column.name)),
        encodeColumn('double', sumsIn(elements[0] ?? [], rows.length)),
      ];
  }
}

export const packDay = (layout: TableLayout, all: readonly DayRow[]): PackedColumns =>
  new Map(packedColumns(layout, all));

const NONE = new Float64Array();
const numbersIn = (data: Uint8Array | undefined) => (data && decodeNumbers(data)?.values) ?? NONE;

/** By hand: what an iterator makes on the way would be most of the work. */
function listed(numbers: Float64Array, first: readonly number[] = []): number[] {
  const list = [...first];
  for (let index = 0; index < numbers.length; index += 1) list.push(numbers[index] ?? 0);
  return list;
}

/** The ids of the entities of day after day: the same list as long as they are the same, for which much is found out once. */
export class EntityIds {
  #data: Uint8Array | undefined;
  #ids: readonly number[] = [0];

  of(data: Uint8Array | undefined): readonly number[] {
    if (data && this.#data && Buffer.compare(this.#data, data) === 0) return this.#ids;
    this.#data = data;
    this.#ids = listed(numbersIn(data), [0]);
    return this.#ids;
  }
}

export interface Spans {
  at: readonly number[];
  runs: readonly number[];
  covered: readonly number[];
  /** All of them together, which is 0, then each. */
  ids: readonly number[];
}

export const spansOf = (packed: PackedColumns, known = new EntityIds()): Spans => ({
  at: listed(numbersIn(packed.get('@at'))),
  runs: listed(numbersIn(packed.get('@runs'))),
  covered: listed(numbersIn(packed.get('@covered'))),
  ids: known.of(packed.get('@id')),
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
      ? (whole?.(part)?.at(span) ?? null)
      : (each?.(part)?.at(position * spans.at.length + span) ?? null);
}

/** Spans of a day by their places: `to` is not among them. */
export interface SpanRange {
  readonly from: number;
  readonly to: number;
}

/**
 * What the first part of a column comes to over some spans of the day, entity by entity; undefined: nothing is said of any. Of a
 * day of which only sums were read there is nothing else than the whole of it.
 */
export function sumsOf(
  packed: PackedColumns,
  column: Column,
  spans: Spans,
): (range: SpanRange) => Float64Array | undefined {
  const made = packed.get(daySums(storedName(column.name)));
  const data = packed.get(dayParts(storedName(column.name))[1]);
  const each = data && data.length > 0 ? split(data, arraysOf(column).length) : nothing;
  return (range) => {
    const isWhole = range.from === 0 && range.to === spans.at.length;
    // Days that were packed before sums were have none.
    if (made && isWhole) return decodeNumbers(made)?.values;
    if (made && !data) throw new Error(`spans of ${column.name} were read as sums of their day`);
    const elements = each(0);
    return elements?.sums({ count: spans.ids.length - 1, length: spans.at.length, ...range });
  };
}

/** The rows again, with an element for each entity in each. */
export function unpackDay(layout: TableLayout, packed: PackedColumns): DayRow[] {
  const spans = spansOf(packed);
  const object_ids = spans.ids;
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
