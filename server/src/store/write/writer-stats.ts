// What the writer says of itself.
export interface WriterStats {
  waiting_runs: number;
  waiting_bytes: number;
  dropped_runs: number;
  statements: number;
  /** The spool holds what the datastore has not, besides what is in memory. */
  is_behind: boolean;
}
