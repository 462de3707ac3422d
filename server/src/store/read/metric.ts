// The reader of metrics over a window: any number of metrics of one probe or several, by connection and group of entities, in
// buckets, with a second window to compare with. Guards: it costs one statement (two the first time) however many metrics
// and probes are asked, and one more for what limits them; every formula comes from the declaration (probes/formula.ts); what
// was not measured is null.

import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { catalogProbe } from '../../probes/catalog-probe.ts';
import { columnsRead, formed, isKnownNowOnly, measuredFor, ofRow, partsOf } from '../../probes/formula.ts';
import type { Aggregate } from '../../probes/metric-types.ts';
import type { Metric } from '../../probes/metrics.ts';
import type { Column, Probe } from '../../probes/types.ts';
import type { Cell } from '../format/codec.ts';
import { layoutOf } from '../layout/table-layout.ts';
import { type BucketsQuery, type Series, seriesOf, type Values, windowsOf } from './buckets.ts';
import type { Window } from './measure.ts';
import type { Reading } from './measure-reads.ts';
import { newest } from './newest.ts';
import { readInquiries } from './planned-reads.ts';
import {
  type Group,
  type Made,
  madeQuestion,
  type Question,
  questionOf,
  type Selection,
} from './question.ts';

type MetricSelection = Omit<Selection, 'column' | 'combine'>;

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
      const row = (name: string) => {
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

export interface MetricsQuery extends Omit<BucketsQuery, 'column' | 'combine'> {
  /** Of the probe (probes/metrics.ts). */
  metrics: readonly Metric[];
}

export interface MetricSeries {
  metric: Metric;
  connection_id: number;
  group: Group;
  /** One for each bucket; null where nothing was measured. */
  values: (number | null)[];
  /** Over the whole window, of what was measured in it. */
  whole: number | null;
  /** In the second window. */
  compared?: (number | null)[];
  compared_whole?: number | null;
}

/** What limits a metric by connection, as it is known now. */
export async function limitsOf(
  db: Db,
  { value }: Metric,
  connection_ids: readonly number[],
): Promise<Map<number, number>> {
  if (value.kind !== 'share') return new Map();
  const { probe: name, column } = value.limit;
  const rows = await newest(db, { probe: catalogProbe(name), columns: [column], connection_ids });
  return new Map(
    rows.flatMap(({ connection_id, row }) => {
      const limit = Number(row[column] ?? Number.NaN);
      return limit > 0 ? [[connection_id, limit]] : [];
    }),
  );
}

function demandBuckets(metric: Metric): void {
  if (isKnownNowOnly(metric))
    throw new Fault('bad_request', `${metric.name} is known as of now only, not over a window.`);
}

/** Bucket by bucket, and over the whole window, from the series of the parts of one connection and group. */
function together(
  { value }: Metric,
  parts: readonly (Values | undefined)[],
): Pick<Values, 'values' | 'whole'> {
  const values = (parts[0]?.values ?? []).map((_none, n) =>
    formed(
      value,
      parts.map((one) => one?.values[n]),
    ),
  );
  const whole = formed(
    value,
    parts.map((one) => one?.whole),
  );
  return { values, whole };
}

const seriesKey = ({ connection_id, group }: Series) => JSON.stringify([connection_id, Object.values(group)]);

/** The series of the parts of a metric, by connection and group; undefined: a part has none. */
function byGroup(
  parts: readonly (readonly Series[])[],
): (readonly [Series, readonly (Series | undefined)[]])[] {
  const [only] = parts;
  // Of one part there is nothing to bring together, and there may be thousands of groups.
  if (only && parts.length === 1) return only.map((one) => [one, [one]]);
  const byKey = parts.map((all) => new Map(all.map((one) => [seriesKey(one), one])));
  const keys = new Map(parts.flatMap((all) => all.map((one) => [seriesKey(one), one] as const)));
  return [...keys].map(([key, one]) => [one, byKey.map((all) => all.get(key))]);
}

function ofMetric(metric: Metric, parts: readonly (readonly Series[])[]): MetricSeries[] {
  return byGroup(parts).map(([{ connection_id, group, compared }, own]) => {
    const second =
      compared &&
      together(
        metric,
        own.map((one) => one?.compared),
      );
    return {
      ...{ metric, connection_id, group, ...together(metric, own) },
      ...(second && { compared: second.values, compared_whole: second.whole }),
    };
  });
}

function shareOf(series: MetricSeries, metric: Metric, limits: ReadonlyMap<number, number>): MetricSeries {
  if (metric.value.kind !== 'share') return series;
  const limit = limits.get(series.connection_id);
  const { scale } = metric.value;
  const share = (value: number | null) =>
    value === null || limit === undefined ? null : (scale * value) / limit;
  const { values, whole, compared, compared_whole = null } = series;
  const shares = { values: values.map(share), whole: share(whole) };
  const second = compared && { compared: compared.map(share), compared_whole: share(compared_whole) };
  return { ...series, metric, ...shares, ...second };
}

/** What is asked of the store for some metrics. */
export interface MetricRead {
  query: MetricsQuery;
  windows: Window[];
  questions: Questions;
  parts: { metric: Metric; parts: readonly Question[] }[];
}

export function askedOf(query: MetricsQuery): MetricRead {
  const { probe, metrics, group_by = [] } = query;
  for (const metric of metrics) demandBuckets(metric);
  const questions = new Questions(query, group_by);
  // A probe that keeps no samples is asked nothing.
  const parts = layoutOf(probe)
    ? metrics.map((metric) => ({ metric, parts: questions.of(measuredFor(probe, metric)) }))
    : [];
  return { query, windows: windowsOf(query), questions, parts };
}

const none = ({ connection_ids, metrics }: MetricsQuery): MetricSeries[] =>
  connection_ids.flatMap((connection_id) =>
    metrics.map((metric) => ({ metric, connection_id, group: {}, values: [], whole: null })),
  );

/** What limits the first metric of a query that is a share. */
function limitsFor(db: Db, { metrics, connection_ids }: MetricsQuery): Promise<Map<number, number>> {
  const share = metrics.find(({ value }) => value.kind === 'share');
  return share ? limitsOf(db, share, connection_ids) : Promise.resolve(new Map());
}

/** In the order of `metricBuckets`. */
export async function answered(
  { query, windows, questions, parts: asked }: MetricRead,
  readings: readonly Reading[],
  limits: ReadonlyMap<number, number>,
): Promise<MetricSeries[]> {
  const { probe, connection_ids } = query;
  if (asked.length === 0) return none(query);
  const series = new Map<Question, Series[]>();
  for (const [index, question] of questions.all.entries()) {
    const reading = readings[index];
    if (reading) series.set(question, await seriesOf({ reading, question, windows }));
  }
  const found = asked.flatMap(({ metric, parts }) =>
    ofMetric(
      measuredFor(probe, metric),
      parts.map((part) => series.get(part) ?? []),
    ).map((one) => shareOf(one, metric, limits)),
  );
  const byConnection = Map.groupBy(found, ({ connection_id }) => connection_id);
  return connection_ids.flatMap((id) => byConnection.get(id) ?? []);
}

/** Of several probes, each by itself, read together. */
export async function metricBucketsOf(db: Db, queries: readonly MetricsQuery[]): Promise<MetricSeries[][]> {
  const asked = queries.map(askedOf);
  const [readings, limits] = await Promise.all([
    readInquiries(
      db,
      asked.map(({ questions, windows }) => ({ questions: questions.all, windows })),
    ),
    Promise.all(queries.map((query) => limitsFor(db, query))),
  ]);
  return Promise.all(
    asked.map((one, index) => answered(one, readings[index] ?? [], limits[index] ?? new Map())),
  );
}

/** By connection, then by metric as asked, then by group. A probe that keeps no samples has series of no values. */
export async function metricBuckets(db: Db, query: MetricsQuery): Promise<MetricSeries[]> {
  const [series = []] = await metricBucketsOf(db, [query]);
  return series;
}
