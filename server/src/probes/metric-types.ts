// What a metric is: a number that charts, alert rules and baselines show and judge, declared beside the columns it is made
// of. Pure data: the formula stands here and nowhere else, and formula.ts is the one reader of it.
import type { Combine, Unit } from './types.ts';

/** Of counters `sum` (the increase) and `rate` (a second); of gauges all but `rate`, where `sum` adds up the samples. */
export type Aggregate = 'avg' | 'min' | 'max' | 'sum' | 'last' | 'rate';

/** Units on the wire, where `/s` is added for rates; empty: a plain number. */
export type MetricUnit = Exclude<Unit, 'transactions'> | 'days' | '';

/** What the probe of a metric says how full it is, and whose date is kept (history/runway). */
export type DatedKind =
  | 'disk'
  | 'transaction_ids'
  | 'multixact_ids'
  | 'sequence'
  | 'replication_slot'
  | 'connections';

type Cell = string | number | boolean | null;

/** What a row has to be to count. */
export type Condition =
  | { readonly column: string; readonly in: readonly Cell[] }
  | { readonly column: string; readonly notIn: readonly Cell[] }
  /** Less than another column of the same row. */
  | { readonly column: string; readonly lessThan: string }
  | { readonly column: string; readonly least: number }
  /** One of these at least. */
  | { readonly either: readonly Condition[] };

export interface Floor {
  readonly column: string;
  readonly least: number;
}

/** Increases over increases in the same time: hits of all reads, time of a call. */
export interface IncreaseRatio {
  readonly kind: 'ratio of increases';
  /** Added up, like those of `to`. */
  readonly of: readonly string[];
  readonly to: readonly string[];
  /** 100 for percent. */
  readonly scale: number;
  /** With a smaller denominator nothing can be said. */
  readonly least?: number;
}

export type MetricValue =
  /** A level as it is; `where`: of the rows that meet it. */
  | { readonly kind: 'gauge'; readonly column: string; readonly where?: readonly Condition[] }
  /** What a counter grew, in a bucket or, as the newest value, in the last hour. */
  /** With `where`, the newest value is 0 while the newest row does not meet it. */
  | { readonly kind: 'increase'; readonly column: string; readonly where?: readonly Condition[] }
  /** The same by second of the time that was measured. */
  | { readonly kind: 'rate'; readonly column: string }
  | IncreaseRatio
  /** Levels over levels, or over a limit that never changes. */
  | {
      readonly kind: 'ratio of gauges';
      readonly of: readonly string[];
      readonly to: readonly string[] | number;
      readonly scale: number;
      readonly least?: number;
      /** What it is where the denominator is 0; unknown when absent. */
      readonly empty?: number;
      /** As the newest value, 0 while one of these columns is known to be smaller: what is so small does no harm. */
      readonly floors?: readonly Floor[];
    }
  /** 1 for a row that meets all of it, else 0: their sum is a count, their maximum a yes or no. */
  | {
      readonly kind: 'rows';
      readonly where: readonly Condition[];
      /** Of a list that tells many rows as one: how many a row stands for; 1 where that is null. */
      readonly times?: string;
    }
  /** Seconds from a moment in the row until it was collected, of rows that meet all of `where`, else 0. */
  | { readonly kind: 'age'; readonly since: string; readonly where: readonly Condition[] }
  /** Another metric of this probe over what another probe knows as its limit, as that is known now. */
  | {
      readonly kind: 'share';
      readonly of: string;
      readonly limit: { readonly probe: string; readonly column: string };
      readonly scale: number;
    }
  /** Objects whose ratio of increases is above that. Only as the newest value. */
  | { readonly kind: 'objects above'; readonly ratio: IncreaseRatio; readonly above: number }
  /**
   * How many times what it was in the day before an object's ratio of increases is in the last hour: of objects with at least
   * `share` percent of what the ratio is of in their database, and a denominator of `least` in both times. Only as the newest value.
   */
  | {
      readonly kind: 'times before';
      readonly ratio: IncreaseRatio;
      readonly unit: MetricUnit;
      readonly share: number;
    }
  /** Hours since one of these levels passed the limit beside it; 0 below both. Only as the newest value. */
  | { readonly kind: 'hours above'; readonly pairs: readonly (readonly [column: string, limit: string])[] }
  /** Days from when it was found until that runs out, as it is kept. Only as the newest value. */
  | { readonly kind: 'days left'; readonly of: DatedKind }
  /** Events of these classes in the log in the last hour, or the most within one minute of it. Only as the newest value. */
  | { readonly kind: 'log events'; readonly classes: readonly string[]; readonly per?: 'minute' }
  /** Events of severity PANIC in the log in the last hour, of whatever class. Only as the newest value. */
  | { readonly kind: 'log panics' }
  /** The greatest such figure of logged events of these classes in the last minutes, times `scale`. Only as the newest value. */
  | {
      readonly kind: 'log figure';
      readonly classes: readonly string[];
      readonly figure: string;
      readonly scale: number;
      readonly minutes: number;
    }
  /**
   * Logged errors of a class in the last hour over their hourly mean in the day before, which is taken for `leastUsual` at least. Only as
   * the newest value.
   */
  | { readonly kind: 'log errors'; readonly leastUsual: number; readonly except: readonly string[] }
  /**
   * How many times as long a run of a statement takes as with its plan before, where the log shows that another plan is slower. Only as the
   * newest value.
   */
  | { readonly kind: 'plan regression' }
  /** Age of the newest sample of every probe, in its intervals. Only as the newest value. */
  | { readonly kind: 'staleness' };

export interface MetricDeclaration {
  /** Within its probe. */
  readonly name: string;
  /** As rules name it; the probe's name and its own with a dot between when absent. */
  readonly wireName?: string;
  readonly unit: MetricUnit;
  readonly description: string;
  /** How the values of several entities at one moment become one. */
  readonly combine: Combine;
  readonly worse?: 'more' | 'less';
  readonly value: MetricValue;
}
