// Names of objects beside their values: of the few that are shown all names, of very many only those by which some are chosen. Guards: other
// work has its turn meanwhile.
import type { Db } from '../../kernel/db.ts';
import { nextTurn } from '../../kernel/scheduler.ts';
import type { Column } from '../../probes/types.ts';
import { namesByColumn, type ObjectName, objectNames } from './plan.queries.ts';

export interface NewestRow {
  connection_id: number;
  database_name: string;
  object_id: number;
  /** Milliseconds since the epoch. */
  at: number;
  row: Record<string, unknown>;
}

export interface NamesOf {
  kind: string;
  connection_ids: readonly number[];
}

export const keyOf = ({ connection_id, object_id }: Pick<NewestRow, 'connection_id' | 'object_id'>) =>
  `${connection_id} ${object_id}`;

/** Of so many rows others need not wait for the end. */
const PIECE = 1000;

export function* inPieces<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += PIECE) yield all.slice(at, at + PIECE);
}

/** Names of objects beside their values; `isAll`: these are all that there are. */
export async function addNames(
  db: Db,
  { kind, connection_ids }: NamesOf,
  of: { found: readonly NewestRow[]; names: readonly Column[]; isAll: boolean },
) {
  const { found, names, isAll } = of;
  if (names.length === 0 || found.length === 0) return;
  const ids = isAll ? undefined : found.map(({ object_id }) => object_id);
  const rows = await db.rows<ObjectName>(objectNames({ kind, connection_ids, ids }));
  const dictionary = new Map(rows.map((row) => [keyOf(row), row]));
  for (const one of found) {
    const name = dictionary.get(keyOf(one));
    const own = names.map((column) => [
      column.name,
      name?.key[column.name] ?? name?.labels[column.name] ?? null,
    ]);
    one.row = { ...Object.fromEntries(own), ...one.row };
  }
}

/** The names by which some of very many objects are chosen, column by column. */
export async function addChoosing(
  db: Db,
  { kind, connection_ids }: NamesOf,
  of: { found: readonly NewestRow[]; names: readonly Column[] },
) {
  const { found, names: columns } = of;
  if (columns.length === 0 || found.length === 0) return;
  const names = columns.map(({ name }) => name);
  const { texts } = await db.one<{ texts: string[] }>(namesByColumn({ kind, connection_ids, names }));
  const [servers = [], ids = [], ...cells] = texts.map((text): unknown[] => JSON.parse(text));
  const places = new Map(ids.map((object_id, place) => [`${servers[place]} ${object_id}`, place]));
  for (const piece of inPieces(found)) {
    await nextTurn();
    for (const one of piece) {
      const place = places.get(keyOf(one)) ?? -1;
      for (const [index, name] of names.entries()) one.row[name] = cells[index]?.[place] ?? null;
    }
  }
}
