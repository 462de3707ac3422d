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

interface Run {
  connection_id: number;
  database_name: string;
}
interface Entity extends Run {
  group: string;
}

/** One of each connection and database; what comes in a row about the same is found without looking for it. */
class ByRun<T> {
  readonly #all = new Map<string, Run & { own: T }>();
  readonly #make: () => T;
  #last: (Run & { own: T }) | undefined;

  constructor(make: () => T) {
    this.#make = make;
  }

  of({ connection_id, database_name }: Run): T {
    const last = this.#last;
    if (last?.connection_id === connection_id && last.database_name === database_name) return last.own;
    const key = `${connection_id} ${database_name}`;
    const found = this.#all.get(key) ?? { connection_id, database_name, own: this.#make() };
    this.#all.set(key, found);
    this.#last = found;
    return found.own;
  }

  get all(): Iterable<Run & { own: T }> {
    return this.#all.values();
  }
}

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

const isoOf = (micros: number) => new Date(Math.floor(micros / 1000)).toISOString();

type Groups = Map<string, (number | null)[]>;

/** Values of the parts of each entity, and when each connection and database was measured last. */
async function lastHour(db: Db, query: NewestMetricQuery, metric: NewestMetricQuery['metric']) {
  const { probe, connection_ids, now } = query;
  const questions = new Questions({ probe, connection_ids, aggregate: 'sum' }, 'each');
  const parts = questions.of(metric);
  const newest = new ByRun(() => ({ at: 0 }));
  const readings = await readAllMeasured(db, questions.all, {
    windows: [{ from: now - HOUR_MS, to: now, buckets: 1 }],
    heard: (_question, of) => {
      const own = newest.of(of);
      if (of.at > own.at) own.at = of.at;
    },
  });
  const found = new ByRun<Groups>(() => new Map());
  for (const [index, part] of parts.entries()) {
    const reading = readings[questions.all.indexOf(part)];
    for (const one of reading?.windows[0] ?? []) {
      const groups = found.of(one);
      for (const { group, value } of candidatesOf(part, one)) {
        const values = groups.get(group) ?? parts.map(() => null);
        values[index] = value;
        groups.set(group, values);
      }
    }
  }
  const atOf = (run: Run) => {
    const { at } = newest.of(run);
    return at === 0 ? null : isoOf(at);
  };
  return { found, atOf, reading: readings[0], question: parts[0] };
}

/** Of each entity that was measured in the last hour and whose value is wanted. */
export async function increasesOf(db: Db, query: NewestMetricQuery): Promise<MetricValue[]> {
  const { metric, isWanted } = query;
  const { found, atOf, reading, question } = await lastHour(db, query, metric);
  if (!reading || !question) return [];
  const entities: (Entity & { value: number | null })[] = [];
  for (const { connection_id, database_name, own } of found.all)
    for (const [group, values] of own) {
      const value = formed(metric.value, values);
      if (isWanted?.(metric, connection_id, value) ?? true)
        entities.push({ connection_id, database_name, group, value });
    }
  const nameOf = await namesOf(db, { question, reading }, entities);
  return entities.map((entity) => ({
    connection_id: entity.connection_id,
    database_name: entity.database_name,
    object: nameOf(entity),
    at: atOf(entity),
    value: entity.value,
  }));
}

const isMeasured = ({ measures }: Measured) => (measures.family[0]?.seconds ?? 0) > 0;

/** How many objects of each database that was measured are above. */
export async function objectsAbove(
  db: Db,
  query: NewestMetricQuery,
  { ratio, above }: { ratio: IncreaseRatio; above: number },
): Promise<MetricValue[]> {
  const { found, atOf, reading } = await lastHour(db, query, { ...query.metric, value: ratio });
  const count = (run: Run) => {
    let all = 0;
    for (const values of found.of(run).values()) if ((increaseRatio(ratio, values) ?? 0) > above) all += 1;
    return all;
  };
  return (reading?.windows[0] ?? []).filter(isMeasured).map((one) => ({
    connection_id: one.connection_id,
    database_name: one.database_name,
    object: {},
    at: atOf(one),
    value: count(one),
  }));
}

/** Sample by sample, of one entity: the columns' values by time, in their order. */
type History = Map<number, (number | undefined)[]>;

type Pair = readonly [value: number, limit: number];

function hoursOf(history: History, pairs: readonly Pair[]): [at: number, hours: number] {
  const times = [...history.keys()].sort((a, b) => a - b);
  let since: number | undefined;
  for (const at of times) {
    const values = history.get(at) ?? [];
    const isAbove = pairs.some(([column, limit]) => {
      const [value, most] = [values[column], values[limit]];
      return value !== undefined && most !== undefined && value > most;
    });
    since = isAbove ? (since ?? at) : undefined;
  }
  const last = times.at(-1) ?? 0;
  return [last, since === undefined ? 0 : (last - since) / 1000 / HOUR_MS];
}

/** Of each object that is there and whose hours are wanted, since when it has been above. */
export async function hoursAbove(
  db: Db,
  query: NewestMetricQuery,
  pairs: readonly (readonly [string, string])[],
): Promise<MetricValue[]> {
  const { probe, metric, connection_ids, now, isWanted } = query;
  const questions = new Questions({ probe, connection_ids, aggregate: 'last' }, 'each');
  const columns = [...new Set(pairs.flat())];
  for (const column of columns) questions.of({ ...metric, value: { kind: 'gauge', column } });
  const places = new Map(columns.map((name, index) => [name, index]));
  const histories = new ByRun(() => ({ at: 0, groups: new Map<string, History>() }));
  const [from, to] = [(now - LOOK_BACK_HOURS * HOUR_MS) * 1000, now * 1000];
  const [reading] = await readAllMeasured(db, questions.all, {
    windows: [{ from: from / 1000, to: now, buckets: 1 }],
    isHeardOnly: true,
    heard: ({ column }, of, { value }) => {
      const { group, at } = of;
      if (at < from || at > to) return;
      const own = histories.of(of);
      if (at > own.at) own.at = at;
      const history: History = own.groups.get(group) ?? new Map();
      own.groups.set(group, history);
      const values = history.get(at) ?? [];
      values[places.get(column.name) ?? 0] = value;
      history.set(at, values);
    },
  });
  const indexed = pairs.map(([value, limit]): Pair => [places.get(value) ?? 0, places.get(limit) ?? 0]);
  const found: (Entity & { at: number; hours: number })[] = [];
  for (const { connection_id, database_name, own } of histories.all)
    for (const [group, history] of own.groups) {
      const [at, hours] = hoursOf(history, indexed);
      // What is gone from the newest reading is not there.
      if (at === own.at && (isWanted?.(metric, connection_id, hours) ?? true))
        found.push({ connection_id, database_name, group, at, hours });
    }
  const [question] = questions.all;
  if (!reading || !question) return [];
  const nameOf = await namesOf(db, { question, reading }, found);
  return found.map((entity) => ({
    connection_id: entity.connection_id,
    database_name: entity.database_name,
    object: nameOf(entity),
    at: isoOf(entity.at),
    value: entity.hours,
  }));
}
