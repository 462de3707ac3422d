// The entities with the most or the least of a column over a window: counters by what they grew, gauges by their mean,
// worst or last value. Tests look by it at what the read side of the store says of each entity.
import type { Db } from '../../kernel/db.ts';
import type { Tier } from '../../store/layout/tiers.ts';
import type { Row } from '../../store/layout/types.ts';
import { type Candidate, candidatesOf } from '../../store/read/buckets.ts';
import type { Reading } from '../../store/read/measure-reads.ts';
import { type ObjectName, objectNames } from '../../store/read/plan.queries.ts';
import { readAllMeasured } from '../../store/read/planned-reads.ts';
import { type Question, questionOf, type Selection } from '../../store/read/question.ts';

interface RankingQuery extends Selection {
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  /** `desc`: the most first. */
  order?: 'asc' | 'desc';
  limit: number;
}

interface Ranked {
  connection_id: number;
  database_name: string;
  /** Key and label columns; of samples the keys. */
  object: Row;
  value: number;
  /** Share of the window in which it was measured, 0 to 1. */
  coverage: number;
  tier: 'raw' | Tier['name'];
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
  const question = questionOf(query, 'each');
  const isFamily = question.isCounter && question.layout.keeps === 'objects';
  const [reading] = await readAllMeasured(db, [question], {
    windows: [{ from, to, buckets: 1 }],
    listAll: order === 'asc' && isFamily,
  });
  if (!reading) throw new Error('a question has a reading');
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
