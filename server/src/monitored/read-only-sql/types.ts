// What whoever has a statement run on a monitored server gives and gets.

export interface Column {
  readonly name: string;
  /** As PostgreSQL writes it: `timestamp with time zone`. */
  readonly type: string;
}

/** `rows`: there are more than were asked for. `bytes`: the rest is larger than an answer may be. */
export type CutBy = 'rows' | 'bytes';

export interface Table {
  readonly columns: readonly Column[];
  /** As the server writes them; null is SQL's null. */
  readonly rows: readonly (readonly (string | null)[])[];
  readonly truncated: boolean;
  readonly cut_by: CutBy | null;
  /** Of the cells. */
  readonly bytes: number;
  readonly ms: number;
}

/**
 * `not_one`: no statement or several. `syntax`: PostgreSQL's grammar refuses it. `not_allowed`: it may do more than read. `not_proven`:
 * it calls what somebody made in the database, or asks another server. `role`: the role of the connection may do too much. `server`: the
 * server refused it. `time`: it took too long.
 */
export type WhyRefused = 'not_one' | 'syntax' | 'not_allowed' | 'not_proven' | 'role' | 'server' | 'time';

/** A statement that was not run, or not to its end. The message is for whoever wrote it. */
export class StatementRefused extends Error {
  readonly why: WhyRefused;
  /** Of the server's refusal. */
  readonly sqlstate: string | undefined;

  constructor(why: WhyRefused, message: string, sqlstate?: string) {
    super(message);
    this.name = 'StatementRefused';
    this.why = why;
    this.sqlstate = sqlstate;
  }
}

export interface Prepared {
  /** Of `$1` and so on. */
  readonly parameter_types: readonly string[];
  readonly ms: number;
}
