// What has to be measured for a metric, and how it becomes one value of that. Pure. Guards: the formula of a metric is read
// from its declaration, once, for buckets, newest values and baselines alike; without its parts a value is unknown.
import { meetsAll } from '../../probes/conditions.ts';
import type { Condition, IncreaseRatio, MetricValue as Value } from '../../probes/metric-types.ts';
import type { Metric } from '../../probes/metrics.ts';
import type { Column, Probe } from '../../probes/types.ts';
import type { Cell } from '../format/codec.ts';
import type { Row as ObjectRow } from '../layout/types.ts';
import type { Aggregate } from './measure.ts';
import type { Compared } from './newest-ticks.queries.ts';
import { type Made, madeQuestion, type Question, questionOf, type Selection } from './question.ts';

export type MetricSelection = Omit<Selection, 'column' | 'combine'>;
type KnownValue = number | null | undefined;

/** A column that is measured for a metric. */
export interface Part {
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
function partsOf(value: Value, asked: Aggregate): Part[] {
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

/** A metric that is made of rows, for the readers of samples. */
function madeOf(probe: Probe, { value }: Metric): Made {
  const names = [...new Set(columnsRead(value))];
  const needs = names.map((name) => {
    const column = probe.columns.find((one) => one.name === name);
    if (!column) throw new Error(`${probe.name} has no column ${name}`);
    return column;
  });
  const shown = (cell: Cell, { type }: Column) =>
    type === 'timestamp with time zone' && typeof cell === 'number' ? cell / 1000 : cell;
  return {
    needs,
    valueOf(cells, at) {
      const row: Row = (name) => {
        const index = names.indexOf(name);
        const column = needs[index];
        return column ? shown(cells[index] ?? null, column) : null;
      };
      return ofRow(value, row, at / 1000) ?? null;
    },
  };
}

const keyOf = (name: string, aggregate: Aggregate) => `${name} ${aggregate}`;

/** The questions of some metrics, each once, by what they are about. */
export class Questions {
  readonly #asked: MetricSelection;
  readonly #group_by: Question['group_by'];
  readonly #all = new Map<string, Question>();

  constructor(asked: MetricSelection, group_by: Question['group_by']) {
    this.#asked = asked;
    this.#group_by = group_by;
  }

  get all(): readonly Question[] {
    return [...this.#all.values()];
  }

  /** Of the parts of a metric, in their order. */
  of(metric: Metric): Question[] {
    const { value, name, combine } = metric;
    const parts = partsOf(value, this.#asked.aggregate);
    if (parts.length === 0) {
      const column: Column = { name, type: 'double precision', kind: 'gauge', combine, description: '' };
      const made = () =>
        madeQuestion({ ...this.#asked, column, made: madeOf(this.#asked.probe, metric) }, this.#group_by);
      return [this.#once(keyOf(`of rows: ${name}`, this.#asked.aggregate), made)];
    }
    // Only a level that is shown as it is combines as its metric says; parts of a ratio do as their columns say.
    const own = value.kind === 'gauge' ? { combine } : {};
    return parts.map(({ column, aggregate = this.#asked.aggregate }) =>
      this.#once(keyOf(`${column} ${own.combine ?? ''}`, aggregate), () =>
        questionOf({ ...this.#asked, ...own, column, aggregate }, this.#group_by),
      ),
    );
  }

  #once(key: string, make: () => Question): Question {
    const known = this.#all.get(key);
    if (known) return known;
    const made = make();
    this.#all.set(key, made);
    return made;
  }
}

/** Whether somebody wants the value of an entity. */
export type ValueFilter = (metric: Metric, connection_id: number, value: number | null) => boolean;

/** What values of a metric have to meet for anybody to want them, but for connections of which all are wanted. */
export interface WantedLimits {
  allOf: readonly number[];
  limits: readonly { operator: Compared; limit: number }[];
}

export interface NewestMetricQuery {
  probe: Probe;
  metric: Metric;
  connection_ids: readonly number[];
  /** Milliseconds since the epoch. */
  now: number;
  /** Entities of which few are wanted are answered, and named, only where this says so; others may be answered as well. */
  isWanted?: ValueFilter | undefined;
  /** The same in figures, where it can be said so; undefined: it cannot. */
  limitsOf?: ((metric: Metric) => WantedLimits | undefined) | undefined;
}

export interface NewestMetricsQuery extends Omit<NewestMetricQuery, 'metric'> {
  metrics: readonly Metric[];
}

export interface MetricValue {
  connection_id: number;
  /** '': the server as a whole. */
  database_name: string;
  /** What names the entity: its key columns, and the labels that name it. Empty: there is only one. */
  object: ObjectRow;
  /** Of the newest sample that counts; null: nobody knows. */
  at: string | null;
  value: number | null;
  /** It is so much or more, and nobody knows how much. */
  isAtLeast?: true;
  /** What the value is made of, in words; absent where it says it itself. */
  says?: string;
}
