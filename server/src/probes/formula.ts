// What a metric is made of, and how it becomes one value of that. Pure. Guards: the formula of a metric is read from its declaration,
// once, for buckets, newest values and baselines alike; without its parts a value is unknown.
import { meetsAll } from './conditions.ts';
import type { Aggregate, Condition, IncreaseRatio, MetricValue as Value } from './metric-types.ts';
import { type Metric, metricOf } from './metrics.ts';
import type { Probe } from './types.ts';

type KnownValue = number | null | undefined;

/** A column that is measured for a metric. */
interface Part {
  readonly column: string;
  /** Undefined: as was asked. */
  readonly aggregate: Aggregate | undefined;
}

const increases = (columns: readonly string[]): Part[] =>
  columns.map((column) => ({ column, aggregate: 'sum' }));

/** Ratios of levels are of their means, or of the last ones where these are asked. */
const means = (columns: readonly string[], asked: Aggregate): Part[] =>
  columns.map((column) => ({ column, aggregate: asked === 'last' ? 'last' : 'avg' }));

/** The columns of a formula, in its order; empty where it is made of rows. */
export function partsOf(value: Value, asked: Aggregate): Part[] {
  if (value.kind === 'gauge' && !value.where) return [{ column: value.column, aggregate: undefined }];
  if (value.kind === 'increase') return increases([value.column]);
  if (value.kind === 'rate') return [{ column: value.column, aggregate: 'rate' }];
  if (value.kind === 'ratio of increases') return increases([...value.of, ...value.to]);
  if (value.kind !== 'ratio of gauges') return [];
  // Of a limit that never changes every aggregate says what it says of the level.
  if (typeof value.to === 'number') return value.of.map((column) => ({ column, aggregate: undefined }));
  return means([...value.of, ...value.to], asked);
}

function total(values: readonly KnownValue[]): number | null {
  let sum = 0;
  for (const value of values) {
    if (value === null || value === undefined) return null;
    sum += value;
  }
  return sum;
}

interface Ratio {
  scale: number;
  least?: number;
  empty?: number;
}

function over(of: number | null, to: number | null, { scale, least, empty }: Ratio): number | null {
  if (of === null || to === null) return null;
  if (to <= 0) return empty ?? null;
  return least !== undefined && to < least ? null : (scale * of) / to;
}

/** Of the values of its parts. */
export function increaseRatio(
  ratio: Omit<IncreaseRatio, 'kind'>,
  values: readonly KnownValue[],
): number | null {
  const count = ratio.of.length;
  return over(total(values.slice(0, count)), total(values.slice(count)), ratio);
}

/** The value of a metric from those of its parts, in their order. */
export function formed(value: Value, values: readonly KnownValue[]): number | null {
  if (value.kind === 'ratio of increases') return increaseRatio(value, values);
  if (value.kind !== 'ratio of gauges') return values[0] ?? null;
  const { of, to } = value;
  const rest = typeof to === 'number' ? to : total(values.slice(of.length));
  return over(total(values.slice(0, of.length)), rest, value);
}

type Row = (name: string) => unknown;

const numberOf = (value: unknown): number | null => {
  if (value === null || value === undefined || value === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
};

/** As total(), of columns of a row. */
function totalIn(row: Row, columns: readonly string[]): number | null {
  let sum = 0;
  for (const name of columns) {
    const value = numberOf(row(name));
    if (value === null) return null;
    sum += value;
  }
  return sum;
}

/**
 * What a single row says of a metric that needs no time before it; undefined: it needs that. Moments are milliseconds
 * since the epoch.
 */
export function ofRow(value: Value, row: Row, collectedAt: number): number | null | undefined {
  if (value.kind === 'gauge') return meetsAll(row, value.where ?? []) ? numberOf(row(value.column)) : null;
  if (value.kind === 'rows') {
    if (!meetsAll(row, value.where)) return 0;
    return value.times === undefined ? 1 : (numberOf(row(value.times)) ?? 1);
  }
  if (value.kind === 'age') {
    if (!meetsAll(row, value.where)) return 0;
    const since = row(value.since);
    const moment = typeof since === 'string' ? Date.parse(since) : numberOf(since);
    return moment === null || Number.isNaN(moment) ? null : Math.max(0, (collectedAt - moment) / 1000);
  }
  if (value.kind !== 'ratio of gauges') return undefined;
  const { of, to, floors = [] } = value;
  if (floors.some(({ column, least }) => (numberOf(row(column)) ?? least) < least)) return 0;
  return over(totalIn(row, of), typeof to === 'number' ? to : totalIn(row, to), value);
}

export interface Watched extends Metric {
  readonly value: Extract<Value, { kind: 'hours above' }>;
}

/** Where the newest row says whether there is anything to look for in the time before. */
export const isWatched = (metric: Metric): metric is Watched => metric.value.kind === 'hours above';

export const isAboveNow = ({ value }: Watched, row: Row): boolean =>
  value.pairs.some(([column, limit]) => {
    const [level, most] = [numberOf(row(column)), numberOf(row(limit))];
    return level !== null && most !== null && level > most;
  });

export const namesIn = (conditions: readonly Condition[]): string[] =>
  conditions.flatMap((one) => {
    if ('either' in one) return namesIn(one.either);
    return 'lessThan' in one ? [one.column, one.lessThan] : [one.column];
  });

/** The columns of a row that a metric reads. */
export function columnsRead(value: Value): string[] {
  if (value.kind === 'rows')
    return [...namesIn(value.where), ...(value.times === undefined ? [] : [value.times])];
  if (value.kind === 'age') return [value.since, ...namesIn(value.where)];
  if (value.kind === 'gauge') return [value.column, ...namesIn(value.where ?? [])];
  if (value.kind === 'hours above') return [...new Set(value.pairs.flat())];
  const floors = value.kind === 'ratio of gauges' ? (value.floors ?? []) : [];
  return [...new Set([...partsOf(value, 'last'), ...floors].map(({ column }) => column))];
}

/** Labels by which people know an object. */
const NAMES = new Set([
  'schemaname',
  'relname',
  'indexrelname',
  'sequencename',
  'funcname',
  'application_name',
  'subname',
]);

/** Counts, and ages of sessions, are of all rows of a run together. */
export const isOfAll = ({ value, combine }: Metric): boolean =>
  value.kind === 'age' || (value.kind === 'rows' && combine === 'sum');

/** What names an entity of a probe: its keys, and the labels by which people know it. */
export function identityOf({ columns }: Probe): string[] {
  // Two databases may have subscriptions of one name.
  const isInDatabase = columns.some(({ name }) => name === 'subname');
  const isName = (name: string) => NAMES.has(name) || (isInDatabase && name === 'datname');
  return columns.filter(({ kind, name }) => kind === 'key' || isName(name)).map(({ name }) => name);
}

/** Found from many samples, or in logs, and kept by the wing that finds it. */
const KEPT_ELSEWHERE = new Set([
  'days left',
  'log events',
  'log panics',
  'log figure',
  'log errors',
  'plan regression',
]);

/** No sample says it. */
export const isKeptElsewhere = ({ value }: Metric): boolean => KEPT_ELSEWHERE.has(value.kind);

const NEWEST_ONLY = new Set(['objects above', 'times before', 'hours above', 'staleness']);

/** Nothing is kept of it that tells what it was. */
export const isKnownNowOnly = (metric: Metric): boolean =>
  NEWEST_ONLY.has(metric.value.kind) || isKeptElsewhere(metric);

/** The metric whose share of a limit another one is. */
function sharedOf(probe: Probe, { name, value }: Metric): Metric {
  const found = value.kind === 'share' ? metricOf(probe, value.of) : undefined;
  if (!found) throw new Error(`${probe.name}.${name} is a share of nothing`);
  return found;
}

/** What is measured for a metric: of a share that is what has the limit. */
export const measuredFor = (probe: Probe, metric: Metric): Metric =>
  metric.value.kind === 'share' ? sharedOf(probe, metric) : metric;
