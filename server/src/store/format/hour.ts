// An hour of rows as packed columns and back. Samples are sorted by entity, the events of ticks by object, so that
// neighbours are alike. Pure. Guards: unpacking gives the very rows that were packed; single columns can be unpacked
// without the others.

import type { Column, ColumnType } from '../../probes/types.ts';
import { storedName, type TableLayout } from '../layout/table-layout.ts';
import { type Cell, type CellType, decodeColumn, encodeColumn } from './codec.ts';
import { cellsOf, decodeNumbers } from './numbers.ts';
import { packable, type SampleRow, type TickRow } from './rows.ts';

/** By name; names that start with @ are ours, as are the endings @s (state) and @k (in keyframes). */
export type PackedColumns = ReadonlyMap<string, Uint8Array>;

export const SAMPLE_COLUMNS = ['@at', '@row', '@server_instance'];
const TICK_COLUMNS = ['@at', '@keyframe', '@whole', '@since', '@gone', '@gone_n', '@id', '@id_n', '@tick'];
/** The packed columns of a value column of ticks. */
const tickParts = (name: string): string[] => [`${name}@s`, name, `${name}@k`];

const OF_LEVELS = new Set(['@whole', '@gone', '@gone_n']);

/** The packed columns by which these are read: increases need neither what stood in keyframes nor what is gone. */
export function tickColumnsFor(columns: readonly Column[]): string[] {
  const all = columns.map(({ name }) => tickParts(storedName(name)));
  if (columns.length === 0 || columns.some(({ kind }) => kind !== 'counter'))
    return [...TICK_COLUMNS, ...all.flat()];
  return [
    ...TICK_COLUMNS.filter((name) => !OF_LEVELS.has(name)),
    ...all.flatMap((parts) => parts.slice(0, 2)),
  ];
}

const keyText = (cells: readonly Cell[], positions: readonly number[]) =>
  positions.map((position) => String(cells[position] ?? '')).join('\0');

function sortedSamples(layout: TableLayout, rows: readonly SampleRow[]): SampleRow[] {
  const positions = layout.values.flatMap(({ kind }, index) => (kind === 'key' ? [index] : []));
  const keyed = rows.map((row) => ({ row, key: keyText(row.cells, positions) }));
  keyed.sort(
    (a, b) =>
      (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) || a.row.at - b.row.at || a.row.row_no - b.row.row_no,
  );
  return keyed.map(({ row }) => row);
}

function packColumn(type: ColumnType, cells: readonly Cell[]): Uint8Array {
  const [packedAs, own] = packable(type, cells);
  return encodeColumn(packedAs, own);
}

export function packSamples(layout: TableLayout, rows: readonly SampleRow[]): PackedColumns {
  const sorted = sortedSamples(layout, rows);
  const whole = (read: (row: SampleRow) => Cell) => encodeColumn('whole', sorted.map(read));
  const packed = new Map([
    ['@at', whole((row) => row.at)],
    ['@row', whole((row) => row.row_no)],
    ['@server_instance', whole((row) => row.server_instance)],
  ]);
  for (const [index, { name, type }] of layout.values.entries()) {
    const cells = sorted.map((row) => row.cells[index] ?? null);
    packed.set(storedName(name), packColumn(type, cells));
  }
  return packed;
}

const numbers = (cells: readonly Cell[]) => cells.map((cell) => Number(cell));

function unpack(packed: PackedColumns, name: string): Cell[] | undefined {
  const data = packed.get(name);
  return data && decodeColumn(data);
}

/** Only these value columns are unpacked; the rest, and those that were not there yet, are null. */
export function unpackSamples(columns: readonly (Column | null)[], packed: PackedColumns): SampleRow[] {
  const at = numbers(unpack(packed, '@at') ?? []);
  const row_no = unpack(packed, '@row');
  const server_instance = unpack(packed, '@server_instance');
  const values = columns.map((column) => column && unpack(packed, storedName(column.name)));
  return at.map((moment, index) => {
    const mark = server_instance?.[index] ?? null;
    return {
      at: moment,
      row_no: Number(row_no?.[index] ?? 0),
      server_instance: mark === null ? null : Number(mark),
      cells: values.map((cells) => cells?.[index] ?? null),
    };
  });
}

interface Event {
  readonly id: number;
  readonly tick: number;
  /** Place within its tick. */
  readonly position: number;
}

function eventsOf(ticks: readonly TickRow[]): Event[] {
  const events = ticks.flatMap(({ ids }, tick) => ids.map((id, position) => ({ id, tick, position })));
  return events.sort((a, b) => a.id - b.id || a.tick - b.tick);
}

const STATE = { nothing: 0, unknown: 1, values: 2 } as const;

function stateOf(cells: readonly Cell[] | null | undefined, objects: number): number {
  if (!cells) return STATE.nothing;
  return cells.length === 0 && objects > 0 ? STATE.unknown : STATE.values;
}

function packMembers(ticks: readonly TickRow[], events: readonly Event[]): [string, CellType, Cell[]][] {
  const ids = [...new Set(events.map(({ id }) => id))];
  const counts = new Map<number, number>();
  for (const { id } of events) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [
    ['@at', 'whole', ticks.map(({ at }) => at)],
    ['@keyframe', 'boolean', ticks.map(({ keyframe }) => keyframe)],
    ['@whole', 'boolean', ticks.map(({ whole }) => whole)],
    ['@since', 'whole', ticks.map(({ since }) => since)],
    ['@gone_n', 'whole', ticks.map(({ gone }) => gone?.length ?? null)],
    ['@gone', 'whole', ticks.flatMap(({ gone }) => [...(gone ?? [])])],
    ['@id', 'whole', ids],
    ['@id_n', 'whole', ids.map((id) => counts.get(id) ?? 0)],
    ['@tick', 'whole', events.map(({ tick }) => tick)],
  ];
}

export function packTicks(layout: TableLayout, rows: readonly TickRow[]): PackedColumns {
  const ticks = [...rows].sort((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe));
  const events = eventsOf(ticks);
  const packed = new Map(
    packMembers(ticks, events).map(([name, type, cells]) => [name, encodeColumn(type, cells)]),
  );
  for (const [index, { name, type, kind }] of layout.values.entries()) {
    const states = ticks.map(({ columns, ids }) => stateOf(columns[index], ids.length));
    const [plain, keyed]: [Cell[], Cell[]] = [[], []];
    for (const { tick, position } of events) {
      if (states[tick] !== STATE.values) continue;
      const isKeyed = kind === 'counter' && ticks[tick]?.keyframe === true;
      (isKeyed ? keyed : plain).push(ticks[tick]?.columns[index]?.[position] ?? null);
    }
    const [state, values, keys] = tickParts(storedName(name));
    packed.set(state ?? '', encodeColumn('whole', states));
    packed.set(values ?? '', packColumn(type, plain));
    if (kind === 'counter') packed.set(keys ?? '', packColumn(type, keyed));
  }
  return packed;
}

/** The events of an object that is asked for. */
interface Own {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

interface Frame {
  ticks: (Omit<TickRow, 'columns' | 'ids'> & { ids: number[] })[];
  /** In which tick each event is, object by object. */
  places: Float64Array;
  owners: readonly Own[];
}

const none = new Float64Array();
const numbersIn = (packed: PackedColumns, name: string): Float64Array => {
  const data = packed.get(name);
  return (data && decodeNumbers(data)?.values) ?? none;
};

function ownersIn(packed: PackedColumns, keep: Keep | undefined): Own[] {
  const [ids, counts] = [numbersIn(packed, '@id'), numbersIn(packed, '@id_n')];
  const owners: Own[] = [];
  let from = 0;
  for (let index = 0; index < ids.length; index += 1) {
    const [id, to] = [ids[index] ?? 0, from + (counts[index] ?? 0)];
    if (!keep || keep(id)) owners.push({ id, from, to });
    from = to;
  }
  return owners;
}

/** Ticks without values, and which event goes where. */
function unpackMembers(packed: PackedColumns, keep: Keep | undefined): Frame {
  const of = (name: string) => unpack(packed, name) ?? [];
  const [at, keyframe, whole, since] = [of('@at'), of('@keyframe'), of('@whole'), of('@since')];
  const [gone, goneCounts] = [of('@gone'), of('@gone_n')];
  let goneAt = 0;
  const ticks = at.map((moment, index) => {
    const count = goneCounts[index] ?? null;
    const from = goneAt;
    goneAt += Number(count ?? 0);
    const begin = since[index] ?? null;
    return {
      at: Number(moment),
      keyframe: keyframe[index] === true,
      whole: whole[index] === true,
      since: begin === null ? null : Number(begin),
      ids: [],
      gone: count === null ? null : numbers(gone.slice(from, goneAt)),
    };
  });
  return { ticks, places: numbersIn(packed, '@tick'), owners: ownersIn(packed, keep) };
}

export type Keep = (objectId: number) => boolean;

/** Where the value of an event is. */
const IN = { nothing: 0, plain: 1, keyed: 2 } as const;

function fill(
  { ticks, places, owners }: Frame,
  { column, packed }: { column: Column; packed: PackedColumns },
): (Cell[] | null)[] {
  const [state = '', values = '', keys = ''] = tickParts(storedName(column.name));
  const states = unpack(packed, state);
  // A column that was not declared yet.
  if (!states) return ticks.map(() => []);
  const isCounter = column.kind === 'counter';
  const [plain, keyed] = [cellsOf(packed.get(values)), cellsOf(packed.get(keys))];
  const filled: (Cell[] | null)[] = states.map((one) => (one === STATE.nothing ? null : []));
  const where = Uint8Array.from(ticks, ({ keyframe }, tick) => {
    if (states[tick] !== STATE.values) return IN.nothing;
    return isCounter && keyframe ? IN.keyed : IN.plain;
  });
  // An hour of a large server has tens of thousands of events, of which most readers want those of one object.
  const left = new Uint8Array(ticks.length);
  let [plainAt, keyedAt, index] = [0, 0, 0];
  const pass = (end: number) => {
    for (; index < end; index += 1) {
      const tick = places[index] ?? 0;
      if (where[tick] === IN.nothing) continue;
      if (where[tick] === IN.keyed) keyedAt += 1;
      else plainAt += 1;
      left[tick] = 1;
    }
  };
  for (const { from, to } of owners) {
    pass(from);
    for (; index < to; index += 1) {
      const tick = places[index] ?? 0;
      if (where[tick] === IN.nothing) continue;
      filled[tick]?.push(where[tick] === IN.keyed ? keyed(keyedAt++) : plain(plainAt++));
    }
  }
  pass(places.length);
  // An empty list would say that nobody knows: of the objects asked for, nothing was said.
  return filled.map((cells, tick) => (cells?.length === 0 && left[tick] === 1 ? null : cells));
}

/** Only these value columns are unpacked, the rest are null; `keep` leaves out objects that nobody asked for. */
export function unpackTicks(
  columns: readonly (Column | null)[],
  packed: PackedColumns,
  keep?: Keep,
): TickRow[] {
  const frame = unpackMembers(packed, keep);
  const values = columns.map((column) => column && fill(frame, { column, packed }));
  for (const { id, from, to } of frame.owners)
    for (let index = from; index < to; index += 1) frame.ticks[frame.places[index] ?? 0]?.ids.push(id);
  return frame.ticks.map((tick, index) => ({
    ...tick,
    columns: values.map((cells) => cells?.[index] ?? null),
  }));
}

/** Which objects there were, and which went: where nothing went only complete readings are taken apart, since all others mention what changed. */
export function unpackWholes(packed: PackedColumns): TickRow[] {
  const { ticks, places } = unpackMembers(packed, () => false);
  if (ticks.some(({ gone }) => gone !== null && gone.length > 0)) return unpackTicks([], packed);
  for (const { id, from, to } of ownersIn(packed, undefined))
    for (let index = from; index < to; index += 1) {
      const tick = ticks[places[index] ?? 0];
      if (tick?.whole) tick.ids.push(id);
    }
  return ticks.filter(({ whole }) => whole).map((tick) => ({ ...tick, columns: [] }));
}
