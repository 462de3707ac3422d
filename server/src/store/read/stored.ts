// What is stored of some columns, of one probe or several, taken apart here and once: samples or ticks, raw and packed alike, and spans of rollups,
// by connection and database. Guards: a row that is both raw and packed comes once, and so does a span, of which the row
// counts, since it was made later; other work of the process goes on between two hours; samples and ticks of a database are taken
// apart when it is opened, so that of a server with hundreds of databases those of one at a time are in memory.
import type { Db } from '../../kernel/db.ts';
import { append } from '../../kernel/lists.ts';
import { nextTurn, yieldIfBusy } from '../../kernel/scheduler.ts';
import type { Column } from '../../probes/types.ts';
import { EntityIds } from '../format/days.ts';
import { unpackSamples, unpackTicks, unpackWholes } from '../format/hour.ts';
import {
  cellOf,
  cellsIn,
  elementsOf,
  listed,
  numberOf,
  numbersIn,
  packedOf,
  type SampleRow,
  type TickRow,
} from '../format/rows.ts';
import { type ClassSpan, classSpanOf, type RolledSpan, spanOf, spansOfDay } from './spans.ts';
import { readsSomething, storedRows } from './stored.queries.ts';
import {
  type DatabaseOf,
  keyOfDatabase,
  type StoredRead,
  type StoredRow,
  type TickTexts,
} from './stored-read.ts';

/** Of one database of a connection. */
export interface Stored extends DatabaseOf {
  /** In order of time. */
  samples: SampleRow[];
  ticks: TickRow[];
  spans: RolledSpan[];
  classes: ClassSpan[];
}

/** One database of a connection whose samples and ticks were read and not taken apart yet. */
export interface Unopened extends DatabaseOf {
  /** Each time anew: nothing of it is kept. */
  open(): Promise<Stored>;
}

interface Own extends DatabaseOf {
  spans: RolledSpan[];
  classes: ClassSpan[];
  spanIds: Set<number>;
  /** Raw rows, then hour by hour. */
  rows: StoredRow[];
}

/** Samples and ticks of one database, each once. */
class Rows {
  readonly samples: SampleRow[] = [];
  readonly ticks: TickRow[] = [];
  /** Times of runs of what was read so far. */
  readonly #runs = new Set<number>();
  readonly #tickIds = new Set<string>();

  addSamples(rows: readonly SampleRow[]): void {
    // Of a run of which nothing was read before nothing comes twice, and a busy server has half a million rows in a week.
    const isNew = rows.filter(({ at }) => !this.#runs.has(at));
    if (isNew.length < rows.length) {
      const known = new Set(this.samples.map(({ at, row_no }) => `${at} ${row_no}`));
      append(
        this.samples,
        rows.filter(({ at, row_no }) => this.#runs.has(at) && !known.has(`${at} ${row_no}`)),
      );
    }
    append(this.samples, isNew);
    for (const { at } of isNew) this.#runs.add(at);
  }

  addTicks(rows: readonly TickRow[]): void {
    for (const row of rows) {
      const id = `${row.at} ${row.keyframe}`;
      if (this.#tickIds.has(id)) continue;
      this.#tickIds.add(id);
      this.ticks.push(row);
    }
  }
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

/** Of its texts (stored.queries.ts). */
export function tickOf(columns: readonly Column[], row: TickTexts): TickRow {
  const texts = columns.map((_column, index) => row[`t${index + 6}`] ?? null);
  return {
    at: Number(row.t0),
    keyframe: row.t1 === 'true',
    whole: row.t2 === 'true',
    since: numberOf(row.t3),
    ids: numbersIn(row.t4 ?? '{}').map(Number),
    gone: row.t5 === null || row.t5 === undefined ? null : elementsOf(row.t5).map(Number),
    columns: columns.map(({ type }, index) => {
      const text = texts[index] ?? null;
      return text === null ? null : cellsIn(type, text);
    }),
  };
}

class Collected {
  readonly #own = new Map<string, Own>();
  readonly #read: StoredRead;
  readonly #ids = new EntityIds();
  /** Of a day that was read as sums there are rows as well, which came late, or not all of it is there; known once all were listed. */
  isTorn = false;

  constructor(read: StoredRead) {
    this.#read = read;
  }

  #of(row: StoredRow): Own {
    const { connection_id, database_name } = row;
    const key = keyOfDatabase(row);
    let own = this.#own.get(key);
    if (!own) {
      own = { connection_id, database_name, spans: [], classes: [], spanIds: new Set(), rows: [] };
      this.#own.set(key, own);
    }
    return own;
  }

  #spans(own: Own, rows: readonly RolledSpan[]): void {
    for (const row of rows) {
      if (own.spanIds.has(row.at)) {
        this.isTorn ||= row.day?.isSummed === true;
        continue;
      }
      own.spanIds.add(row.at);
      own.spans.push(row);
    }
  }

  add(row: StoredRow): void {
    const { rolled } = this.#read;
    const own = this.#of(row);
    if (row.part === 'class') own.classes.push(classSpanOf(row));
    else if (row.part === 'raw' || row.part === 'hour') own.rows.push(row);
    else if (rolled)
      this.#spans(own, row.part === 'span' ? [spanOf(row, rolled)] : spansOfDay(row, rolled, this.#ids));
  }

  #addRow(into: Rows, row: StoredRow): void {
    const { layout, columns, wanted, isOfWholes } = this.#read;
    const isSamples = layout.keeps === 'samples';
    if (row.part === 'raw')
      isSamples ? into.addSamples(rawSamples(columns, row)) : into.addTicks([tickOf(columns, row)]);
    else if (isSamples) into.addSamples(unpackSamples(columns, packedOf(row.t0 ?? null)));
    else if (isOfWholes) into.addTicks(unpackWholes(packedOf(row.t0 ?? null)));
    else {
      const keep = wanted && ((id: number) => wanted.has(id));
      into.addTicks(unpackTicks(columns, packedOf(row.t0 ?? null), keep));
    }
  }

  async #open({ connection_id, database_name, spans, classes, rows }: Own): Promise<Stored> {
    const into = new Rows();
    for (const row of rows) {
      this.#addRow(into, row);
      await nextTurn();
    }
    const { samples, ticks } = into;
    return {
      connection_id,
      database_name,
      samples: samples.sort((a, b) => a.at - b.at || a.row_no - b.row_no),
      ticks: ticks.sort((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe)),
      spans,
      classes,
    };
  }

  all(): Unopened[] {
    return [...this.#own.values()].map((own) => {
      own.spans.sort((a, b) => a.at - b.at);
      own.classes.sort((a, b) => a.at - b.at);
      this.isTorn ||= isCut(own);
      const { connection_id, database_name } = own;
      return { connection_id, database_name, open: () => this.#open(own) };
    });
  }
}

const ORDER = { raw: 0, span: 1, hour: 2, day: 3, class: 4, more: 5 } as const;

type Readings = readonly (readonly Unopened[])[];

/** One statement for all of them, answered in their order. */
export async function readUnopened(db: Db, reads: readonly StoredRead[]): Promise<Readings> {
  if (!reads.some(readsSomething)) return reads.map(() => []);
  const readings = await takenApart(reads, await db.rows<StoredRow>(storedRows(reads)));
  if (readings) return readings;
  const plain = withoutSums(reads);
  return (await takenApart(plain, await db.rows<StoredRow>(storedRows(plain)))) ?? plain.map(() => []);
}

/** As `readUnopened`, all of them taken apart. */
export async function readAllStored(db: Db, reads: readonly StoredRead[]): Promise<Stored[][]> {
  const opened: Stored[][] = [];
  for (const one of await readUnopened(db, reads)) {
    const own: Stored[] = [];
    for (const unopened of one) own.push(await unopened.open());
    opened.push(own);
  }
  return opened;
}

export async function readStored(db: Db, read: StoredRead): Promise<readonly Stored[]> {
  const [stored = []] = await readAllStored(db, [read]);
  return stored;
}

/** Whether something lies between the spans of a day that was read as sums, which tell of no part of it. */
const isCut = ({ spans }: Own) =>
  spans.some(({ day, place = 0 }, index) => {
    const before = spans[index - 1];
    return day?.isSummed === true && place > 0 && (before?.day !== day || before.place !== place - 1);
  });

/** What these rows say, read by read; undefined: not with sums of days (see `withoutSums`). */
export async function takenApart(
  reads: readonly StoredRead[],
  rows: StoredRow[],
): Promise<Readings | undefined> {
  const collected = reads.map((read) => new Collected(read));
  // Rows before what is packed, so that they count.
  for (const row of rows.sort((a, b) => ORDER[a.part] - ORDER[b.part])) {
    collected[row.read_no]?.add(row);
    await yieldIfBusy();
  }
  const all = collected.map((one) => one.all());
  return collected.some(({ isTorn }) => isTorn) ? undefined : all;
}

/** The same, span by span. */
const withoutSums = (reads: readonly StoredRead[]): StoredRead[] =>
  reads.map((read) => ({ ...read, rolled: read.rolled && { ...read.rolled, summed: undefined } }));
