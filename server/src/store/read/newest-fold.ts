// Objects of many connections as they stand, folded from the ticks since the newest whole keyframe of each database. Guards: what is
// gone is gone; a counter is the sum of its increases, or null from where one is unknown.
import type { Column } from '../../probes/types.ts';
import type { Cell } from '../format/codec.ts';
import { cellsIn, elementsOf, momentText } from '../format/rows.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import type { NewestRun, TickTexts } from './newest.queries.ts';
import type { Range } from './stored.queries.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Connections that answer, and those that have not for long, each with the time to look at. */
export function rangesOf(runs: readonly NewestRun[], layout: TableLayout): Range[] {
  const newest = runs.reduce((most, { at }) => Math.max(most, at), 0);
  const oldest = new Map<number, number>();
  for (const { connection_id, at } of runs)
    oldest.set(connection_id, Math.min(oldest.get(connection_id) ?? at, at));
  const back = HOUR_MS + 3000 * layout.intervalSeconds;
  const isFresh = (at: number) => at > newest - DAY_MS;
  return [true, false].flatMap((fresh) => {
    const own = [...oldest].filter(([, at]) => isFresh(at) === fresh);
    if (own.length === 0) return [];
    const from = own.reduce((least, [, at]) => Math.min(least, at), newest) - back;
    return [{ connection_ids: own.map(([id]) => id), from, to: newest + 1 }];
  });
}

type Counted = number | bigint;
const plus = (a: Counted, b: Counted): Counted =>
  typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a + b)
    ? a + b
    : typeof a === 'bigint' || typeof b === 'bigint' || (Number.isInteger(a) && Number.isInteger(b))
      ? BigInt(a) + BigInt(b)
      : a + b;

const counted = (cell: Cell): Counted | null =>
  typeof cell === 'number' || typeof cell === 'bigint' ? cell : null;

/** Objects of one database as they stand, by id; cells in the order of the columns. */
type State = Map<number, Cell[]>;

function apply(state: State, columns: readonly Column[], tick: TickTexts): void {
  const isIncrease = !tick.keyframe && columns.some(({ kind }) => kind === 'counter');
  if (tick.whole) state.clear();
  const arrays = columns.map(({ type }, index) => {
    const text = tick[`t${index}`] ?? null;
    return text === null ? null : cellsIn(type, text);
  });
  // As indexes: of every object of a thousand servers, closures would be most of the work.
  const ids = cellsIn('integer', tick.ids);
  for (let position = 0; position < ids.length; position += 1) {
    const id = Number(ids[position]);
    const before = isIncrease ? state.get(id) : undefined;
    const cells: Cell[] = [];
    for (let index = 0; index < columns.length; index += 1) {
      const said = arrays[index]?.[position] ?? null;
      if (!isIncrease || columns[index]?.kind !== 'counter') {
        cells.push(said);
        continue;
      }
      // In a tick of increases no array means that nothing grew.
      const grown = arrays[index] === null ? 0 : counted(said);
      const base = counted(before?.[index] ?? null);
      cells.push(grown === null || base === null ? null : plus(base, grown));
    }
    state.set(id, cells);
  }
  for (const id of elementsOf(tick.gone ?? '{}').map(Number)) state.delete(id);
}

/** A stored value as it is answered. */
export function shown({ type }: Column, cell: Cell): unknown {
  if (typeof cell === 'bigint') {
    const plain = Number(cell);
    return Number.isSafeInteger(plain) ? plain : String(cell);
  }
  return type === 'timestamp with time zone' && typeof cell === 'number' ? momentText(cell) : cell;
}

/** The objects of one database. */
export interface Folded {
  connection_id: number;
  database_name: string;
  /** Of the newest tick, in milliseconds since the epoch. */
  at: number;
  /** Cells in the order of the columns. */
  state: ReadonlyMap<number, readonly Cell[]>;
}

export function folded(ticks: readonly TickTexts[], columns: readonly Column[]): Folded[] {
  const databases = Map.groupBy(ticks, (tick) => `${tick.connection_id} ${tick.database_name}`);
  return [...databases.values()].flatMap((own) => {
    const state: State = new Map();
    const sorted = own.sort((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe));
    for (const tick of sorted) apply(state, columns, tick);
    const newest = sorted.at(-1);
    if (!newest) return [];
    const { connection_id, database_name, at } = newest;
    return [{ connection_id, database_name, at: at / 1000, state }];
  });
}
