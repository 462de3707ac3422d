// The newest values that a rule judges, one for each thing that goes by a name: at most three statements for all
// connections. Guards: what could fire, or end anything that stands, is among them; what is older than its probe's gap is not judged;
// things that go by the same name are judged by the worst; a thing that a newer run does not find any more is gone, and one that nobody
// read is unknown.

import {
  isDateCurrent,
  type MetricValue,
  type NewestMetricsQuery,
  newestMetrics,
  readDaysLeft,
  type ValueFilter,
  type WantedLimits,
} from '../../history/history.ts';
import type { Db } from '../../kernel/db.ts';
import type { DatedKind } from '../../probes/metric-types.ts';
import type { Metric } from '../../probes/metrics.ts';
import { probe as databases } from '../../probes/pg-database.ts';
import { type Freshness, newestDatabases, newestRunTimes } from '../../store/read/doors/runs.ts';
import type { RuleInForce, RulesInForce } from '../alert-rules/in-force.service.ts';
import { meets, type Reading, worseOf } from '../alert-rules/judge.service.ts';
import { type KnownRule, objectNameOf, shownName } from '../alert-rules/known-rules.service.ts';
import { logValues, wholeLogs } from '../alert-rules/log-values.service.ts';
import { isComparisonCurrent, planValues, readRegressions } from '../alert-rules/plan-regressions.service.ts';
import type { AlertKey } from '../alerts/alerts.types.ts';
import type { Hosts } from './hosts.ts';
import type { OpenAlerts } from './open-alerts.ts';

/** With more limits than these the datastore filters nothing. */
const MOST_LIMITS = 20;

export interface RelevanceFilter {
  /** Whether a value can change anything; what cannot is not looked at any further. */
  isRelevant(connection_id: number, value: number | null): boolean;
  /** The same in figures; undefined: servers are set too differently. */
  limitsOver(connection_ids: readonly number[]): WantedLimits | undefined;
}

/** Of most values the condition is not met, and nothing stands on their connection that they could end. */
export function relevanceOf(
  { alerts, inForce, hosts }: { alerts: OpenAlerts; inForce: RulesInForce; hosts: Hosts },
  name: string,
): RelevanceFilter {
  const affected = new Set(
    [...alerts.openOfRule(name), ...alerts.pendingOfRule(name)].flatMap(({ connection_id }) =>
      hosts.membersOf(connection_id),
    ),
  );
  const conditions = new Map<number, RuleInForce>();
  const conditionOf = (connection_id: number): RuleInForce => {
    const before = conditions.get(connection_id);
    if (before) return before;
    const set = inForce.of(connection_id, name);
    conditions.set(connection_id, set);
    return set;
  };
  return {
    isRelevant: (connection_id, value) =>
      affected.has(connection_id) || (value !== null && meets(value, conditionOf(connection_id))),
    limitsOver(connection_ids) {
      const limits = new Map<string, WantedLimits['limits'][number]>();
      for (const id of connection_ids) {
        const { operator, threshold } = conditionOf(id);
        limits.set(`${operator} ${threshold}`, { operator, limit: threshold });
        if (limits.size > MOST_LIMITS) return undefined;
      }
      return { allOf: [...affected], limits: [...limits.values()] };
    },
  };
}

export interface ReadingContext extends RelevanceFilter {
  known: KnownRule;
  /** The datastore's time, in milliseconds since the epoch. */
  now: number;
  isFresh: Freshness;
  /** Values that are so on purpose. */
  isIntended?(value: MetricValue): boolean;
  /** Since when samples of a probe could have come; undefined: that they are old says nothing. */
  expectedSince(connection_id: number, probe: string): number | undefined;
}

/** What is judged, by what tells it from others. */
export interface KeyedReading extends Omit<AlertKey, 'raised_by'> {
  reading: Reading;
  /** Which other servers it is about, where it is about their host. */
  hostNote?: string;
}

/** A server that does not answer is noticed within a minute: until then its quickest probes are not late. */
const LEAST_INTERVAL_SECONDS = 20;

/**
 * The age of samples is of now, whenever they were taken; of all databases of a probe the oldest counts. Where nothing came
 * since it could have come, what is late is late for at least so long, and a restart of ours makes nothing late.
 */
function lateness({ now, expectedSince }: ReadingContext, value: MetricValue): Omit<Reading, 'at'> {
  const since = expectedSince(value.connection_id, String(value.object.probe));
  if (since === undefined || value.at === null || value.value === null) return { value: null };
  const at = Date.parse(value.at);
  const interval = value.value > 0 ? (now - at) / value.value : 0;
  const intervals = (now - Math.max(at, since)) / Math.max(interval, LEAST_INTERVAL_SECONDS * 1000);
  return { value: Math.max(0, intervals), ...(at < since && { isAtLeast: true }) };
}

function readingOfStaleness(asked: ReadingContext, value: MetricValue): KeyedReading | undefined {
  const { connection_id, object } = value;
  const late = lateness(asked, value);
  if (!asked.isRelevant(connection_id, late.value)) return undefined;
  return {
    connection_id,
    database_name: '',
    object_name: shownName(String(object.probe ?? '')),
    reading: { at: asked.now, ...late },
  };
}

const isCurrent = ({ known, now, isFresh }: ReadingContext, run: { connection_id: number; at: number }) => {
  if (known.source === 'dates') return isDateCurrent(run.at, now);
  return known.source === 'plans'
    ? isComparisonCurrent(run.at, now)
    : isFresh({ probe: known.probe, ...run });
};

function readingOfValue(asked: ReadingContext, value: MetricValue): KeyedReading | undefined {
  if (asked.known.metric.value.kind === 'staleness') return readingOfStaleness(asked, value);
  const at = value.at === null ? Number.NaN : Date.parse(value.at);
  const { connection_id, database_name, object } = value;
  if (Number.isNaN(at) || !isCurrent(asked, { connection_id, at })) return undefined;
  const { says, isAtLeast } = value;
  return {
    ...{ connection_id, database_name },
    object_name: objectNameOf(asked.known, object),
    reading: { at, value: value.value, ...(says !== undefined && { says }), ...(isAtLeast && { isAtLeast }) },
  };
}

/** Tells readings of a rule from each other. */
export const readingKey = ({ connection_id, database_name, object_name }: Omit<AlertKey, 'raised_by'>) =>
  JSON.stringify([connection_id, database_name, object_name]);

/** What was read for a rule and may matter: one of each name, by its key. */
function keyedReadings(asked: ReadingContext, values: readonly MetricValue[]): Map<string, KeyedReading> {
  const found = new Map<string, KeyedReading>();
  for (const value of values) {
    if (!asked.isRelevant(value.connection_id, value.value) || asked.isIntended?.(value)) continue;
    const judged = readingOfValue(asked, value);
    if (!judged) continue;
    const key = readingKey(judged);
    const before = found.get(key);
    found.set(
      key,
      before ? { ...judged, reading: worseOf(before.reading, judged.reading, asked.known.rule) } : judged,
    );
  }
  return found;
}

/** What runs out, of rules that judge dates; none of others. */
const kindsOf = (rules: readonly ReadingContext[]): DatedKind[] =>
  rules.flatMap(({ known: { metric } }) => (metric.value.kind === 'days left' ? [metric.value.of] : []));

/** What was found in logs and of plans is kept; all else is in the newest samples. */
async function valuesOf(db: Db, { source }: KnownRule, query: NewestMetricsQuery): Promise<MetricValue[][]> {
  if (source === 'samples') return newestMetrics(db, query);
  if (source === 'log') return logValues(db, query);
  const values = await planValues(db, query.connection_ids);
  return query.metrics.map(() => values);
}

/** Of some rules of one probe, or of some that judge dates, in their order; what they judge is read together. */
export async function readingsOf(
  db: Db,
  rules: readonly ReadingContext[],
  connection_ids: readonly number[],
): Promise<Map<string, KeyedReading>[]> {
  const [first] = rules;
  if (!first) return [];
  const metrics = rules.map(({ known }) => known.metric);
  const { now } = first;
  if (first.known.source === 'dates') {
    const dated = kindsOf(rules);
    const { values } = await readDaysLeft(db, { connection_ids, kinds: dated });
    return rules.map((asked, index) => {
      const kind = dated[index];
      return keyedReadings(asked, (kind && values.get(kind)) ?? []);
    });
  }
  const byMetric = Map.groupBy(rules, ({ known }) => known.metric);
  const isWanted: ValueFilter = (metric, connection_id, value) =>
    byMetric.get(metric)?.some((one) => one.isRelevant(connection_id, value)) ?? true;
  const limitsOf = (metric: Metric): WantedLimits | undefined => {
    const own = byMetric.get(metric)?.map((one) => one.limitsOver(connection_ids)) ?? [undefined];
    const all = own.filter((one) => one !== undefined);
    if (all.length < own.length) return undefined;
    return { allOf: all.flatMap(({ allOf }) => allOf), limits: all.flatMap(({ limits }) => limits) };
  };
  const { probe } = first.known;
  const values = await valuesOf(db, first.known, { probe, metrics, connection_ids, now, isWanted, limitsOf });
  return rules.map((asked, index) => keyedReadings(asked, values[index] ?? []));
}

/**
 * When it was found lately that nothing of a kind runs out there but what it names, by connection. Nobody can tell where the kind
 * could not be looked at.
 */
async function datesFound(db: Db, { known, now }: ReadingContext, connection_ids: readonly number[]) {
  const { value } = known.metric;
  if (value.kind !== 'days left') return undefined;
  const { foundAt, whyUnknown } = await readDaysLeft(db, { connection_ids, kinds: [value.of] });
  return new Map(
    [...foundAt].filter(([id, at]) => isDateCurrent(at, now) && whyUnknown(id, value.of) === undefined),
  );
}

export interface DatabaseRef {
  connection_id: number;
  database_name: string;
}

/** When the newest list of databases was read that is without a database; undefined where it is there, or nobody has looked lately. */
export async function droppedSince(
  db: Db,
  isFresh: Freshness,
  places: readonly DatabaseRef[],
): Promise<(place: DatabaseRef) => number | undefined> {
  const ofDatabases = places.filter(({ database_name }) => database_name !== '');
  if (ofDatabases.length === 0) return () => undefined;
  const known = await newestDatabases(db, [
    ...new Set(ofDatabases.map(({ connection_id }) => connection_id)),
  ]);
  const lists = new Map(known.map((one) => [one.connection_id, one]));
  return ({ connection_id, database_name }) => {
    const list = lists.get(connection_id);
    const isKnown = list && isFresh({ probe: databases, connection_id, at: list.at });
    return isKnown && database_name !== '' && !list.names.includes(database_name) ? list.at : undefined;
  };
}

/** When what the rule reads was read last, by database; of plans, where the log was read as a whole. */
async function readTimes(db: Db, { known, now }: ReadingContext, missing: readonly DatabaseRef[]) {
  const connection_ids = [...new Set(missing.map(({ connection_id }) => connection_id))];
  const { probe, source } = known;
  if (source !== 'log' && source !== 'plans')
    return newestRunTimes(db, { probe: probe.name, connection_ids });
  const logs = await wholeLogs(db, connection_ids, now);
  if (source === 'log') return logs.map((log) => ({ ...log, database_name: '' }));
  const whole = new Set(logs.map(({ connection_id }) => connection_id));
  const kept = await readRegressions(db, connection_ids);
  const times = new Map(kept.map(({ connection_id, at }) => [connection_id, at]));
  return missing.flatMap(({ connection_id, database_name }) => {
    const at = times.get(connection_id);
    return at !== undefined && whole.has(connection_id) ? [{ connection_id, database_name, at }] : [];
  });
}

/** Of alerts that no reading is about any more: gone, where something that was read since says so. */
export async function readingsOfGone(
  db: Db,
  asked: ReadingContext,
  missing: readonly AlertKey[],
): Promise<KeyedReading[]> {
  if (missing.length === 0) return [];
  const { probe, source } = asked.known;
  const connection_ids = [...new Set(missing.map(({ connection_id }) => connection_id))];
  const dates = await datesFound(db, asked, connection_ids);
  const runs = await readTimes(db, asked, missing);
  const fresh = runs.filter((run) =>
    source === 'plans' ? isCurrent(asked, run) : asked.isFresh({ probe, ...run }),
  );
  const times = new Map(fresh.map((run) => [`${run.connection_id} ${run.database_name}`, run.at]));
  const ranAt = ({ connection_id, database_name }: DatabaseRef) =>
    times.get(`${connection_id} ${database_name}`);
  const unread = missing.filter((place) => ranAt(place) === undefined);
  const droppedAt = await droppedSince(db, asked.isFresh, unread);
  return missing.flatMap(({ connection_id, database_name, object_name }) => {
    const place = { connection_id, database_name };
    const since = ranAt(place) ?? droppedAt(place);
    if (since === undefined) return [];
    const at = dates ? dates.get(connection_id) : since;
    if (at === undefined) return [];
    return [{ connection_id, database_name, object_name, reading: { at, value: null, isGone: true } }];
  });
}
