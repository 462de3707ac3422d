// What an event of a PostgreSQL log is, and what a class of events is: pure data. Guards: texts are kept as one character a byte
// (text.ts decodes what is shown), so that a line is never decoded only to be counted.

/** As PostgreSQL names them in English, whatever the language of the file. */
export const SEVERITIES = ['DEBUG', 'LOG', 'INFO', 'NOTICE', 'WARNING', 'ERROR', 'FATAL', 'PANIC'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface LogEvent {
  /** Milliseconds since 1970, or NaN where the line has no time that can be read. */
  time: number;
  severity: Severity;
  /** '' where the file does not say it; the class may know it from the text. */
  sqlstate: string;
  pid: string;
  user: string;
  database: string;
  application: string;
  host: string;
  message: string;
  detail: string;
  hint: string;
  context: string;
  statement: string;
  /** The statement within a function that failed. */
  query: string;
  /** Of the statement, 64 bits as text; absent where the file does not say it. */
  queryid?: string;
  /** Lines of the file that the event takes. */
  lines: number;
  /** Something of it was left out, since it was longer than events may be. */
  isCut: boolean;
}

/** What a class is for a person: to act at once, to look into, to know, or the normal work of a server. */
export type Weight = 'critical' | 'warning' | 'info' | 'normal';

export type Group =
  | 'server'
  | 'connections'
  | 'locks'
  | 'statements'
  | 'maintenance'
  | 'checkpoints'
  | 'replication'
  | 'damage'
  | 'errors';

/** Numbers that a class takes from an event; null where the version does not say it. */
export type Figures = Readonly<Record<string, number | null>>;

export interface Example {
  /** The oldest version of those that write it so. */
  readonly since: number;
  /** The line as `log_line_prefix = '%m [%p] '` writes it, with SEVERITY and text. */
  readonly line: string;
}

export interface EventClass {
  readonly name: string;
  readonly group: Group;
  readonly title: string;
  readonly meaning: string;
  readonly weight: Weight;
  /** What to do about it. */
  readonly remedy: string;
  /**
   * English texts by their SQLSTATE: a text begins with the part before the first `…`, has the others in order, and ends with the
   * last one. A text of another SQLSTATE than the one that the file names is none of this class.
   */
  readonly texts?: Readonly<Record<string, readonly string[]>>;
  /** Severities of those texts; all when absent. */
  readonly severities?: readonly Severity[];
  /** SQLSTATEs, or the two characters of a whole class of them, that say it without a text. */
  readonly sqlstates?: readonly string[];
  figures?(event: LogEvent): Figures | undefined;
  /** The table that it is about, as `database.schema.table`. */
  relation?(event: LogEvent): string | undefined;
  readonly examples: readonly Example[];
}

export function defineClass<const C extends EventClass>(one: C): C {
  return one;
}
