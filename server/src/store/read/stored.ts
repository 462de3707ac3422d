// What is stored of some columns, of one probe or several, taken apart here and once: samples or ticks, raw and packed alike, and spans of rollups,
// by connection and database. Guards: a row that is both raw and packed comes once, and so does a span, of which the row
// counts, since it was made later; other work of the process goes on between two hours.
import type { Db } from '../../kernel/db.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import type { Sql } from '../../kernel/sql.ts';
import type { Column } from '../../probes/types.ts';
import { readerOf, spansOf } from '../format/days.ts';
import { unpackSamples, unpackTicks } from '../format/hour.ts';
import { cellOf, elementsOf, type SampleRow, type TickRow } from '../format/rows.ts';
import { arraysOf } from '../layout/tiers.ts';
import { type ClassSpan, classSpanOf } from './class-spans.ts';
import {
  type RolledColumnRead,
  type RolledRead,
  readsSomething,
  type StoredRead,
  type StoredRow,
  storedRows,
} from './stored.queries.ts';

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
}

/** Of one database of a connection. */
export interface Stored {
  readonly connection_id: number;
  readonly database_name: string;
  /** In order of time. */
  samples: SampleRow[];
  ticks: TickRow[];
  spans: RolledSpan[];
  classes: ClassSpan[];
}

interface Own extends Stored {
  /** Numbers of rows, by the time of their run. */
  sampleIds: Map<number, Set<number>>;
  tickIds: Set<string>;
  spanIds: Set<number>;
}

const numberOf = (text: string | null | undefined) =>
  text === null || text === undefined || text === 'NULL' ? null : Number(text);
const listed = (text: string | null) => (text === null ? [] : elementsOf(text));

function packedOf(text: string | null): Map<string, Buffer> {
  return new Map(
    (text ?? '').split(';').flatMap((one): [string, Buffer][] => {
      const end = one.indexOf(' ');
      return end < 0 ? [] : [[one.slice(0, end), Buffer.from(one.slice(end + 1), 'base64')]];
    }),
  );
}

function rawSamples(columns: readonly Column[], row: StoredRow): SampleRow[] {
  const [at, rowNo, server_instance] = [
    listed(row.t0 ?? null),
    listed(row.t1 ?? null),
    listed(row.t2 ?? null),
  ];
  const cells = columns.map((_column, index) => listed(row[`t${index + 3}`] ?? null));
  return at.map((moment, n) => ({
    at: Number(moment),
    row_no: Number(rowNo[n]),
    server_instance: numberOf(server_instance[n]),
    cells: columns.map(({ type }, index) => cellOf(type, cells[index]?.[n] ?? null)),
  }));
}

function rawTick(columns: readonly Column[], row: StoredRow): TickRow {
  const texts = columns.map((_column, index) => row[`t${index + 6}`] ?? null);
  return {
    at: Number(row.t0),
    keyframe: row.t1 === 'true',
    whole: row.t2 === 'true',
    since: numberOf(row.t3),
    ids: listed(row.t4 ?? null).map(Number),
    gone: row.t5 === null || row.t5 === undefined ? null : elementsOf(row.t5).map(Number),
    columns: columns.map(({ type }, index) => {
      const text = texts[index] ?? null;
      return text === null ? null : elementsOf(text).map((one) => cellOf(type, one));
    }),
  };
}

/** Its arrays begin with the text of that number. */
function columnOfSpan(row: StoredRow, { parts }: RolledColumnRead, first: number): RolledColumn {
  const arrays = new Map<string, (number | null)[] | null>(
    ['', ...parts].map((name, index) => {
      const text = row[`t${first + index}`] ?? null;
      return [name, text === null ? null : elementsOf(text).map(numberOf)];
    }),
  );
  return {
    length: arrays.get('')?.length ?? null,
    element: (part, position) => arrays.get(part)?.[position] ?? null,
  };
}

function spanOf(row: StoredRow, { columns }: RolledRead): RolledSpan {
  let first = 4;
  return {
    at: Number(row.t0) / 1000,
    runs: Number(row.t1),
    covered_seconds: Number(row.t2),
    ids: listed(row.t3 ?? null).map(Number),
    columns: columns.map((one) => {
      const column = columnOfSpan(row, one, first);
      first += 1 + one.parts.length;
      return column;
    }),
  };
}

function spansOfDay(row: StoredRow, { columns, together }: RolledRead): RolledSpan[] {
  const packed = packedOf(row.t0 ?? null);
  const spans = spansOf(packed);
  const ids = [0, ...(together ? [] : spans.ids)];
  const readers = columns.map(({ column }) => ({
    read: readerOf(packed, column, spans),
    names: arraysOf(column).map((name, index) => (index === 0 ? '' : (name.split('__').at(-1) ?? ''))),
    isCounter: column.kind === 'counter',
  }));
  return spans.at.map((at, n) => ({
    at,
    runs: spans.runs[n] ?? 0,
    covered_seconds: spans.covered[n] ?? 0,
    ids,
    columns: readers.map(({ read, names, isCounter }) => ({
      // What did not grow is left out, and so is what nobody knows: the family's own element tells which.
      length: isCounter && read(0, -1, n) === null ? null : ids.length,
      element: (part, position) => read(names.indexOf(part), position - 1, n),
    })),
  }));
}

class Collected {
  readonly #own = new Map<string, Own>();
  readonly #read: StoredRead;

  constructor(read: StoredRead) {
    this.#read = read;
  }

  #of({ connection_id, database_name }: StoredRow): Own {
    const key = `${connection_id} ${database_name}`;
    let own = this.#own.get(key);
    if (!own) {
      own = {
        connection_id,
        database_name,
        samples: [],
        ticks: [],
        spans: [],
        classes: [],
        sampleIds: new Map(),
        tickIds: new Set(),
        spanIds: new Set(),
      };
      this.#own.set(key, own);
    }
    return own;
  }

  #samples(own: Own, rows: readonly SampleRow[]): void {
    for (const row of rows) {
      // By number, since a busy server has half a million of them in a week.
      const run = own.sampleIds.get(row.at);
      if (run?.has(row.row_no)) continue;
      if (run) run.add(row.row_no);
      else own.sampleIds.set(row.at, new Set([row.row_no]));
      own.samples.push(row);
    }
  }

  #ticks(own: Own, rows: readonly TickRow[]): void {
    for (const row of rows) {
      const id = `${row.at} ${row.keyframe}`;
      if (own.tickIds.has(id)) continue;
      own.tickIds.add(id);
      own.ticks.push(row);
    }
  }

  #spans(own: Own, rows: readonly RolledSpan[]): void {
    for (const row of rows) {
      if (own.spanIds.has(row.at)) continue;
      own.spanIds.add(row.at);
      own.spans.push(row);
    }
  }

  add(row: StoredRow): void {
    const { layout, columns, rolled } = this.#read;
    const own = this.#of(row);
    const isSamples = layout.keeps === 'samples';
    if (row.part === 'class') own.classes.push(classSpanOf(row));
    else if (row.part === 'raw' && isSamples) this.#samples(own, rawSamples(columns, row));
    else if (row.part === 'raw') this.#ticks(own, [rawTick(columns, row)]);
    else if (row.part === 'hour' && isSamples)
      this.#samples(own, unpackSamples(columns, packedOf(row.t0 ?? null)));
    else if (row.part === 'hour') this.#ticks(own, unpackTicks(columns, packedOf(row.t0 ?? null)));
    else if (rolled) this.#spans(own, row.part === 'span' ? [spanOf(row, rolled)] : spansOfDay(row, rolled));
  }

  all(): Stored[] {
    return [...this.#own.values()].map(
      ({ connection_id, database_name, samples, ticks, spans, classes }) => ({
        connection_id,
        database_name,
        samples: samples.sort((a, b) => a.at - b.at || a.row_no - b.row_no),
        ticks: ticks.sort((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe)),
        spans: spans.sort((a, b) => a.at - b.at),
        classes: classes.sort((a, b) => a.at - b.at),
      }),
    );
  }
}

const ORDER = { raw: 0, span: 1, hour: 2, day: 3, class: 4, more: 5 } as const;

type Readings = readonly (readonly Stored[])[];

/** Readings that are under way, by what they read. */
const underWay = new WeakMap<Db, Map<string, Promise<Readings>>>();

/**
 * One statement for all of them, answered in their order. Whoever asks for the same while it is being read gets the same
 * answer, which nobody changes: a screen of charts asks for many objects of one family at once, and each lies among all the
 * others.
 */
export async function readAllStored(db: Db, reads: readonly StoredRead[]): Promise<Readings> {
  if (!reads.some(readsSomething)) return reads.map(() => []);
  const statement = storedRows(reads);
  const readings = underWay.get(db) ?? new Map<string, Promise<Readings>>();
  underWay.set(db, readings);
  const key = JSON.stringify([statement.text, statement.values]);
  const known = readings.get(key);
  if (known) return known;
  const reading = taken(db, reads, statement).finally(() => readings.delete(key));
  readings.set(key, reading);
  return reading;
}

export async function readStored(db: Db, read: StoredRead): Promise<readonly Stored[]> {
  const [stored = []] = await readAllStored(db, [read]);
  return stored;
}

/** What these rows say, read by read. */
export async function takenApart(reads: readonly StoredRead[], rows: StoredRow[]): Promise<Readings> {
  const collected = reads.map((read) => new Collected(read));
  // Rows before what is packed, so that they count.
  for (const row of rows.sort((a, b) => ORDER[a.part] - ORDER[b.part])) {
    collected[row.read_no]?.add(row);
    await yieldIfBusy();
  }
  return collected.map((one) => one.all());
}

const taken = async (db: Db, reads: readonly StoredRead[], statement: Sql) =>
  takenApart(reads, await db.rows<StoredRow>(statement));
