// What a probe says of two readings that are compared: what only both can tell, and what the first of an object counts. Types only.
type Rows = readonly Readonly<Record<string, unknown>>[];

/** Rows of a reading, taken at a moment in milliseconds, beside those of the one before; undefined: there is none. */
export type Compare = (
  now: { rows: Rows; at: number },
  before: Rows | undefined,
) => Readonly<Record<string, unknown>>[];

export interface Births {
  /** Objects with lower ids belong to all databases at once: a new database shows what they have counted for long. */
  readonly sharedBelow?: number;
  /** A new object may take over the counters of the one whose labels it has, as `reindex concurrently` does. */
  readonly inherits?: true;
  /** Counters belong to these keys alone: rows of other keys come and go beside them, such as workers of a subscription. */
  readonly owners?: readonly string[];
  /** A counter is null while there is nothing to count, such as index scans of a table without an index. */
  readonly startsFromNull?: true;
}
