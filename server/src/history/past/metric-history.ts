// The past of a metric, value by value and entity by entity, as the newest values are judged (newest/newest-metrics.ts): levels as
// they were read, or the worst of each span of rollups; increases and their ratios of the hour before. Guards: one statement
// (two the first time) and one more for what limits the metric, unless that is known; a time that nobody measured has no value; an entity is gone
// only where a run of its database says so.

import type { Db } from '../../kernel/db.ts';
import { formed, identityOf, isOfAll, measuredFor } from '../../probes/formula.ts';
import type { Metric } from '../../probes/metrics.ts';
import type { Probe } from '../../probes/types.ts';
import {
  finished,
  type Inquiry,
  limitsOf,
  type MeasuredDatabase,
  type OwnMeasures,
  type Question,
  Questions,
  type Reading,
  readInquiries,
  spanOfValue,
  wholeOf,
} from '../../store/read/doors/buckets.ts';
import { Collected, type Database, databaseKey, type History, type SeriesKey } from './history-collected.ts';
import { type HistoryPart, isOfAnHour } from './history-plan.ts';

export interface HistoryQuery {
  probe: Probe;
  metric: Metric;
  connection_ids: readonly number[];
  /** What is read of a span of rollups: the worst value, or the mean. */
  worst: 'max' | 'min' | 'avg';
  /** See history-plan.ts. */
  parts: readonly HistoryPart[];
  /** How often the probe runs there, in seconds. */
  intervalOf(connection_id: number): number;
  /** Of a share what limits it, by connection; read when absent. */
  limits?: ReadonlyMap<number, number>;
}

export interface Past {
  histories: History[];
  /** Seconds that were measured, by connection. */
  measured: ReadonlyMap<number, number>;
  /** The coarsest tier that was read of each part, in their order. */
  tiers: readonly Reading['tier'][];
}

interface PartQuery {
  part: HistoryPart;
  metric: Metric;
  /** In the order of the formula. */
  questions: readonly Question[];
  all: readonly Question[];
  inquiry: Inquiry;
  /** Levels that were heard: an entity's name is known once its reading is there. */
  levels: [SeriesKey, number, Question, number][];
}

const HOUR_SECONDS = 3600;

function asked(query: HistoryQuery, metric: Metric, part: HistoryPart): PartQuery {
  const { probe, connection_ids, worst } = query;
  const identity = isOfAll(metric) ? [] : identityOf(probe);
  const questions = new Questions({ probe, connection_ids, aggregate: worst }, identity);
  const own = questions.of(metric);
  const levels: PartQuery['levels'] = [];
  const isLevel = !isOfAnHour(metric);
  const { from: begin, to: end, seconds, source } = part;
  const [from, to] = [begin * 1000, end * 1000];
  const heard: Inquiry['heard'] = isLevel
    ? (question, { at, ...place }, { value }) => {
        if (at > from && at <= to) levels.push([place, at, question, value]);
      }
    : () => undefined;
  const width = seconds * 1000;
  const since = isLevel ? begin : begin - HOUR_SECONDS * 1000;
  const buckets = isLevel && source === 'samples' ? 1 : Math.ceil((end - since) / width);
  const window = { from: since, to: buckets === 1 ? end : since + buckets * width, buckets };
  const inquiry: Inquiry = {
    questions: questions.all,
    windows: [window],
    ...(source === 'samples' && { heard, isHeardOnly: isLevel }),
  };
  return { part, metric, questions: own, all: questions.all, inquiry, levels };
}

/** Levels as they were read. */
function takeLevels(into: Collected, query: HistoryQuery, { asked: of, reading }: Answered): void {
  const times = new Map<number, Set<number>>();
  for (const [place, micros, question, value] of of.levels) {
    const at = Math.floor(micros / 1000);
    const database = into.database(place);
    const entity = database.entity(place.group, reading);
    const cells = entity.heard.get(at) ?? of.questions.map(() => null);
    for (const [index, one] of of.questions.entries()) if (one === question) cells[index] = value;
    entity.heard.set(at, cells);
    entity.values.set(at, formed(of.metric.value, cells));
    database.runs.add(at);
    const own = times.get(place.connection_id);
    if (own) own.add(micros);
    else times.set(place.connection_id, new Set([micros]));
  }
  for (const [id, own] of times) {
    let before: number | undefined;
    for (const at of [...own].sort((a, b) => a - b)) {
      const { since } = spanOfValue(at, before, query.intervalOf(id));
      into.cover(id, (at - Math.max(since, of.part.from * 1000)) / 1e6);
      before = at;
    }
  }
}

interface Answered {
  asked: PartQuery;
  reading: Reading;
  readings: readonly Reading[];
}

/** How many buckets before it a bucket's value is of, itself among them. */
const bucketsOf = ({ metric, part }: PartQuery) => (isOfAnHour(metric) ? HOUR_SECONDS / part.seconds : 1);

/** What a question says at the end of a bucket; null where the bucket itself was not measured. */
function valueAt(
  question: Question,
  { own, family }: { own: OwnMeasures | undefined; family: Float64Array | undefined },
  range: readonly [number, number],
): number | null {
  const { isCounter, aggregate } = question;
  const [first, last] = range;
  if ((family ? (family[last] ?? 0) : (own?.[last]?.seconds ?? 0)) <= 0) return null;
  const whole = wholeOf(own?.slice(first, last + 1) ?? []);
  if (family) whole.seconds = family.subarray(first, last + 1).reduce((sum, one) => sum + one, 0);
  return finished(whole, aggregate, isCounter).value;
}

/** The values of buckets of one database; answers when they end. */
function takeDatabase(
  into: Database,
  { asked: of, reading }: Answered,
  databases: readonly (MeasuredDatabase | undefined)[],
): Set<number> {
  const found = new Set<number>();
  const [window] = of.inquiry.windows;
  if (!window) return found;
  const groups = new Set(databases.flatMap((one) => [...(one?.measures.groups.keys() ?? [])]));
  const back = bucketsOf(of);
  for (const group of groups) {
    const entity = into.entity(group, reading);
    const rows = of.questions.map((question, index) => {
      const measures = databases[index]?.measures;
      const isFamily = question.isCounter && question.layout.keeps === 'objects';
      return { question, own: measures?.groups.get(group), family: isFamily ? measures?.family : undefined };
    });
    for (let bucket = back - 1; bucket < window.buckets; bucket += 1) {
      const values = rows.map((row) => valueAt(row.question, row, [bucket - back + 1, bucket]));
      if (values.every((value) => value === null)) continue;
      const at = Math.min(of.part.to, window.from + (bucket + 1) * of.part.seconds * 1000);
      if (at <= of.part.from) continue;
      entity.values.set(at, formed(of.metric.value, values));
      into.runs.add(at);
      found.add(at);
    }
  }
  return found;
}

function takeBuckets(into: Collected, answered: Answered): void {
  const { asked: of, readings } = answered;
  const measured = new Map<number, Set<number>>();
  const byQuestion = of.questions.map((question) => {
    const own = readings[of.all.indexOf(question)]?.windows[0] ?? [];
    return new Map(own.map((one) => [databaseKey(one), one]));
  });
  for (const key of new Set(byQuestion.flatMap((own) => [...own.keys()]))) {
    const databases = byQuestion.map((own) => own.get(key));
    const found = databases.find((one) => one);
    if (!found) continue;
    const { connection_id: id } = found;
    const times = takeDatabase(into.database(found), answered, databases);
    measured.set(id, (measured.get(id) ?? new Set()).union(times));
  }
  for (const [id, times] of measured) into.cover(id, times.size * of.part.seconds);
}

/** What is not known as a share of a limit is not known. */
function asShares({ value }: Metric, histories: History[], limits: ReadonlyMap<number, number>): History[] {
  if (value.kind !== 'share') return histories;
  return histories.map(({ values, ...one }) => {
    const limit = limits.get(one.connection_id);
    const share = (of: number | null) =>
      of === null || limit === undefined ? null : (value.scale * of) / limit;
    return { ...one, values: values.map((past) => ({ ...past, value: share(past.value) })) };
  });
}

export async function metricHistory(db: Db, query: HistoryQuery): Promise<Past> {
  const { probe, metric, connection_ids, parts } = query;
  const measured = measuredFor(probe, metric);
  const all = parts.map((part) => asked(query, measured, part));
  const [readings, limits] = await Promise.all([
    readInquiries(
      db,
      all.map(({ inquiry }) => inquiry),
    ),
    query.limits ?? limitsOf(db, metric, connection_ids),
  ]);
  const into = new Collected();
  for (const [index, one] of all.entries()) {
    const own = readings[index] ?? [];
    const [reading] = own;
    if (!reading) continue;
    const answered = { asked: one, reading, readings: own };
    if (one.part.source === 'samples' && !isOfAnHour(measured)) takeLevels(into, query, answered);
    else takeBuckets(into, answered);
  }
  const tiers = all.map((_one, index) => readings[index]?.[0]?.tier ?? 'raw');
  return { histories: asShares(metric, into.histories(), limits), measured: into.measured, tiers };
}
