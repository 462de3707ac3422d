// What one run of a probe may take.

export interface ProbeCaps {
  /** Rows beyond are dropped, and the outcome says so. */
  readonly maxRows: number;
  /** Bytes of one run's values; a run with more is failed. */
  readonly maxBytes: number;
  /** Characters of one text value; longer ones are cut. */
  readonly maxText: number;
  /**
   * Statement timeout on the server: 5 s, or 15 s for what looks at every table, file or statement. Each other one costs
   * every session statements that change it. The client waits a little longer, then gives the session up.
   */
  readonly timeoutMs: number;
}
