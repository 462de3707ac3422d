// What became of the newest run of each probe on a server, as checks of our own reading see it. Pure.

export interface ProbeRun {
  readonly probe: string;
  /** '': the server as a whole. */
  readonly database_name: string;
  readonly outcome: 'ran' | 'skipped' | 'failed';
  readonly cause: string | null;
  readonly reason: string | null;
  /** What mends it, where there is such a thing. */
  readonly mend: string | null;
  /** Of its newest rows, in milliseconds since the epoch; null: there never were any. */
  readonly collected_at: number | null;
  /** Its newest rows are of now, by the rule that says what a gap is. */
  readonly isCurrent: boolean;
  /** Seconds between runs, as it runs now and as it is set; null: nobody knows. */
  readonly interval: number | null;
  readonly intervalSet: number | null;
  /** Why it runs less often than it is set to. */
  readonly slowedBecause: string | null;
}

/** Words for places where a probe was not read. */
export function placesOf(runs: readonly ProbeRun[]): string {
  const all = new Set(runs.map(({ database_name }) => database_name));
  const databases = [...all].filter((name) => name !== '');
  if (databases.length === 0) return '';
  return databases.length === 1 ? ` in database "${databases[0]}"` : ` in ${databases.length} databases`;
}

export const namesOf = (runs: readonly ProbeRun[]): string[] =>
  [...new Set(runs.map(({ probe }) => probe))].toSorted();
