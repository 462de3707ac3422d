// Newest values that need the time before: increases and their ratios over the last hour, statements that were slow in it or
// slower than in the day before, and since when an object has been above its limit. Guards: each value has the time of the
// newest sample; three statements, and metrics of the same columns share them.

import type { Db } from '../../kernel/db.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { type ProbeName, probes } from '../../probes/catalog.gen.ts';
import { meetsAll } from '../../probes/conditions.ts';
import { formed, increaseRatio, namesIn } from '../../probes/formula.ts';
import { longestIntervalSeconds } from '../../probes/types.ts';
import { GAP_INTERVALS, readIntervals } from '../../store/layout/intervals.ts';
import { layoutOf, Questions, readAllMeasured } from '../../store/read/doors/buckets.ts';
import { newest } from '../../store/read/doors/newest.ts';
import { type DatabaseOf, keyOfDatabase } from '../../store/read/doors/readings.ts';
import { type RunTime, runTimes } from '../../store/read/doors/runs.ts';
import { ByRun, dayBefore, type Entity, isoOf, type KindReader, lastHour, namesOf } from './last-hours.ts';
import type { MetricValue, NewestMetricQuery } from './newest.types.ts';

/** What was above its limit for longer is said to have been so for this long. */
const LOOK_BACK_HOURS = 6;

/** Of each entity that was measured in the last hour and whose value is wanted. */
export async function increasesOf(db: Db, query: NewestMetricQuery): Promise<MetricValue[]> {
  if (!layoutOf(query.probe)) return [];
  const { metric, isWanted } = query;
  const { found, atOf, reading, question } = await lastHour(db, query);
  if (!reading || !question) return [];
  const entities: (Entity & { value: number | null })[] = [];
  for (const { connection_id, database_name, own } of found.all)
    for (const [group, values] of own) {
      const value = formed(metric.value, values);
      if (isWanted?.(metric, connection_id, value) ?? true)
        entities.push({ connection_id, database_name, group, value });
    }
  const nameOf = await namesOf(db, { question, reading }, entities);
  const isOver = await overBy(db, query);
  return entities.map((entity) => ({
    connection_id: entity.connection_id,
    database_name: entity.database_name,
    object: nameOf(entity),
    at: atOf(entity),
    value: entity.value !== null && isOver(entity) ? 0 : entity.value,
  }));
}

/** Whether what was counted is over, as the newest row of a database or server says; of probes that have one row of each. */
async function overBy(
  db: Db,
  { probe, metric: { value }, connection_ids }: NewestMetricQuery,
): Promise<(entity: DatabaseOf) => boolean> {
  if (value.kind !== 'increase' || !value.where) return () => false;
  const { where } = value;
  const rows = await newest(db, { probe, columns: namesIn(where), connection_ids });
  const over = new Set(rows.filter(({ row }) => !meetsAll((name) => row[name], where)).map(keyOfDatabase));
  return (entity) => over.has(keyOfDatabase(entity));
}

/** How many objects of each database that was measured are above. */
export const objectsAbove: KindReader = async (_db, { grown, ...query }) => {
  const { metric, isWanted } = query;
  const { value } = metric;
  if (value.kind !== 'objects above') return [];
  const runs = await grown().above(query, value);
  return runs
    .filter(({ connection_id, count }) => isWanted?.(metric, connection_id, count) ?? true)
    .map(({ connection_id, database_name, at, count }) => ({
      ...{ connection_id, database_name, object: {} },
      at: new Date(at).toISOString(),
      value: count,
    }));
};

const shown = (value: number, unit: string) => `${Number(value.toPrecision(3))} ${unit}`;

/** Of each object that has a large enough share, and whose value is wanted. */
export const timesBefore: KindReader = async (db, { grown, ...query }) => {
  const { metric, isWanted } = query;
  const { value } = metric;
  if (value.kind !== 'times before') return [];
  const { ratio, unit } = value;
  const large = (await grown().large(query, value)).flatMap(({ values, ...one }) => {
    const now = increaseRatio(ratio, values);
    return now === null ? [] : [{ ...one, now }];
  });
  const { before, nameOf } = await dayBefore(db, { ...query, metric: { ...metric, value: ratio } }, large);
  const slower = large.flatMap(({ now, at, ...one }) => {
    const then = increaseRatio(ratio, before.of(one).get(one.group) ?? []);
    if (!then || !(isWanted?.(metric, one.connection_id, now / then) ?? true)) return [];
    const says = `${shown(now, unit)} in the last hour, ${shown(then, unit)} in the day before`;
    return [{ ...one, at: new Date(at).toISOString(), value: now / then, says }];
  });
  const names = await nameOf(slower);
  return slower.map(({ group, ...one }) => ({ ...one, object: names({ group, ...one }) }));
};

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
export const hoursAbove: KindReader = async (db, query) => {
  const { probe, metric, connection_ids, now, isWanted } = query;
  if (metric.value.kind !== 'hours above') return [];
  const { pairs } = metric.value;
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
};

interface RunAge extends RunTime {
  probe: ProbeName;
  /** Null: never. */
  intervals: number | null;
}

type OfAges = Pick<NewestMetricQuery, 'connection_ids' | 'now'>;

async function runAges(db: Db, { connection_ids, now }: OfAges): Promise<RunAge[]> {
  const [runs, intervals] = await Promise.all([runTimes(db, connection_ids), readIntervals(db)]);
  const known = new Map(
    probes.map((probe) => [
      probe.name as string,
      {
        probe: probe.name,
        intervalSeconds: longestIntervalSeconds(probe),
        busyIntervalSeconds: probe.intervalSeconds,
      },
    ]),
  );
  return runs.flatMap((run) => {
    const layout = known.get(run.probe);
    if (!layout) return [];
    const seconds = intervals.within(layout, run.connection_id, { from: run.at ?? now, to: now });
    const age = run.at === null ? null : Math.max(0, now - run.at) / 1000 / seconds;
    return [{ ...run, probe: layout.probe, intervals: age }];
  });
}

export async function staleness(
  db: Db,
  { metric, isWanted, ...of }: OfAges & Pick<NewestMetricQuery, 'metric' | 'isWanted'>,
): Promise<MetricValue[]> {
  const ages = await runAges(db, of);
  return ages.flatMap(({ connection_id, database_name, probe, at, intervals }) => {
    if (isWanted && !isWanted(metric, connection_id, intervals)) return [];
    const time = at === null ? null : new Date(at).toISOString();
    return [{ connection_id, database_name, object: { probe }, at: time, value: intervals }];
  });
}

/** How many readings there are, and how many of them are late. */
export async function lateReadings(db: Db, of: OfAges): Promise<{ known: number; late: number }> {
  const ages = await runAges(db, of);
  const late = ages.filter(({ intervals }) => intervals === null || intervals > GAP_INTERVALS).length;
  return { known: ages.length, late };
}
