// What is stored of a log, whichever way its lines came: counts of all events by minute, and rows of those that matter, with masked texts.
import type { Figures } from '../../logs/types.ts';
import type { PlanSource } from './plan-sources.schemas.ts';

export interface CountRow {
  readonly minute: number;
  readonly class: string;
  readonly sqlstate: string;
  readonly severity: string;
  readonly database_name: string;
  events: number;
  kept: number;
}

export type NameKind = 'user' | 'application';

/** Of ten minutes. */
export interface NameCount {
  readonly slot: number;
  readonly kind: NameKind;
  readonly name: string;
  events: number;
  /** Of those, how many are an ERROR, FATAL or PANIC. */
  errors: number;
}

export interface EventRow {
  readonly occurred_at: number;
  readonly class: string;
  readonly severity: string;
  readonly sqlstate: string;
  readonly database_name: string;
  readonly user_name: string;
  readonly application_name: string;
  readonly process_id: string;
  /** Of the statement; '' where the log does not say it. */
  readonly queryid: string;
  readonly message: string;
  readonly detail: string;
  readonly hint: string;
  readonly context: string;
  readonly statement: string;
  readonly figures: Figures;
  /** The table that it is about, as `database.schema.table`. */
  readonly relation_name: string | null;
  readonly is_cut: boolean;
}

/** The plan of a statement in one shape, as it was seen in lines of a log, counted by an extension, or made to be looked at. */
export interface SeenPlan {
  readonly database_name: string;
  readonly statement_key: string;
  readonly plan_hash: string;
  readonly source: PlanSource;
  readonly outline: string;
  readonly nodes: number;
  first_seen: number;
  last_seen: number;
  logged: number;
  planned: number;
  total_ms: number;
  worst_ms: number | null;
  analyzed: number;
  /** Runs of which blocks are known. */
  buffered: number;
  total_rows: number;
  hit_blocks: number;
  read_blocks: number;
  temp_blocks: number;
  jit_ms: number;
  misestimates: number[];
  example: string | null;
  example_at: number;
  example_ms: number | null;
}

/** Lines as they are stored: packed, with what tells whether a search has to read them. */
export interface LineBlock {
  readonly first_at: number;
  readonly last_at: number;
  readonly events: number;
  readonly unpacked_bytes: number;
  readonly classes: readonly string[];
  readonly severities: readonly string[];
  readonly sqlstates: readonly string[];
  readonly words: Buffer;
  readonly body: Buffer;
}

/** Room for lines, in bytes of the log. */
export interface LineRoom {
  readonly bytes: number;
}

export interface PieceEvents {
  readonly counts: readonly CountRow[];
  readonly names: readonly NameCount[];
  /** Those that matter. */
  readonly events: readonly EventRow[];
  /** Of all others, those that are kept for some days. */
  readonly blocks: readonly LineBlock[];
  /** Of auto_explain. */
  readonly plans: readonly SeenPlan[];
  /** When the newest of them occurred; undefined where none has a time. */
  readonly newest: number | undefined;
  /** How far ahead of our clock the time of the latest was that is still to come; undefined where none is. */
  readonly ahead_ms?: number | undefined;
  /** What is said of how this log is read. */
  readonly notice?: string | undefined;
}

/** Lines of a log, to be counted. */
export interface LogPiece {
  readonly bytes: Buffer;
  /** log_line_prefix of the server; found out where it is not known. */
  readonly prefix: string | undefined;
  /** Of times whose zone stands for several. */
  readonly time_zone: string;
  /** How far the clock that wrote them is ahead of ours; absent: not known. */
  readonly ahead_ms?: number;
  /** Of events without a time, and of lines that are none. */
  readonly now: number;
  /** Constants of statements stay; secrets are masked all the same. */
  readonly keep_literals?: boolean | undefined;
  /** How much may be kept of it besides what matters. */
  readonly room?: LineRoom | undefined;
  /** Secrets of our own settings, on top of those that look like one. */
  scrub(text: string): string;
}
