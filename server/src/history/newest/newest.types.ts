// What is asked of the newest values of metrics, and what is answered.
import type { Metric } from '../../probes/metrics.ts';
import type { Probe } from '../../probes/types.ts';
import type { Row } from '../../store/layout/types.ts';
import type { Compared } from '../../store/read/doors/newest.ts';

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
  object: Row;
  /** Of the newest sample that counts; null: nobody knows. */
  at: string | null;
  value: number | null;
  /** It is so much or more, and nobody knows how much. */
  isAtLeast?: true;
  /** What the value is made of, in words; absent where it says it itself. */
  says?: string;
}
