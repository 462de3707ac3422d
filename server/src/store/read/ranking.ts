// The entities with the most or the least of a column over a window: counters by what they grew, gauges by their mean,
// worst or last value. Three statements: what there is, all of it, and the names of those that are shown. Guards: of an
// object that did not grow the increase is 0 where its database was measured, and it is ranked only from the least on.
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Tier } from '../layout/tiers.ts';
import type { Row } from '../layout/types.ts';
import { finished, type Measures } from './measure.ts';
import type { MeasuredDatabase, Reading } from './measure-reads.ts';
import { type ObjectName, objectNames } from './plan.queries.ts';
import { readMeasured } from './planned-reads.ts';
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
