// The newest value of a metric for every entity of many connections, in at most three statements: levels and ages from the
// newest rows, increases and their ratios over the last hour. Guards: each value says of which sample it is; a run that
// found no rows counts none, and is not a run that never was.

import type { Db } from '../../kernel/db.ts';
import { once } from '../../kernel/once.ts';
import {
  columnsRead,
  identityOf,
  isAboveNow,
  isKeptElsewhere,
  isOfAll,
  isWatched,
  measuredFor,
  ofRow,
  type Watched,
} from '../../probes/formula.ts';
import { combined, type Metric } from '../../probes/metrics.ts';
import type { Row } from '../../store/layout/types.ts';
import { limitsOf } from '../../store/read/doors/buckets.ts';
import {
  type Bound,
  type Bounds,
  type Newest,
  type NewestQuery,
  newest,
} from '../../store/read/doors/newest.ts';
import { keyOfDatabase, type NewestRun } from '../../store/read/doors/readings.ts';
import { newestRunTimes } from '../../store/read/doors/runs.ts';
import { hoursAbove, increasesOf, objectsAbove, staleness, timesBefore } from './kinds.ts';
import { Grown, type KindReader } from './last-hours.ts';
import type { MetricValue, NewestMetricQuery, NewestMetricsQuery, WantedLimits } from './newest.types.ts';

const timeOf = ({ collected_at }: Newest) => (collected_at === null ? Number.NaN : Date.parse(collected_at));

const valueOfRow = ({ value }: Metric, row: Row, at: number): number | null =>
  ofRow(value, (name) => row[name], at) ?? null;

/** Rows of a run become one value; a run without rows has none that count. */
function ofRuns(metric: Metric, runs: readonly NewestRun[], byRun: ReadonlyMap<string, readonly Newest[]>) {
  return runs.map((run): MetricValue => {
    const own = byRun.get(keyOfDatabase(run)) ?? [];
    // All of them were collected together.
    const at = own[0] ? timeOf(own[0]) : Number.NaN;
    const values = own.map(({ row }) => valueOfRow(metric, row, at));
    return {
      connection_id: run.connection_id,
      database_name: run.database_name,
      object: {},
      at: new Date(run.at).toISOString(),
      value: values.length === 0 ? 0 : combined(metric.combine, values),
    };
  });
}

interface OfEach extends Pick<NewestMetricQuery, 'isWanted'> {
  rows: readonly Newest[];
}

function ofEach(metric: Metric, identity: readonly string[], { rows, isWanted }: OfEach): MetricValue[] {
  return rows.flatMap((one) => {
    const value = valueOfRow(metric, one.row, timeOf(one));
    // A row that the metric is not about.
    if (value === null && metric.value.kind === 'gauge' && metric.value.where) return [];
    const { connection_id, database_name, collected_at, row } = one;
    if (isWanted && !isWanted(metric, connection_id, value)) return [];
    const object = Object.fromEntries(identity.map((name) => [name, row[name] ?? null]));
    return [{ connection_id, database_name, object, at: collected_at, value }];
  });
}

/** Metrics that one row tells, and those that need the time before of what one row says is above its limit. */
interface RowsQuery extends NewestMetricsQuery {
  watched: readonly Watched[];
}

/** Rows of which any of the metrics is wanted, as their values say, or that are above a limit. */
function wantedRows({ metrics, isWanted, watched }: RowsQuery): NewestQuery['wanted'] {
  if (!isWanted) return undefined;
  return {
    columns: [...new Set([...metrics, ...watched].flatMap(({ value }) => columnsRead(value)))],
    test: (connection_id, cell, at) =>
      metrics.some((metric) => isWanted(metric, connection_id, ofRow(metric.value, cell, at) ?? null)) ||
      watched.some((metric) => isAboveNow(metric, cell)),
  };
}

function boundOf(
  value: Extract<Metric['value'], { kind: 'gauge' | 'ratio of gauges' }>,
  limit: WantedLimits['limits'][number],
): Bound {
  if (value.kind === 'gauge') return { of: [value.column], scale: 1, ...limit };
  return { of: value.of, scale: value.scale, by: value.to, ...limit, isMetByNone: value.empty !== undefined };
}

/** A metric that cannot be told by a bound leaves all of them out. */
function boundsOf({ metrics, watched, isWanted, limitsOf: wantedOf }: RowsQuery): Bounds | undefined {
  if (!isWanted || !wantedOf) return undefined;
  const allOf = new Set<number>();
  const any: Bound[] = [];
  for (const metric of metrics) {
    const { value } = metric;
    const wanted = wantedOf(metric);
    if (!wanted || (value.kind !== 'gauge' && value.kind !== 'ratio of gauges')) return undefined;
    for (const id of wanted.allOf) allOf.add(id);
    for (const limit of wanted.limits) any.push(boundOf(value, limit));
  }
  for (const metric of watched) {
    for (const id of wantedOf(metric)?.allOf ?? []) allOf.add(id);
    for (const [level, limit] of metric.value.pairs) any.push({ level, above: limit });
  }
  return { allOf: [...allOf], any };
}

/** Of rows that do not meet the conditions of any metric, those that say nothing to anybody. */
function meetingRows({ metrics, isWanted, connection_ids }: RowsQuery): NewestQuery['meeting'] {
  if (!isWanted || metrics.some(isOfAll)) return undefined;
  const conditions = metrics.map(({ value }) => ('where' in value ? (value.where ?? []) : []));
  if (conditions.some(({ length }) => length === 0)) return undefined;
  const counted = metrics.filter(({ value }) => value.kind !== 'gauge');
  const isAsked = (id: number) => counted.some((metric) => isWanted(metric, id, 0));
  return { allOf: connection_ids.filter(isAsked), any: conditions };
}

interface OfRows {
  values: MetricValue[][];
  /** Connections on which something that is watched is above its limit. */
  above: ReadonlySet<number>;
}

/** Metrics that one row tells, all from the same rows. */
async function ofRows(db: Db, query: RowsQuery): Promise<OfRows> {
  const { probe, metrics, watched, connection_ids } = query;
  const identity = metrics.every(isOfAll) ? [] : identityOf(probe);
  const own = [...metrics, ...watched].flatMap(({ value }) => columnsRead(value));
  const read = [...new Set([...own, ...identity])];
  // At least one, so that there are rows to count.
  const columns = read.length > 0 ? read : probe.columns.slice(0, 1).map(({ name }) => name);
  const isCounted = metrics.some(isOfAll);
  const wanted = isCounted ? undefined : wantedRows(query);
  const meeting = watched.length > 0 ? undefined : meetingRows(query);
  const bounds = wanted && boundsOf(query);
  const more = { ...(wanted && { wanted }), ...(meeting && { meeting }), ...(bounds && { bounds }) };
  const rows = await newest(db, { probe, columns, connection_ids, ...more });
  const byRun = isCounted ? Map.groupBy(rows, keyOfDatabase) : new Map<string, Newest[]>();
  const runs = isCounted ? await newestRunTimes(db, { probe: probe.name, connection_ids }) : [];
  const isAbove = ({ row }: Newest) => watched.some((metric) => isAboveNow(metric, (name) => row[name]));
  return {
    values: metrics.map((metric) =>
      isOfAll(metric)
        ? ofRuns(metric, runs, byRun)
        : ofEach(metric, identity, { rows, isWanted: query.isWanted }),
    ),
    above: new Set(rows.filter(isAbove).map(({ connection_id }) => connection_id)),
  };
}

/** Of each entity the share of what its connection has as a limit. */
async function asShares(
  db: Db,
  { metric, connection_ids }: Pick<NewestMetricQuery, 'metric' | 'connection_ids'>,
  values: readonly MetricValue[],
): Promise<MetricValue[]> {
  const { value } = metric;
  if (value.kind !== 'share') return [];
  const limits = await limitsOf(db, metric, connection_ids);
  return values.map((one) => {
    const limit = limits.get(one.connection_id);
    const isKnown = one.value !== null && limit !== undefined;
    return { ...one, value: isKnown ? (value.scale * (one.value ?? 0)) / limit : null };
  });
}

/** Who reads metrics that one row does not tell, by their kind. */
const READERS: ReadonlyMap<Metric['value']['kind'], KindReader> = new Map([
  ['staleness', staleness],
  ['increase', increasesOf],
  ['rate', increasesOf],
  ['ratio of increases', increasesOf],
  ['objects above', objectsAbove],
  ['times before', timesBefore],
  ['hours above', hoursAbove],
]);

/**
 * Some metrics of a probe, in their order. What one row tells is read once for all of them, in two statements at most; a
 * limit takes one more, and what needs the time before up to three.
 */
export async function newestMetrics(db: Db, query: NewestMetricsQuery): Promise<MetricValue[][]> {
  const { probe, now, isWanted, limitsOf: wantedOf } = query;
  const kept = query.metrics.find(isKeptElsewhere);
  if (kept) throw new Error(`${kept.name} is kept by the wing that finds it, and no sample says it`);
  const measured = query.metrics.map((metric) =>
    metric.value.kind === 'share' ? measuredFor(probe, metric) : metric,
  );
  const plain = [...new Set(measured.filter(({ value }) => !READERS.has(value.kind)))];
  // Before it is divided by its limit nobody knows whether a share is wanted.
  const isPlain = measured.every((metric, index) => metric === query.metrics[index]);
  const rest = isPlain ? { isWanted, limitsOf: wantedOf } : { isWanted: undefined, limitsOf: undefined };
  // The hours before are read only where the rows that are read anyway say that there is something.
  const watched = isPlain && isWanted && plain.length > 0 ? measured.filter(isWatched) : [];
  const found =
    plain.length > 0 ? await ofRows(db, { ...query, ...rest, metrics: plain, watched }) : undefined;
  const idsFor = (metric: Metric) =>
    watched.some((one) => one === metric)
      ? query.connection_ids.filter((id) => found?.above.has(id) || isWanted?.(metric, id, 0))
      : query.connection_ids;
  const byMetric = new Map(plain.map((metric, index) => [metric, found?.values[index] ?? []]));
  const grown = once(() => new Grown(db, query.metrics));
  const answers: MetricValue[][] = [];
  for (const [index, metric] of query.metrics.entries()) {
    const own = measured[index] ?? metric;
    const connection_ids = idsFor(own);
    const read = connection_ids.length > 0 ? READERS.get(own.value.kind) : undefined;
    const values =
      byMetric.get(own) ??
      (await read?.(db, { probe, metric: own, connection_ids, now, grown, ...rest })) ??
      [];
    answers.push(metric === own ? values : await asShares(db, { metric, connection_ids }, values));
  }
  return answers;
}
