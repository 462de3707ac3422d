// What objects and samples grew in the last hour, and in the day before it: the values of the parts of a metric, entity by
// entity. Guards: one statement (two the first time) for each time; metrics that are made of the same columns share that of
// the hour; of the day before is read only what is asked for by name; metrics that ask which objects stand out and are made of the same
// counters read them once, added up where they are stored.
import type { Db } from '../../kernel/db.ts';
import { errorCode } from '../../kernel/errors.ts';
import { least } from '../../kernel/lists.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import type { IncreaseRatio, MetricValue as Value } from '../../probes/metric-types.ts';
import type { Metric } from '../../probes/metrics.ts';
import { gapSeconds, readIntervals } from '../../store/layout/intervals.ts';
import type { Row } from '../../store/layout/types.ts';
import {
  candidatesOf,
  layoutOf,
  type Question,
  Questions,
  type Reading,
  readAllMeasured,
  type Window,
} from '../../store/read/doors/buckets.ts';
import { type GrownRead, type GrownRow, grownInHour } from '../../store/read/doors/newest.ts';
import {
  type DatabaseOf,
  keyOfDatabase,
  type ObjectName,
  objectNames,
} from '../../store/read/doors/readings.ts';
import type { MetricValue, NewestMetricQuery } from './newest.types.ts';

export interface Entity extends DatabaseOf {
  group: string;
}

/** One of each connection and database; what comes in a row about the same is found without looking for it. */
export class ByRun<T> {
  readonly #all = new Map<string, DatabaseOf & { own: T }>();
  readonly #make: () => T;
  #last: (DatabaseOf & { own: T }) | undefined;

  constructor(make: () => T) {
    this.#make = make;
  }

  of(run: DatabaseOf): T {
    const { connection_id, database_name } = run;
    const last = this.#last;
    if (last?.connection_id === connection_id && last.database_name === database_name) return last.own;
    const key = keyOfDatabase(run);
    const found = this.#all.get(key) ?? { connection_id, database_name, own: this.#make() };
    this.#all.set(key, found);
    this.#last = found;
    return found.own;
  }

  get all(): Iterable<DatabaseOf & { own: T }> {
    return this.#all.values();
  }
}

/** Names of objects; samples carry theirs. */
export async function namesOf(
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

export const isoOf = (micros: number) => new Date(Math.floor(micros / 1000)).toISOString();

export type Groups = Map<string, (number | null)[]>;

/** What was asked, part by part of a metric, and what was read for it. */
interface HoursRead {
  questions: Questions;
  parts: readonly Question[];
  readings: readonly Reading[];
}

/** Values of the parts of each entity. */
function groupsIn({ questions, parts, readings }: HoursRead): ByRun<Groups> {
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
  return found;
}

/** By whole hours, as the rollups are that answer it; it ends before the last hour begins. */
function dayOf(now: number): Window {
  const to = Math.floor((now - HOUR_MS) / HOUR_MS) * HOUR_MS;
  return { from: to - 24 * HOUR_MS, to, buckets: 1 };
}

function ask({ probe, metric, connection_ids }: NewestMetricQuery) {
  const questions = new Questions({ probe, connection_ids, aggregate: 'sum' }, 'each');
  return { questions, parts: questions.of(metric) };
}

/** Values of the parts of each entity, and when each connection and database was measured last. */
export async function lastHour(db: Db, query: NewestMetricQuery) {
  const { now } = query;
  const { questions, parts } = ask(query);
  const newest = new ByRun(() => ({ at: 0 }));
  const readings = await readAllMeasured(db, questions.all, {
    windows: [{ from: now - HOUR_MS, to: now, buckets: 1 }],
    heard: (_question, of) => {
      const run = newest.of(of);
      if (of.at > run.at) run.at = of.at;
    },
  });
  const atOf = (run: DatabaseOf) => {
    const { at } = newest.of(run);
    return at === 0 ? null : isoOf(at);
  };
  return {
    ...{ atOf, reading: readings[0], question: parts[0] },
    found: groupsIn({ questions, parts, readings }),
  };
}

/** Of the parts of a metric, what these objects of its connections grew in the day before, and how to name them. */
export async function dayBefore(db: Db, query: NewestMetricQuery, entities: readonly Entity[]) {
  const { questions, parts } = ask(query);
  const byConnection = Map.groupBy(entities, ({ connection_id }) => connection_id);
  const only = new Map(
    [...byConnection].map(([id, own]) => [id, new Set(own.map(({ group }) => Number(group)))]),
  );
  const asked = only.size === 0 ? [] : questions.all;
  const readings = await readAllMeasured(db, asked, { windows: [dayOf(query.now)], only });
  const [question, reading] = [parts[0], readings[0]];
  return {
    before: groupsIn({ questions, parts, readings }),
    nameOf: (found: readonly Entity[]): Promise<(entity: Entity) => Row> =>
      question && reading ? namesOf(db, { question, reading }, found) : Promise.resolve(() => ({})),
  };
}

const UNDEFINED_TABLE = '42P01';

/** What grew in the last hour, added up where it is stored. */
async function grownIn(
  db: Db,
  query: NewestMetricQuery,
  asked: Pick<GrownRead, 'ratio' | 'above' | 'share'>,
) {
  const { probe, connection_ids, now } = query;
  const layout = layoutOf(probe);
  if (!layout || connection_ids.length === 0) return [];
  const intervals = await readIntervals(db);
  const from = now - HOUR_MS;
  // The first increases of the hour may have begun in the hour before it, at the interval of then.
  const byGap = Map.groupBy(connection_ids, (id) =>
    gapSeconds(intervals.within(layout, id, { from: from - HOUR_MS, to: now })),
  );
  const paces = [...byGap].map(([gap_seconds, own]) => ({ connection_ids: own, gap_seconds }));
  try {
    return await db.rows<GrownRow>(grownInHour({ ...asked, layout, from, to: now, paces }));
  } catch (error) {
    // Until a collector has begun there is no table, and nothing grew.
    if (errorCode(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}

type ObjectsAbove = Extract<Value, { kind: 'objects above' }>;
type TimesBefore = Extract<Value, { kind: 'times before' }>;

export interface Large extends Entity {
  /** Milliseconds since the epoch. */
  at: number;
  /** Increases of the columns of the ratio, in their order. */
  values: number[];
}

const isSame = (a: IncreaseRatio, b: IncreaseRatio) =>
  JSON.stringify([a.of, a.to]) === JSON.stringify([b.of, b.to]);

/** Of one round of questions: metrics that are made of the same counters of objects read them once. */
export class Grown {
  readonly #db: Db;
  readonly #metrics: readonly Value[];
  readonly #known = new Map<string, Promise<GrownRow[]>>();

  constructor(db: Db, metrics: readonly Metric[]) {
    this.#db = db;
    this.#metrics = metrics.map(({ value }) => value);
  }

  #of(query: NewestMetricQuery, ratio: IncreaseRatio): Promise<GrownRow[]> {
    const key = JSON.stringify([ratio.of, ratio.to]);
    const known = this.#known.get(key) ?? grownIn(this.#db, query, { ratio, ...this.#wanted(ratio) });
    this.#known.set(key, known);
    return known;
  }

  #wanted(ratio: IncreaseRatio): Pick<GrownRead, 'above' | 'share'> {
    const shares = this.#metrics.flatMap((one) =>
      one.kind === 'times before' && isSame(one.ratio, ratio) ? [one.share] : [],
    );
    return {
      above: this.#metrics.flatMap((one) =>
        one.kind === 'objects above' && isSame(one.ratio, ratio) ? [one] : [],
      ),
      share: shares.length > 0 ? least(shares) : undefined,
    };
  }

  /** How many objects of each database that was measured are above. */
  async above(query: NewestMetricQuery, value: ObjectsAbove): Promise<(GrownRow & { count: number })[]> {
    const rows = await this.#of(query, value.ratio);
    const place = this.#wanted(value.ratio).above.indexOf(value);
    return rows.map((row) => ({ ...row, count: row.above[place] ?? 0 }));
  }

  /** Objects that have that share of all of their database, with the values of the ratio. */
  async large(query: NewestMetricQuery, { ratio, share }: TimesBefore): Promise<Large[]> {
    const rows = await this.#of(query, ratio);
    return rows.flatMap(({ large, whole, ...run }) =>
      large.flatMap(([id, ...values]) => {
        const size = values.slice(0, ratio.of.length).reduce((sum, one) => sum + one, 0);
        return size * 100 >= share * whole ? [{ ...run, group: String(id), values }] : [];
      }),
    );
  }
}

/** Reads a kind of metrics that one row does not tell; `grown` is of one round of questions. */
export type KindReader = (db: Db, query: NewestMetricQuery & { grown(): Grown }) => Promise<MetricValue[]>;
