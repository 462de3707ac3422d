// What is stored of some columns, of one probe or several, taken apart here and once: samples or ticks, raw and packed alike, and spans of rollups,
// by connection and database. Guards: a row that is both raw and packed comes once, and so does a span, of which the row
// counts, since it was made later; other work of the process goes on between two hours.
import type { Db } from '../../kernel/db.ts';
import { lasting, Shared, until } from '../../kernel/leaving.ts';
import { append } from '../../kernel/lists.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import type { Sql } from '../../kernel/sql.ts';
import type { Column } from '../../probes/types.ts';
import { EntityIds } from '../format/days.ts';
import { unpackSamples, unpackTicks } from '../format/hour.ts';
import { cellOf, cellsIn, elementsOf, numbersIn, type SampleRow, type TickRow } from '../format/rows.ts';
import { unpackWholes } from '../format/wholes.ts';
import { type ClassSpan, classSpanOf } from './class-spans.ts';
import { listed, numberOf, packedOf, type RolledSpan, spanOf, spansOfDay } from './spans.ts';
import { readsSomething, type StoredRead, type StoredRow, storedRows } from './stored.queries.ts';

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
  /** Times of runs of what was read so far: raw rows, then hour by hour. */
  runs: Set<number>;
  tickIds: Set<string>;
  spanIds: Set<number>;
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
  /** Of a day that was read as sums there are rows as well, which came late. */
  isTorn = false;

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
        runs: new Set(),
        tickIds: new Set(),
        spanIds: new Set(),
      };
      this.#own.set(key, own);
    }
    return own;
  }

  #samples(own: Own, rows: readonly SampleRow[]): void {
    // Of a run of which nothing was read before nothing comes twice, and a busy server has half a million rows in a week.
    const isNew = rows.filter(({ at }) => !own.runs.has(at));
    if (isNew.length < rows.length) {
      const known = new Set(own.samples.map(({ at, row_no }) => `${at} ${row_no}`));
      append(
        own.samples,
        rows.filter(({ at, row_no }) => own.runs.has(at) && !known.has(`${at} ${row_no}`)),
      );
    }
    append(own.samples, isNew);
    for (const { at } of isNew) own.runs.add(at);
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
      if (own.spanIds.has(row.at)) {
        this.isTorn ||= row.day?.isSummed === true;
        continue;
      }
      own.spanIds.add(row.at);
      own.spans.push(row);
    }
  }

  add(row: StoredRow): void {
    const { layout, columns, rolled, wanted, isOfWholes } = this.#read;
    const own = this.#of(row);
    const isSamples = layout.keeps === 'samples';
    if (row.part === 'class') own.classes.push(classSpanOf(row));
    else if (row.part === 'raw' && isSamples) this.#samples(own, rawSamples(columns, row));
    else if (row.part === 'raw') this.#ticks(own, [rawTick(columns, row)]);
    else if (row.part === 'hour' && isSamples)
      this.#samples(own, unpackSamples(columns, packedOf(row.t0 ?? null)));
    else if (row.part === 'hour' && isOfWholes) this.#ticks(own, unpackWholes(packedOf(row.t0 ?? null)));
    else if (row.part === 'hour') {
      const keep = wanted && ((id: number) => wanted.has(id));
      this.#ticks(own, unpackTicks(columns, packedOf(row.t0 ?? null), keep));
    } else if (rolled)
      this.#spans(own, row.part === 'span' ? [spanOf(row, rolled)] : spansOfDay(row, rolled, this.#ids));
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
const underWay = new WeakMap<Db, Map<string, { reading: Promise<Readings>; waiting: Shared }>>();

/**
 * One statement for all of them, answered in their order. Whoever asks for the same while it is being read gets the same
 * answer, which nobody changes: a screen of charts asks for many objects of one family at once, and each lies among all the
 * others.
 */
export async function readAllStored(db: Db, reads: readonly StoredRead[]): Promise<Readings> {
  if (!reads.some(readsSomething)) return reads.map(() => []);
  const statement = storedRows(reads);
  const base = lasting(db);
  const readings = underWay.get(base) ?? new Map<string, { reading: Promise<Readings>; waiting: Shared }>();
  underWay.set(base, readings);
  const key = JSON.stringify([statement.text, statement.values]);
  const known = readings.get(key);
  if (known && !known.waiting.signal.aborted) {
    known.waiting.join(db.signal);
    return known.reading;
  }
  const waiting = new Shared();
  waiting.join(db.signal);
  const own = {
    waiting,
    reading: taken(
      until(base, () => waiting.signal),
      reads,
      statement,
    ),
  };
  readings.set(key, own);
  const end = () => {
    if (readings.get(key) === own) readings.delete(key);
  };
  own.reading.then(end, end);
  return own.reading;
}

export async function readStored(db: Db, read: StoredRead): Promise<readonly Stored[]> {
  const [stored = []] = await readAllStored(db, [read]);
  return stored;
}

/** Whether something lies between the spans of a day that was read as sums, which tell of no part of it. */
const isCut = ({ spans }: Stored) =>
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
  return collected.some(({ isTorn }) => isTorn) || all.flat().some(isCut) ? undefined : all;
}

/** The same, span by span. */
const withoutSums = (reads: readonly StoredRead[]): StoredRead[] =>
  reads.map((read) => ({ ...read, rolled: read.rolled && { ...read.rolled, summed: undefined } }));

async function taken(db: Db, reads: readonly StoredRead[], statement: Sql): Promise<Readings> {
  const readings = await takenApart(reads, await db.rows<StoredRow>(statement));
  if (readings) return readings;
  const plain = withoutSums(reads);
  return (await takenApart(plain, await db.rows<StoredRow>(storedRows(plain)))) ?? plain.map(() => []);
}
