// Objects that came or went between two times: tables, indexes, statements. What came is one statement over the
// dictionary for all kinds of them. What went is in the readings, so it takes four: which databases lack something that was known, where their readings lie, all of
// them, and the names. Guards: what was there at the
// first look was not made; what was not in a reading that was cut at its cap has not gone.
import type { Db } from '../../kernel/db.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { FIRST_MS, LAST_MS } from '../../kernel/times.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { probes as catalog } from '../../probes/catalog.gen.ts';
import type { Probe } from '../../probes/types.ts';
import type { Row } from '../../store/layout/types.ts';
import {
  type DatabaseOf,
  layoutOf,
  type ObjectName,
  objectNames,
  type PlanRow,
  readAllStored,
  readPlans,
  type StoredRead,
  type TableLayout,
  type TickRow,
} from '../../store/read/doors/readings.ts';
import { databasesWithout, type ObjectsMade, objectsMade, queryTexts } from './changed-objects.queries.ts';

/** Schemas of what a server has for itself. */
export const OF_THE_SERVER = ['pg_catalog', 'pg_toast', 'information_schema'];

/** Partitions by the day that the product makes in its datastore, wherever that is monitored. */
const OWN_PARTITION = `^metrics[.](${catalog.map(({ name }) => name).join('|')})(__[a-z0-9]+)?_d[0-9]{8}$`;
const ownPartition = new RegExp(OWN_PARTITION);

export interface ChangedObject {
  database_name: string;
  /** Keys and labels. */
  object: Row;
  /** Of a statement, where it is known. */
  query_text: string | null;
}

/** What was seen to have come, or to have gone, at one time. */
export interface ObjectsEvent {
  probe: string;
  connection_id: number;
  at: string;
  /** All of them; `objects` holds the first `most`. */
  change_count: number;
  objects: ChangedObject[];
}

export interface ObjectEvents {
  events: ObjectsEvent[];
  /** How many there are of each probe without the limit. */
  counts: ReadonlyMap<string, number>;
}

const NONE: ObjectEvents = { events: [], counts: new Map() };

/** The newest first. */
export async function objectsMadeBetween(
  db: Db,
  query: Omit<ObjectsMade, 'without_tables'>,
): Promise<ObjectEvents> {
  if (query.connection_ids.length === 0 || query.probes.length === 0) return NONE;
  const rows = await db.rows<ObjectsEvent & { total_count: number }>(
    objectsMade({ ...query, without_tables: OWN_PARTITION }),
  );
  return {
    events: rows.map(({ total_count: _total, ...event }) => event),
    counts: new Map(rows.map(({ probe, total_count }) => [probe, total_count])),
  };
}

export interface ObjectsGone extends Omit<ObjectsMade, 'probes' | 'without_statements' | 'without_tables'> {
  probes: readonly Probe[];
}

interface Gone {
  probe: string;
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

/** A reading of every object is at most that much older. */
const reachMs = (intervalSeconds: number) => HOUR_MS + 3000 * intervalSeconds;

function demandLayout(probe: Probe): TableLayout {
  const layout = layoutOf(probe);
  if (layout?.keeps !== 'objects') throw new Error(`${probe.name} keeps no objects`);
  return layout;
}

interface Looked {
  own: readonly PlanRow[];
  databases: readonly DatabaseOf[];
}

function readOf(layout: TableLayout, { own, databases }: Looked, { from, to }: ObjectsGone): StoredRead {
  const connection_ids = [...new Set(databases.map(({ connection_id }) => connection_id))];
  const range = {
    connection_ids,
    from: Math.max(FIRST_MS, from - reachMs(layout.intervalSeconds)),
    to: Math.min(LAST_MS, to + 1),
  };
  return {
    ...{ layout, columns: [], database_name: undefined, rolled: undefined, databases, isOfWholes: true },
    ranges: databases.length > 0 && own.some(({ part }) => part === 'table') ? [range] : [],
    isRaw: !own.some(({ part, name }) => part === 'tier' && name === 'packed'),
  };
}

/** Where something may have gone, one statement; and of that two for all probes: where readings lie, and all of them. */
async function readGone(db: Db, query: ObjectsGone): Promise<Gone[]> {
  const { probes, connection_ids, from, to } = query;
  const without = await db.rows<DatabaseOf & { probe: string }>(
    databasesWithout({ connection_ids, probes: probes.map(({ name }) => name), to }),
  );
  if (without.length === 0) return [];
  const layouts = probes.map(demandLayout);
  const plan = await db.rows<PlanRow>(
    readPlans(layouts.map(({ probe, table }) => ({ probe, table: table.name, connection_ids }))),
  );
  const readings = await readAllStored(
    db,
    layouts.map((layout, index) =>
      readOf(
        layout,
        {
          own: plan.filter((row) => row.plan === index),
          databases: without.filter(({ probe }) => probe === layout.probe),
        },
        query,
      ),
    ),
  );
  const found: Gone[] = [];
  for (const [index, { name: probe, caps }] of probes.entries())
    for (const { connection_id, ticks } of readings[index] ?? []) {
      await yieldIfBusy();
      for (const [object_id, at] of goneOf(ticks, caps.maxRows))
        if (at >= from && at < to + 1) found.push({ probe, connection_id, object_id, at: Math.floor(at) });
    }
  return found;
}

const idOf = ({ connection_id, object_id }: { connection_id: number; object_id: number }) =>
  `${connection_id} ${object_id}`;

function eventsOf(gone: readonly Gone[], names: readonly ObjectName[], query: ObjectsGone): ObjectsEvent[] {
  const byId = new Map(names.map((row) => [idOf(row), row]));
  const events = new Map<string, ObjectsEvent>();
  for (const one of gone.toSorted((a, b) => b.at - a.at || a.connection_id - b.connection_id)) {
    const name = byId.get(idOf(one));
    if (!name || query.without.includes(String(name.labels.schemaname))) continue;
    if (ownPartition.test(`${name.labels.schemaname}.${name.labels.relname}`)) continue;
    const { probe, connection_id } = one;
    const key = `${probe} ${connection_id} ${one.at}`;
    const at = new Date(one.at).toISOString();
    const event = events.get(key) ?? { probe, connection_id, at, change_count: 0, objects: [] };
    events.set(key, event);
    event.change_count += 1;
    if (event.objects.length < query.most)
      event.objects.push({
        database_name: name.database_name,
        object: { ...name.key, ...name.labels },
        query_text: null,
      });
  }
  return [...events.values()];
}

/** The newest of each probe first. What went and came back within the window did not go. */
export async function objectsGoneBetween(db: Db, query: ObjectsGone): Promise<ObjectEvents> {
  const { probes, connection_ids, limit } = query;
  if (connection_ids.length === 0 || probes.length === 0) return NONE;
  const gone = await readGone(db, query);
  if (gone.length === 0) return NONE;
  const ids = [...new Set(gone.map(({ object_id }) => object_id))];
  const names = await db.rows<ObjectName>(
    objectNames({ kind: probes.map(({ name }) => name), connection_ids, ids }),
  );
  const byProbe = Map.groupBy(eventsOf(gone, names, query), ({ probe }) => probe);
  return {
    events: [...byProbe.values()].flatMap((events) => events.slice(0, limit)),
    counts: new Map([...byProbe].map(([probe, events]) => [probe, events.length])),
  };
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
