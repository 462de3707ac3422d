// The newest value of a metric for every entity of many connections, in at most three statements: levels and ages from the
// newest rows, increases and their ratios over the last hour. Guards: each value says of which sample it is; a run that
// found no rows counts none, and is not a run that never was.
import type { Db } from '../../kernel/db.ts';
import type { Metric } from '../../probes/metrics.ts';
import type { Probe } from '../../probes/types.ts';
import { combined } from '../layout/combine.ts';
import { layoutOf } from '../layout/table-layout.ts';
import type { Row } from '../layout/types.ts';
import { limitsOf, measuredFor } from './metric.ts';
import { columnsRead, ofRow } from './metric-parts.ts';
import { newestRunsOf } from './newest.queries.ts';
import { type Newest, newest } from './newest.ts';
import { hoursAbove, increasesOf, objectsAbove } from './newest-increases.ts';
import { staleness } from './staleness.ts';

export interface NewestMetricQuery {
  probe: Probe;
  metric: Metric;
  connection_ids: readonly number[];
  /** Milliseconds since the epoch. */
  now: number;
}

export interface MetricValue {
  connection_id: number;
  /** '': the server as a whole. */
  database_name: string;
  /** What names the entity: its key columns, and the labels that name it. Empty: there is only one. */
  object: Row;
  /** Of the newest sample that counts; null: nobody knows. */
  at: string | null;
  value: number | null;
}

/** Labels by which people know an object. */
const NAMES = new Set(['schemaname', 'relname', 'indexrelname', 'funcname', 'application_name']);

/** Counts, and ages of sessions, are of all rows of a run together. */
const isOfAll = ({ value, combine }: Metric) =>
  value.kind === 'age' || (value.kind === 'rows' && combine === 'sum');

interface RunKey {
  connection_id: number;
  database_name: string;
}
const keyOf = ({ connection_id, database_name }: RunKey) => `${connection_id} ${database_name}`;

function valueOfRow({ value }: Metric, { row, collected_at }: Newest): number | null {
  const at = collected_at === null ? Number.NaN : Date.parse(collected_at);
  return ofRow(value, (name) => row[name], at) ?? null;
}

/** Rows of a run become one value; a run without rows has none that count. */
async function ofRuns(db: Db, query: NewestMetricQuery, rows: readonly Newest[]): Promise<MetricValue[]> {
  const { probe, metric, connection_ids } = query;
  const read = { probe: probe.name, columns: [], connection_ids, database_name: undefined, order: undefined };
  const runs = await db.rows<RunKey & { at: number }>(newestRunsOf(read));
  const byRun = Map.groupBy(rows, keyOf);
  return runs.map((run) => {
    const values = (byRun.get(keyOf(run)) ?? []).map((row) => valueOfRow(metric, row));
    return {
      connection_id: run.connection_id,
      database_name: run.database_name,
      object: {},
      at: new Date(run.at).toISOString(),
      value: values.length === 0 ? 0 : combined(metric.combine, values),
    };
  });
}

async function ofRows(db: Db, query: NewestMetricQuery): Promise<MetricValue[]> {
  const { probe, metric, connection_ids } = query;
  const isWhole = isOfAll(metric);
  const names = probe.columns.filter(({ kind, name }) => kind === 'key' || NAMES.has(name));
  const identity = isWhole ? [] : names.map(({ name }) => name);
  const wanted = [...columnsRead(metric.value), ...identity];
  // At least one, so that there are rows to count.
  const columns = wanted.length > 0 ? wanted : probe.columns.slice(0, 1).map(({ name }) => name);
  const rows = await newest(db, { probe, columns, connection_ids });
  if (isWhole) return ofRuns(db, query, rows);
  return rows.flatMap((one) => {
    const value = valueOfRow(metric, one);
    // A row that the metric is not about.
    if (value === null && metric.value.kind === 'gauge' && metric.value.where) return [];
    const { connection_id, database_name, collected_at, row } = one;
    const object = Object.fromEntries(identity.map((name) => [name, row[name] ?? null]));
    return [{ connection_id, database_name, object, at: collected_at, value }];
  });
}

/** Of each entity the share of what its connection has as a limit. */
async function shares(db: Db, query: NewestMetricQuery): Promise<MetricValue[]> {
  const { probe, metric, connection_ids } = query;
  const { value } = metric;
  if (value.kind !== 'share') return [];
  const values = await newestMetric(db, { ...query, metric: measuredFor(probe, metric) });
  const limits = await limitsOf(db, metric, connection_ids);
  return values.map((one) => {
    const limit = limits.get(one.connection_id);
    const isKnown = one.value !== null && limit !== undefined;
    return { ...one, value: isKnown ? (value.scale * (one.value ?? 0)) / limit : null };
  });
}

export async function newestMetric(db: Db, query: NewestMetricQuery): Promise<MetricValue[]> {
  const { probe, metric } = query;
  const { kind } = metric.value;
  if (kind === 'share') return shares(db, query);
  if (kind === 'staleness') return staleness(db, query);
  if (kind === 'increase' || kind === 'rate' || kind === 'ratio of increases')
    return layoutOf(probe) ? increasesOf(db, query) : [];
  if (kind === 'objects above') return objectsAbove(db, query, metric.value);
  if (kind === 'hours above') return hoursAbove(db, query, metric.value.pairs);
  return ofRows(db, query);
}
