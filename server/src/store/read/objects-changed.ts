// Objects that came or went between two times: tables, indexes, statements. What came is one statement over the
// dictionary. What went is in the readings, so it takes three: where they lie, all of them, and the names. Guards: what was there at the
// first look was not made; what was not in a reading that was cut at its cap has not gone.
import type { Db } from '../../kernel/db.ts';
import { FIRST_MS, LAST_MS } from '../../kernel/times.ts';
import type { Probe } from '../../probes/types.ts';
import type { TickRow } from '../format/rows.ts';
import { layoutOf } from '../layout/table-layout.ts';
import type { Row } from '../layout/types.ts';
import { type ObjectsMade, objectsMade, queryTexts } from './objects-changed.queries.ts';
import { type ObjectName, objectNames, type PlanRow, readPlans } from './plan.queries.ts';
import { readStored } from './stored.ts';

export interface ChangedObject {
  database_name: string;
  /** Keys and labels. */
  object: Row;
  /** Of a statement, where it is known. */
  query_text: string | null;
}

/** What was seen to have come, or to have gone, at one time. */
export interface ObjectsEvent {
  connection_id: number;
  at: string;
  /** All of them; `objects` holds the first `most`. */
  change_count: number;
  objects: ChangedObject[];
}

export interface ObjectEvents {
  events: ObjectsEvent[];
  total_count: number;
}

/** The newest first. */
export async function objectsMadeBetween(db: Db, query: ObjectsMade): Promise<ObjectEvents> {
  if (query.connection_ids.length === 0) return { events: [], total_count: 0 };
  const rows = await db.rows<ObjectsEvent & { total_count: number }>(objectsMade(query));
  return {
    events: rows.map(({ total_count: _total, ...event }) => event),
    total_count: rows[0]?.total_count ?? 0,
  };
}

export interface ObjectsGone extends Omit<ObjectsMade, 'probe'> {
  probe: Probe;
}

interface Gone {
  connection_id: number;
  object_id: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Ids of what went, with the time of the reading that did not have it any more. */
function goneOf(ticks: readonly TickRow[], most: number): Map<number, number> {
  const gone = new Map<number, number>();
  let present: Set<number> | undefined;
  const inOrder = ticks.toSorted((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe));
  for (const tick of inOrder) {
    const leaving = new Set(tick.gone ?? []);
    if (tick.whole) {
      const now = new Set(tick.ids);
      // A reading that was cut at its cap does not tell what is not there.
      if (now.size < most) for (const id of present ?? []) if (!now.has(id)) leaving.add(id);
      present = now;
    } else for (const id of tick.ids) present?.add(id);
    for (const id of leaving) {
      gone.set(id, tick.at / 1000);
      present?.delete(id);
    }
    for (const id of tick.ids) gone.delete(id);
  }
  return gone;
}

const HOUR_MS = 3_600_000;

/** A reading of every object is at most that much older. */
const reachMs = (intervalSeconds: number) => HOUR_MS + 3000 * intervalSeconds;

async function readGone(db: Db, { probe, connection_ids, from, to }: ObjectsGone): Promise<Gone[]> {
  const layout = layoutOf(probe);
  if (layout?.keeps !== 'objects') throw new Error(`${probe.name} keeps no objects`);
  const plan = await db.rows<PlanRow>(
    readPlans([{ probe: layout.probe, table: layout.table.name, connection_ids }]),
  );
  if (!plan.some(({ part }) => part === 'table')) return [];
  const stored = await readStored(db, {
    layout,
    columns: [],
    database_name: undefined,
    ranges: [
      {
        connection_ids,
        from: Math.max(FIRST_MS, from - reachMs(layout.intervalSeconds)),
        to: Math.min(LAST_MS, to + 1),
      },
    ],
    rolled: undefined,
    isRaw: !plan.some(({ part, name }) => part === 'tier' && name === 'packed'),
  });
  return stored.flatMap(({ connection_id, ticks }) =>
    [...goneOf(ticks, probe.caps.maxRows)].flatMap(([object_id, at]) =>
      at >= from && at < to + 1 ? [{ connection_id, object_id, at: Math.floor(at) }] : [],
    ),
  );
}

const idOf = ({ connection_id, object_id }: { connection_id: number; object_id: number }) =>
  `${connection_id} ${object_id}`;

/** The newest first. What went and came back within the window did not go. */
export async function objectsGoneBetween(db: Db, query: ObjectsGone): Promise<ObjectEvents> {
  const { probe, connection_ids, without, limit, most } = query;
  const gone = connection_ids.length === 0 ? [] : await readGone(db, query);
  if (gone.length === 0) return { events: [], total_count: 0 };
  const ids = [...new Set(gone.map(({ object_id }) => object_id))];
  const rows = await db.rows<ObjectName>(objectNames({ kind: probe.name, connection_ids, ids }));
  const names = new Map(rows.map((row) => [idOf(row), row]));
  const events = new Map<string, ObjectsEvent>();
  for (const one of gone.sort((a, b) => b.at - a.at || a.connection_id - b.connection_id)) {
    const name = names.get(idOf(one));
    if (!name || without.includes(String(name.labels.schemaname))) continue;
    const key = `${one.connection_id} ${one.at}`;
    const { connection_id } = one;
    const at = new Date(one.at).toISOString();
    const event = events.get(key) ?? { connection_id, at, change_count: 0, objects: [] };
    events.set(key, event);
    event.change_count += 1;
    if (event.objects.length < most)
      event.objects.push({
        database_name: name.database_name,
        object: { ...name.key, ...name.labels },
        query_text: null,
      });
  }
  return { events: [...events.values()].slice(0, limit), total_count: events.size };
}

export interface StatementName {
  connection_id: number;
  database_name: string;
  queryid: string;
}

/** Texts of statements; those that nobody has read are not there. */
export const textsOf = (
  db: Db,
  wanted: readonly StatementName[],
): Promise<(StatementName & { query_text: string })[]> =>
  wanted.length === 0 ? Promise.resolve([]) : db.rows(queryTexts(wanted));
