// What the collector hands to the store: outcomes as data. Each carries the epoch of the lease it was collected
// under; the store accepts nothing under an epoch that has passed to somebody else.
import type { Cause, RanCause } from '../../probes/causes.ts';

export type Value = string | number | boolean | null;
/** A row under the probe's column names. */
export type Row = Readonly<Record<string, unknown>>;

/** How a value of a row as the server sent it is decoded. */
export interface RowDecoder<Sent> {
  readonly columns: readonly string[];
  value(sent: Sent, column: string): unknown;
}

/**
 * A row that the server sent with the same bytes at the reading before. Most rows of objects are, and few of their values are ever
 * asked for, so a value is decoded when it is.
 */
export class UnchangedRow<Sent = unknown> {
  readonly #sent: Sent;
  readonly #decoder: RowDecoder<Sent>;

  constructor(sent: Sent, decoder: RowDecoder<Sent>) {
    this.#sent = sent;
    this.#decoder = decoder;
  }

  value(column: string): unknown {
    return this.#decoder.value(this.#sent, column);
  }

  whole(): Row {
    return Object.fromEntries(this.#decoder.columns.map((column) => [column, this.value(column)]));
  }
}

export type ReadRow = Row | UnchangedRow;

export const valueIn = (row: ReadRow, column: string): unknown =>
  row instanceof UnchangedRow ? row.value(column) : row[column];

export const wholeRows = (rows: readonly ReadRow[]): Row[] =>
  rows.map((row) => (row instanceof UnchangedRow ? row.whole() : row));

/** One of 53 bits for each row; NaN: not known. Never changed, so that all who remember it hold the same. */
export type Digests = Float64Array;

export interface Ran<R extends ReadRow = ReadRow> {
  readonly kind: 'ran';
  /** Milliseconds since the epoch at which the rows were read. */
  readonly collected_at: number;
  readonly rows: readonly R[];
  /** A number for each row that tells whether it is as it was, where the answer was compared before it was read. */
  readonly digests?: Digests;
  /** About what the values took on the way here. */
  readonly bytes?: number;
  /** Change-tracked: the columns that name an item; an empty list for a probe with one item. */
  readonly history_by: readonly string[] | undefined;
  /** Something worth saying about rows that were read all the same, e.g. that some were cut off. */
  readonly note?: string;
  /** There were more rows than are kept. */
  readonly is_cut?: true;
  /** The same from one reading to the next as long as the server threw away and reset nothing of what is counted. */
  readonly continuity?: string;
  /** Values were hidden from our role, or a setting leaves some empty; the note says so, and `mend` mends it. */
  readonly cause?: RanCause;
  readonly mend?: string | null;
}

/** A normal state: the reason in plain words, and the SQL or command that mends it where there is one. */
export interface Skipped {
  readonly kind: 'skipped';
  /** Absent when it is none of these. */
  readonly cause?: Exclude<Cause, 'masked' | 'incomplete'>;
  readonly reason: string;
  readonly mend: string | null;
}

export interface Failed {
  readonly kind: 'failed';
  readonly reason: string;
  readonly mend?: string | null;
}

export type Outcome<R extends ReadRow = ReadRow> = Ran<R> | Skipped | Failed;

export interface ProbeRun {
  readonly connection_id: number;
  readonly epoch: number;
  readonly probe: string;
  /** '' for the whole server. */
  readonly database_name: string;
  /** Milliseconds since the epoch. */
  readonly attempted_at: number;
  readonly took_ms: number | null;
  /** Tells one life of the server from another (its identity and start), so that counters are never compared across. */
  readonly server_instance?: string;
  /** When another server answered at this address for the first time: what differs from what was read before is no change. */
  readonly switched_at?: number;
  /**
   * When all databases of this life of the server were listed last without this one: what it holds was made since then. Absent where
   * nobody knows.
   */
  readonly made_after?: number;
  readonly outcome: Outcome;
}

/** How the collector's session on a connection is doing; times in milliseconds since the epoch. */
export interface ConnectionReport {
  readonly connection_id: number;
  readonly epoch: number;
  readonly at: number;
  /** Null: connected. Otherwise why not, in our own words. */
  readonly error: string | null;
  readonly consecutive_failures: number;
}

/** The databases that exist on a server: whatever is known of others is over. */
export interface Roster {
  readonly connection_id: number;
  readonly epoch: number;
  readonly at: number;
  readonly databases: readonly string[];
}
