// What is kept of the plan of a statement: how it is planned, what it had cost by then, and the plan that it is measured by.
import type { PlanSource } from '../../estate/estate.ts';

/** What was counted of a statement, and of all statements of its database. */
export interface Counted {
  readonly calls: number;
  readonly time_ms: number;
  readonly all_ms: number;
}

export interface PlanBefore {
  readonly shape: string;
  readonly mean_ms: number;
  readonly calls: number;
  /** When another plan was first seen, in milliseconds since the epoch. */
  readonly changed_at: number;
  /** When this one was seen last. */
  readonly base: Counted;
}

export interface KeptPlan extends Counted {
  readonly database_name: string;
  readonly queryid: string;
  readonly shape: string;
  /** Milliseconds since the epoch. */
  readonly seen_at: number;
  /** Null: no other plan was seen. */
  readonly before: PlanBefore | null;
}

/** By database and statement. */
export type KeptPlans = ReadonlyMap<string, KeptPlan>;

export const planKey = ({ database_name, queryid }: Pick<KeptPlan, 'database_name' | 'queryid'>): string =>
  `${database_name}\n${queryid}`;

/** A statement whose plan is slower than one before, in the log or as an extension counts it. */
export interface LoggedRegression {
  readonly database_name: string;
  /** Or `text:` and a hash of the statement, where the log does not say it. */
  readonly queryid: string;
  readonly source: PlanSource;
  readonly outline: string;
  readonly outline_before: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly runs: number;
  readonly before_runs: number;
  readonly mean_ms: number;
  readonly before_mean_ms: number;
  /** That the plan reads, by their names. */
  readonly tables: readonly string[];
  /** What changed between the two, a line each. */
  readonly changes: readonly string[];
}

/** Of statements that have had several plans in the log. */
export interface LoggedPlans {
  readonly regressions: readonly LoggedRegression[];
  /** With the plan that they have now. */
  readonly means: readonly {
    readonly database_name: string;
    readonly queryid: string;
    readonly mean_ms: number;
  }[];
}

/** Slower by so much, and so much time lost, is worth a warning and an alert. */
export const NOTABLE_FACTOR = 3;
export const NOTABLE_MS = 60_000;

/** What the slower plan has cost more, in milliseconds. */
export const lostBy = ({
  runs,
  mean_ms,
  before_mean_ms,
}: Pick<LoggedRegression, 'runs' | 'mean_ms' | 'before_mean_ms'>): number =>
  (mean_ms - before_mean_ms) * runs;
