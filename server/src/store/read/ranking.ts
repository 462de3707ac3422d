// The entities with the most or the least of a column over a window: counters by what they grew, gauges by their mean,
// worst or last value. Three statements: what there is, all of it, and the names of those that are shown. Guards: of an
// object that did not grow the increase is 0 where its database was measured, and it is ranked only from the least on.
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Probe } from '../../probes/types.ts';
import type { Tier } from '../layout/tiers.ts';
import type { Row } from '../layout/types.ts';
import { finished, type Measures, type Window } from './measure.ts';
import type { MeasuredDatabase, Reading } from './measure-reads.ts';
import { type ObjectName, objectNames } from './plan.queries.ts';
import { readAllMeasured, readMeasured } from './planned-reads.ts';
import { type Question, questionOf, type Selection } from './question.ts';

export interface RankingQuery extends Selection {
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  /** `desc`: the most first. */
  order?: 'asc' | 'desc';
  limit: number;
}

export interface Ranked {
  connection_id: number;
  database_name: string;
  /** Key and label columns; of samples the keys. */
  object: Row;
  value: number;
  /** Share of the window in which it was measured, 0 to 1. */
  coverage: number;
  tier: 'raw' | Tier['name'];
}

interface Candidate {
  connection_id: number;
  database_name: string;
  group: string;
  value: number;
  seconds: number;
}

/** Calls back for each group of which something is known in the first bucket. */
export function eachCandidate(
  { isCounter, aggregate, layout }: Question,
  measures: Measures,
  visit: (group: string, value: number, seconds: number) => void,
): void {
  const isFamily = isCounter && layout.keeps === 'objects';
  if (isFamily) {
    const family = measures.family[0] ?? 0;
    const over = aggregate === 'rate' ? family : 1;
    if (family > 0) measures.gains?.eachFirst((group, total) => visit(group, total / over, family));
    return;
  }
  for (const [group, [measure]] of measures.groups) {
    const { value, seconds } = finished(measure, aggregate, isCounter);
    if (value !== null) visit(group, value, seconds);
  }
}

export function candidatesOf(
  question: Question,
  { connection_id, database_name, measures }: MeasuredDatabase,
): Candidate[] {
  const found: Candidate[] = [];
  eachCandidate(question, measures, (group, value, seconds) =>
    found.push({ connection_id, database_name, group, value, seconds }),
  );
  return found;
}

/** Objects that are in no tick did not grow. */
function unmoved(reading: Reading, found: readonly Candidate[]): Candidate[] {
  const known = new Set(found.map(({ connection_id, group }) => `${connection_id} ${group}`));
  const families = new Map(
    (reading.windows[0] ?? []).map(({ connection_id, database_name, measures }) => [
      `${connection_id} ${database_name}`,
      measures.family[0] ?? 0,
    ]),
  );
  return (reading.entities ?? []).flatMap(({ connection_id, database_name, object_id }) => {
    const seconds = families.get(`${connection_id} ${database_name}`) ?? 0;
    const group = String(object_id);
    return seconds <= 0 || known.has(`${connection_id} ${group}`)
      ? []
      : [{ connection_id, database_name, group, value: 0, seconds }];
  });
}

async function namesOf(
  db: Db,
  { layout, connection_ids }: Question,
  kept: readonly Candidate[],
): Promise<Map<string, Row>> {
  if (layout.keeps !== 'objects' || kept.length === 0) return new Map();
  const ids = kept.map(({ group }) => Number(group));
  const rows = await db.rows<ObjectName>(objectNames({ kind: layout.probe, connection_ids, ids }));
  return new Map(
    rows.map(({ connection_id, object_id, key, labels }) => [
      `${connection_id} ${object_id}`,
      { ...key, ...labels },
    ]),
  );
}

export async function ranking(db: Db, query: RankingQuery): Promise<Ranked[]> {
  const { from, to, order = 'desc', limit } = query;
  if (!(to > from)) throw new Fault('bad_request', 'The window is empty.');
  const question = questionOf(query, 'each');
  const isFamily = question.isCounter && question.layout.keeps === 'objects';
  const reading = await readMeasured(db, question, {
    windows: [{ from, to, buckets: 1 }],
    listAll: order === 'asc' && isFamily,
  });
  const found = (reading.windows[0] ?? []).flatMap((one) => candidatesOf(question, one));
  const all = order === 'asc' && isFamily ? [...found, ...unmoved(reading, found)] : found;
  const sign = order === 'asc' ? 1 : -1;
  const kept = all
    .filter(({ value }) => order === 'asc' || !question.isCounter || value > 0)
    .sort(
      (a, b) =>
        sign * (a.value - b.value) ||
        a.connection_id - b.connection_id ||
        (a.group < b.group ? -1 : Number(a.group > b.group)),
    )
    .slice(0, limit);
  const names = await namesOf(db, question, kept);
  return kept.map(({ connection_id, database_name, group, value, seconds }) => ({
    connection_id,
    database_name,
    object: names.get(`${connection_id} ${group}`) ?? reading.groups.valuesOf(group),
    value,
    coverage: Math.min(1, (seconds * 1000) / (to - from)),
    tier: reading.tier,
  }));
}

export interface GrownQuery {
  /** A family of objects. */
  probe: Probe;
  /** Counters. */
  columns: readonly string[];
  connection_ids: readonly number[];
  /** Of one bucket each. */
  windows: readonly Window[];
}

export interface GrownObject {
  connection_id: number;
  database_name: string;
  /** Its key and label columns. */
  object: Row;
  /** By window, then by column; null: it did not grow, or was not measured. */
  grown: (number | null)[][];
}

/** What objects of many connections grew in windows, object by object: three statements however many windows and columns. */
export async function grownObjects(db: Db, query: GrownQuery): Promise<GrownObject[]> {
  const { probe, columns, connection_ids, windows } = query;
  const questions = columns.map((column) =>
    questionOf({ probe, column, connection_ids, aggregate: 'sum' }, 'each'),
  );
  const readings = await readAllMeasured(db, questions, { windows });
  const found = new Map<string, GrownObject & { id: number }>();
  for (const [place, question] of questions.entries())
    for (const [window, all] of (readings[place]?.windows ?? []).entries())
      for (const measured of all)
        for (const { connection_id, database_name, group, value } of candidatesOf(question, measured)) {
          const key = `${connection_id} ${group}`;
          const one = found.get(key) ?? {
            ...{ connection_id, database_name, id: Number(group), object: {} },
            grown: windows.map(() => columns.map(() => null)),
          };
          found.set(key, one);
          const own = one.grown[window];
          if (own) own[place] = value;
        }
  if (found.size === 0) return [];
  const ids = [...new Set([...found.values()].map(({ id }) => id))];
  const names = await db.rows<ObjectName>(objectNames({ kind: probe.name, connection_ids, ids }));
  for (const { connection_id, object_id, key, labels } of names) {
    const one = found.get(`${connection_id} ${object_id}`);
    if (one) one.object = { ...key, ...labels };
  }
  return [...found.values()];
}
