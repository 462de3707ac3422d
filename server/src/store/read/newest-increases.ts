// Newest values that need the time before: increases and their ratios over the last hour, statements that were slow in it,
// and since when an object has been above its limit. Guards: only samples are read, so that each value has the time of the
// newest one; three statements.
import type { Db } from '../../kernel/db.ts';
import type { IncreaseRatio } from '../../probes/metric-types.ts';
import type { Row } from '../layout/types.ts';
import { readAllMeasured } from './inquire.ts';
import type { Measured, Reading } from './measured.ts';
import { formed, increaseRatio, Questions } from './metric-parts.ts';
import type { MetricValue, NewestMetricQuery } from './newest-metric.ts';
import { type ObjectName, objectNames } from './plan.queries.ts';
import type { Question } from './question.ts';
import { candidatesOf } from './ranking.ts';

const HOUR_MS = 3_600_000;
/** What was above its limit for longer is said to have been so for this long. */
const LOOK_BACK_HOURS = 6;

interface Entity {
  connection_id: number;
  database_name: string;
  group: string;
}
const keyOf = ({ connection_id, database_name, group }: Entity) =>
  JSON.stringify([connection_id, database_name, group]);

/** Names of objects; samples carry theirs. */
async function namesOf(
  db: Db,
  { question, reading }: { question: Question; reading: Reading },
  found: readonly Entity[],
): Promise<(entity: Entity) => Row> {
  const { layout, connection_ids } = question;
  if (layout.keeps !== 'objects') return ({ group }) => reading.groups.valuesOf(group);
  const ids = [...new Set(found.map(({ group }) => Number(group)))];
  if (ids.length === 0) return () => ({});
  const rows = await db.rows<ObjectName>(objectNames({ kind: layout.probe, connection_ids, ids }));
  const names = new Map(
    rows.map((row) => [`${row.connection_id} ${row.object_id}`, { ...row.key, ...row.labels }]),
  );
  return ({ connection_id, group }) => names.get(`${connection_id} ${group}`) ?? {};
}

/** Values of the parts of each entity, and when each connection and database was measured last. */
async function lastHour(db: Db, query: NewestMetricQuery, metric: NewestMetricQuery['metric']) {
  const { probe, connection_ids, now } = query;
  const questions = new Questions({ probe, connection_ids, aggregate: 'sum' }, 'each');
  const parts = questions.of(metric);
  const newestAt = new Map<string, number>();
  const readings = await readAllMeasured(db, questions.all, {
    windows: [{ from: now - HOUR_MS, to: now, buckets: 1 }],
    heard: (_question, { connection_id, database_name, at }) => {
      const key = `${connection_id} ${database_name}`;
      newestAt.set(key, Math.max(newestAt.get(key) ?? 0, at));
    },
  });
  const entities = new Map<string, Entity & { values: (number | null)[] }>();
  for (const [index, part] of parts.entries()) {
    const reading = readings[questions.all.indexOf(part)];
    for (const one of reading?.windows[0] ?? [])
      for (const { connection_id, database_name, group, value } of candidatesOf(part, one)) {
        const entity = { connection_id, database_name, group };
        const own = entities.get(keyOf(entity)) ?? { ...entity, values: parts.map(() => null) };
        own.values[index] = value;
        entities.set(keyOf(entity), own);
      }
  }
  const atOf = ({ connection_id, database_name }: Omit<Entity, 'group'>) => {
    const at = newestAt.get(`${connection_id} ${database_name}`);
    return at === undefined ? null : new Date(Math.floor(at / 1000)).toISOString();
  };
  return { entities: [...entities.values()], atOf, reading: readings[0], question: parts[0] };
}

/** Of each entity that was measured in the last hour. */
export async function increasesOf(db: Db, query: NewestMetricQuery): Promise<MetricValue[]> {
  const { entities, atOf, reading, question } = await lastHour(db, query, query.metric);
  if (!reading || !question) return [];
  const nameOf = await namesOf(db, { question, reading }, entities);
  return entities.map((entity) => ({
    connection_id: entity.connection_id,
    database_name: entity.database_name,
    object: nameOf(entity),
    at: atOf(entity),
    value: formed(query.metric.value, entity.values),
  }));
}

const isMeasured = ({ measures }: Measured) => (measures.family[0]?.seconds ?? 0) > 0;

/** How many objects of each database that was measured are above. */
export async function objectsAbove(
  db: Db,
  query: NewestMetricQuery,
  { ratio, above }: { ratio: IncreaseRatio; above: number },
): Promise<MetricValue[]> {
  const { entities, atOf, reading } = await lastHour(db, query, { ...query.metric, value: ratio });
  const count = (one: Measured) =>
    entities.filter(
      ({ connection_id, database_name, values }) =>
        connection_id === one.connection_id &&
        database_name === one.database_name &&
        (increaseRatio(ratio, values) ?? 0) > above,
    ).length;
  return (reading?.windows[0] ?? []).filter(isMeasured).map((one) => ({
    connection_id: one.connection_id,
    database_name: one.database_name,
    object: {},
    at: atOf(one),
    value: count(one),
  }));
}

/** Sample by sample, of one entity: the columns' values by time. */
type History = Map<number, Map<string, number>>;

function hoursOf(
  history: History,
  pairs: readonly (readonly [string, string])[],
): [at: number, hours: number] {
  const times = [...history.keys()].sort((a, b) => a - b);
  let since: number | undefined;
  for (const at of times) {
    const values = history.get(at);
    const isAbove = pairs.some(([column, limit]) => {
      const [value, most] = [values?.get(column), values?.get(limit)];
      return value !== undefined && most !== undefined && value > most;
    });
    since = isAbove ? (since ?? at) : undefined;
  }
  const last = times.at(-1) ?? 0;
  return [last, since === undefined ? 0 : (last - since) / 1000 / HOUR_MS];
}

/** Of each object that is there, since when it has been above. */
export async function hoursAbove(
  db: Db,
  query: NewestMetricQuery,
  pairs: readonly (readonly [string, string])[],
): Promise<MetricValue[]> {
  const { probe, metric, connection_ids, now } = query;
  const questions = new Questions({ probe, connection_ids, aggregate: 'last' }, 'each');
  for (const column of new Set(pairs.flat())) questions.of({ ...metric, value: { kind: 'gauge', column } });
  const histories = new Map<string, { entity: Entity; history: History }>();
  const newestAt = new Map<string, number>();
  const from = now - LOOK_BACK_HOURS * HOUR_MS;
  const [reading] = await readAllMeasured(db, questions.all, {
    windows: [{ from, to: now, buckets: 1 }],
    heard: ({ column }, entity, { value }) => {
      const { connection_id, database_name, group, at } = entity;
      if (at < from * 1000 || at > now * 1000) return;
      const own = histories.get(keyOf(entity)) ?? {
        entity: { connection_id, database_name, group },
        history: new Map(),
      };
      histories.set(keyOf(entity), own);
      const values = own.history.get(at) ?? new Map<string, number>();
      own.history.set(at, values.set(column.name, value));
      const key = `${connection_id} ${database_name}`;
      newestAt.set(key, Math.max(newestAt.get(key) ?? 0, at));
    },
  });
  const found = [...histories.values()].flatMap(({ entity, history }) => {
    const [at, hours] = hoursOf(history, pairs);
    // What is gone from the newest reading is not there.
    const isThere = at === newestAt.get(`${entity.connection_id} ${entity.database_name}`);
    return isThere ? [{ ...entity, at, hours }] : [];
  });
  const [question] = questions.all;
  if (!reading || !question) return [];
  const nameOf = await namesOf(db, { question, reading }, found);
  return found.map((entity) => ({
    connection_id: entity.connection_id,
    database_name: entity.database_name,
    object: nameOf(entity),
    at: new Date(Math.floor(entity.at / 1000)).toISOString(),
    value: entity.hours,
  }));
}
