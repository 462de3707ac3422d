// All rows of a database of a connection over some hours, from raw rows and packed hours alike, as they were written.
// Guards: a row that is in both comes once, so late data that was seen before does no harm.

import type { Db } from '../../kernel/db.ts';
import { append } from '../../kernel/lists.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { storedName, type TableLayout } from '../layout/table-layout.ts';
import { packedName } from '../layout/tiers.ts';
import { unpackSamples, unpackTicks } from './hour.ts';
import { cellOf, elementsOf, momentOf, type SampleRow, type TickRow } from './rows.ts';
import { type PackedRow, packedHours, rawRows, type Slice } from './stored-rows.queries.ts';

type Texts = Readonly<Record<string, string | null>>;

const micros = (text: string | null | undefined) => momentOf(text ?? '') ?? 0;
const whole = (text: string | null | undefined) =>
  text === null || text === undefined ? null : Number(text);

function sampleOf(layout: TableLayout, row: Texts): SampleRow {
  return {
    at: micros(row.collected_at),
    row_no: Number(row.row_no),
    server_instance: whole(row.server_instance),
    cells: layout.values.map(({ name, type }) => cellOf(type, row[storedName(name)] ?? null)),
  };
}

function tickOf(layout: TableLayout, row: Texts): TickRow {
  const numbers = (text: string | null | undefined) => elementsOf(text ?? '{}').map(Number);
  const ids = numbers(row.object_ids);
  const since = row.since ?? null;
  return {
    at: micros(row.collected_at),
    keyframe: row.keyframe === 'true',
    whole: row.whole === 'true',
    since: since === null ? null : micros(since),
    ids,
    gone: row.gone_ids === null ? null : numbers(row.gone_ids),
    columns: layout.values.map(({ name, type }) => {
      const text = row[storedName(name)] ?? null;
      return text === null ? null : elementsOf(text).map((one) => cellOf(type, one));
    }),
  };
}

export interface Rows {
  readonly samples: readonly SampleRow[];
  readonly ticks: readonly TickRow[];
  /** Moments of the rows that are raw. */
  readonly raw: readonly number[];
}

function once<T>(rows: readonly T[], idOf: (row: T) => string): T[] {
  return [...new Map(rows.map((row) => [idOf(row), row])).values()];
}

/** The columns of a packed hour or day, by their names. */
export const toPacked = ({ names, columns }: PackedRow) =>
  new Map(
    names.flatMap((name, index): [string, Buffer][] => {
      const data = columns[index];
      return data ? [[name, data]] : [];
    }),
  );

/** `isRaw`: nothing was ever packed. */
export async function readRows(
  db: Db,
  layout: TableLayout,
  slice: Slice & { isRaw?: boolean },
): Promise<Rows> {
  const raw = await db.rows<Texts>(rawRows(layout, slice));
  const from = Math.floor(slice.from / HOUR_MS) * HOUR_MS;
  const packed = slice.isRaw
    ? []
    : await db.rows<PackedRow>(packedHours(packedName(layout), { ...slice, from }));
  const within = ({ at }: { at: number }) => at >= slice.from * 1000 && at < slice.to * 1000;
  const isSamples = layout.keeps === 'samples';
  const samples = isSamples ? raw.map((row) => sampleOf(layout, row)) : [];
  const ticks = isSamples ? [] : raw.map((row) => tickOf(layout, row));
  const moments = [...samples, ...ticks].map(({ at }) => at);
  for (const hour of packed) {
    const columns = toPacked(hour);
    if (isSamples) append(samples, unpackSamples(layout.values, columns).filter(within));
    else append(ticks, unpackTicks(layout.values, columns).filter(within));
  }
  return {
    samples: once(samples, ({ at, row_no }) => `${at} ${row_no}`),
    ticks: once(ticks, ({ at, keyframe }) => `${at} ${keyframe}`),
    raw: moments,
  };
}
