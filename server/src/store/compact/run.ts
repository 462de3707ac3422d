// What a run of compaction knows of all tables, and what it reports.
import type { Partition } from '../layout/engine/types.ts';
import type { Filled } from './compact.queries.ts';
import type { SeenDays } from './pack-days.ts';
import type { TierTablesThere } from './tables.ts';

export interface CompactionReport {
  /** Hours of a probe in a database of a connection that were packed. */
  hours: number;
  rows: number;
  /** Days of rollups that were packed. */
  days: number;
  dropped: number;
  problems: string[];
}

/** What all layouts have in common in one run. */
export interface Run {
  there: TierTablesThere;
  /** As they were when it began. */
  partitions: readonly Partition[];
  filled: Filled[];
  report: CompactionReport;
  seenDays: SeenDays;
}

/** What went wrong, for the report. */
export const wordsOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).slice(0, 300);
