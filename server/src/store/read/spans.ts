// Spans of rollups as they are read, of rows and of packed days alike: what each says of a column, element by element, and what a
// packed day says as a whole. Pure. Guards: a day unpacks no more than what is asked of it.

import type { Column } from '../../probes/types.ts';
import {
  dayParts,
  daySums,
  type EntityIds,
  type ReadElement,
  readerOf,
  type SpanRange,
  type Spans,
  spansOf,
  sumsOf,
} from '../format/days.ts';
import type { PackedColumns } from '../format/hour.ts';
import { elementsOf, numbersIn, packedOf } from '../format/rows.ts';
import { storedName } from '../layout/table-layout.ts';
import { arraysOf } from '../layout/tiers.ts';
import { membersOfText, type SpanMember } from '../rollup/active-members.ts';
import type { Sums } from './increase-sums.ts';
import type { RolledColumnRead, RolledRead, StoredRow } from './stored-read.ts';

/** What a span says of one column; `element` reads its main array (part '') or another part of it. */
export interface RolledColumn {
  /** Undefined: beyond the array's end. `null` as a list: nobody knows the column. */
  readonly length: number | null;
  element(part: string, position: number): number | null;
}

/** A span of a rollup. */
export interface RolledSpan {
  /** Milliseconds since the epoch at which it begins. */
  readonly at: number;
  readonly runs: number;
  readonly covered_seconds: number;
  /** 0: all entities together. */
  readonly ids: readonly number[];
  /** In the order they were asked for. */
  readonly columns: readonly RolledColumn[];
  /** That it was packed in, and where in it. */
  readonly day?: RolledDay;
  readonly place?: number;
}

/** All spans of a packed day together. */
export interface RolledDay {
  readonly columns: readonly RolledDayColumn[];
  /** Of its counters it tells what single entities grew by over the day, and not in which span. */
  readonly isSummed: boolean;
}

export interface RolledDayColumn {
  /** How long its counter was measured in these spans. */
  seconds(range: SpanRange): number;
  /** What its counter grew by in these spans, in the order of a span's ids. */
  sums(range: SpanRange): Sums;
}

/** Its arrays begin with the text of that number. */
function columnOfSpan(row: StoredRow, { parts }: RolledColumnRead, first: number): RolledColumn {
  const arrays = new Map<string, (number | null)[] | null>(
    ['', ...parts].map((name, index) => {
      const text = row[`t${first + index}`] ?? null;
      return [name, text === null ? null : numbersIn(text)];
    }),
  );
  const main = arrays.get('') ?? null;
  return {
    length: main?.length ?? null,
    element: (part, position) => (part === '' ? main : arrays.get(part))?.[position] ?? null,
  };
}

export function spanOf(row: StoredRow, { columns }: RolledRead): RolledSpan {
  let first = 4;
  return {
    at: Number(row.t0) / 1000,
    runs: Number(row.t1),
    covered_seconds: Number(row.t2),
    ids: numbersIn(row.t3 ?? '{}').map(Number),
    columns: columns.map((one) => {
      const column = columnOfSpan(row, one, first);
      first += 1 + one.parts.length;
      return column;
    }),
  };
}

function dayColumnOf(packed: PackedColumns, { column }: RolledColumnRead, spans: Spans): RolledDayColumn {
  const read = readerOf(packed, column, spans);
  const places = [...spans.at.keys()];
  const sumsIn = sumsOf(packed, column, spans);
  return {
    seconds: ({ from, to }) =>
      places.slice(from, to).reduce((all, n) => {
        const isKnown = read(0, -1, n) !== null;
        return isKnown ? all + (read(1, -1, n) ?? spans.covered[n] ?? 0) : all;
      }, 0),
    sums(range) {
      const own = sumsIn(range) ?? new Float64Array(spans.ids.length - 1);
      const all = places.slice(range.from, range.to).reduce((sum, n) => sum + (read(0, -1, n) ?? 0), 0);
      return { all, own };
    },
  };
}

/** Nobody takes for nothing what was not read. */
function allAlone(read: ReadElement, column: Column): ReadElement {
  return (part, position, span) => {
    if (position >= 0) throw new Error(`spans of ${column.name} were read as sums of their day`);
    return read(part, position, span);
  };
}

const ALL_TOGETHER: readonly number[] = [0];

export function spansOfDay(
  row: StoredRow,
  { columns, together }: RolledRead,
  known: EntityIds,
): RolledSpan[] {
  const packed = packedOf(row.t0 ?? null);
  const isOfSums = ({ name }: Column) =>
    !together && packed.has(daySums(storedName(name))) && !packed.has(dayParts(storedName(name))[1]);
  const spans = spansOf(packed, known);
  const ids = together ? ALL_TOGETHER : spans.ids;
  const readers = columns.map(({ column }) => ({
    read: isOfSums(column)
      ? allAlone(readerOf(packed, column, spans), column)
      : readerOf(packed, column, spans),
    names: arraysOf(column).map((name, index) => (index === 0 ? '' : (name.split('__').at(-1) ?? ''))),
    isCounter: column.kind === 'counter',
  }));
  const day = {
    columns: columns.map((column) => dayColumnOf(packed, column, spans)),
    isSummed: columns.some(({ column }) => isOfSums(column)),
  };
  return spans.at.map((at, n) => ({
    at,
    runs: spans.runs[n] ?? 0,
    covered_seconds: spans.covered[n] ?? 0,
    ids,
    columns: readers.map(({ read, names, isCounter }) => ({
      // What did not grow is left out, and so is what nobody knows: the family's own element tells which.
      length: isCounter && read(0, -1, n) === null ? null : ids.length,
      element: (part, position) => read(part === '' ? 0 : names.indexOf(part), position - 1, n),
    })),
    day,
    place: n,
  }));
}

/** A span of a rollup by class of wait. */
export interface ClassSpan {
  readonly tier: string;
  /** Milliseconds since the epoch at which it begins. */
  readonly at: number;
  readonly covered_seconds: number;
  /** Sessions × seconds, by class. */
  readonly spent: readonly (readonly [wait_class: string, seconds: number])[];
  /** The largest by the split that was asked for; null: it is not known who they were, or was not asked. */
  readonly members: readonly SpanMember[] | null;
}

export function classSpanOf(row: StoredRow): ClassSpan {
  const seconds = elementsOf(row.t4 ?? '{}').map(Number);
  return {
    tier: row.t0 ?? '',
    at: Number(row.t1) / 1000,
    covered_seconds: Number(row.t2),
    spent: elementsOf(row.t3 ?? '{}').map((name, index) => [name ?? '', seconds[index] ?? 0] as const),
    members: membersOfText(row.t5 ?? null),
  };
}
