// The metrics of a probe: its gauges and counters as they are, each counter's rate, and what it declares beyond. Pure.
// Guards: a name means one thing, and whoever shows or judges a metric has its name, unit and sentence from here.

import type { MetricDeclaration, MetricUnit } from './metric-types.ts';
import type { Column, Combine, Probe } from './types.ts';

/** Unless a column declares otherwise: ages and durations by their worst, percentages by their mean, the rest adds up. */
const BY_UNIT: Partial<Record<NonNullable<Column['unit']>, Combine>> = {
  ms: 'max',
  seconds: 'max',
  transactions: 'max',
  percent: 'avg',
};

/** Increases of counters always add up. */
export function combineOf({ kind, unit, combine }: Column): Combine {
  if (kind === 'counter') return 'sum';
  return combine ?? (unit && BY_UNIT[unit]) ?? 'sum';
}

/** Of the known values; null without any. */
export function combined(how: Combine, values: Iterable<number | null>): number | null {
  let [total, count] = [0, 0];
  let [most, least] = [-Infinity, Infinity];
  for (const value of values) {
    if (value === null) continue;
    total += value;
    count += 1;
    if (how === 'max') most = Math.max(most, value);
    else if (how === 'min') least = Math.min(least, value);
  }
  if (count === 0) return null;
  if (how === 'max') return most;
  if (how === 'min') return least;
  return how === 'avg' ? total / count : total;
}

export interface Metric extends Omit<MetricDeclaration, 'unit' | 'wireName'> {
  /** As rules name it, such as `pg_stat_database.cache_hit_ratio`. */
  readonly wireName: string;
  /** `MetricUnit`, with `/s` behind it for rates. */
  readonly unit: string;
  /** Whether it is a column as it is: those are shown when nobody names metrics. */
  readonly isColumn: boolean;
}

const NUMERIC = new Set<Column['type']>(['integer', 'bigint', 'double precision']);

/** Columns of numbers that are levels or counters. */
export const numberColumns = (probe: Pick<Probe, 'columns'>): Column[] =>
  probe.columns.filter(({ kind, type }) => (kind === 'gauge' || kind === 'counter') && NUMERIC.has(type));

const unitOf = ({ unit }: Column): MetricUnit => (unit === 'transactions' ? 'count' : (unit ?? ''));

function ofColumn(probe: Probe, column: Column): Metric {
  const { name, kind, description } = column;
  return {
    name,
    wireName: `${probe.name}.${name}`,
    unit: unitOf(column),
    description,
    combine: combineOf(column),
    value: { kind: kind === 'counter' ? 'increase' : 'gauge', column: name },
    isColumn: true,
  };
}

function rateOf(probe: Probe, column: Column): Metric {
  const name = `${column.name}_per_sec`;
  return {
    name,
    wireName: `${probe.name}.${name}`,
    unit: `${unitOf(column)}/s`,
    description: `${column.description} A second.`,
    combine: 'sum',
    value: { kind: 'rate', column: column.name },
    isColumn: false,
  };
}

/** Columns in declared order, then rates, then what the probe declares. */
export function metricsOf(probe: Probe): Metric[] {
  const columns = numberColumns(probe);
  return [
    ...columns.map((column) => ofColumn(probe, column)),
    ...columns.filter(({ kind }) => kind === 'counter').map((column) => rateOf(probe, column)),
    ...(probe.metrics ?? []).map((one) => ({
      ...one,
      wireName: one.wireName ?? `${probe.name}.${one.name}`,
      isColumn: false,
    })),
  ];
}

/** By its name within the probe, or as rules name it. */
export const metricOf = (probe: Probe, name: string): Metric | undefined =>
  metricsOf(probe).find((one) => one.name === name || one.wireName === name);
