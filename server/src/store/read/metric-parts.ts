// What is asked of the store for a metric, part by part of its formula (probes/formula.ts), and what its newest values are. Pure.
import { columnsRead, ofRow, partsOf } from '../../probes/formula.ts';
import type { Aggregate } from '../../probes/metric-types.ts';
import type { Metric } from '../../probes/metrics.ts';
import type { Column, Probe } from '../../probes/types.ts';
import type { Cell } from '../format/codec.ts';
import type { Row as ObjectRow } from '../layout/types.ts';
import type { Compared } from './newest-ticks.queries.ts';
import { type Made, madeQuestion, type Question, questionOf, type Selection } from './question.ts';

export type MetricSelection = Omit<Selection, 'column' | 'combine'>;

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
