// What a probe is: pure data that says what to read from a monitored server, how often and under which limits.
// Storage, coverage, catalog, tests and the wire all come from this one object. Invariant: a probe's statement reads
// only, names everything with its schema (the monitored server's own objects are not trusted) and yields exactly
// the declared columns on every supported version; what a version lacks is null.

import type { ProbeCaps } from './caps.ts';
import type { Births, Compare } from './comparing.ts';
import type { HostFamily } from './hosts/types.ts';
import type { MetricDeclaration } from './metric-types.ts';
import type { Unwatched } from './most-important.ts';
import type { SettingName } from './requirements/dependencies.ts';

/** How a value travels and is kept. 64-bit integers are numbers while exact, else text; timestamps RFC 3339 in UTC. */
export type ColumnType =
  | 'text'
  | 'integer'
  | 'bigint'
  | 'double precision'
  | 'boolean'
  | 'timestamp with time zone'
  | 'text[]'
  | 'jsonb';

/**
 * What a value means: `key` names the object a row is about, `label` describes it, `gauge` is a level, `counter`
 * only grows (until a reset), `time` is a moment.
 */
export type ColumnKind = 'key' | 'label' | 'gauge' | 'counter' | 'time';

export type Unit = 'bytes' | 'ms' | 'seconds' | 'percent' | 'count' | 'blocks' | 'rows' | 'transactions';

/** How the values of several entities at one moment become one. */
export type Combine = 'sum' | 'avg' | 'max' | 'min';

export interface Column {
  /** Snake case, with the unit in the name where PostgreSQL has no name of its own. */
  readonly name: string;
  readonly type: ColumnType;
  readonly kind: ColumnKind;
  readonly unit?: Unit;
  readonly description: string;
  /** Where the unit does not say it (see combineOf): tables, slots or databases together are their sum, mean or worst. */
  readonly combine?: Combine;
  /** The text may hold statements of others: secrets in it are blanked before anything keeps it. */
  readonly scrub?: true;
  /** It is the name of an object whose id stands in that column: what is no text in it is told apart by that. */
  readonly oid?: string;
  /** The value of a parameter whose name stands in that column: masked where the operator says so. */
  readonly parameter?: string;
}

/** What one database of a monitored server really offers; read from its catalogs, not from its version. */
export interface Capabilities {
  /** server_version_num, e.g. 180004. */
  readonly version_num: number;
  /** Whether our role may execute pg_control_system() and pg_control_checkpoint(). */
  readonly may_read_control: boolean;
  /** Columns that our role may read of the views that probes name, by qualified name; of a missing view none. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** Extensions installed in this database, with their version. */
  readonly extensions: ReadonlyMap<string, string>;
  /** The schema each extension's objects are in, quoted and ready for SQL, e.g. `"public"`. */
  readonly extensionSchemas: ReadonlyMap<string, string>;
  /** Those of these schemas that our role may not use, by extension, as they are called. */
  readonly closedSchemas: ReadonlyMap<string, string>;
  /** Those of the predefined roles that show hidden values whose rights our role has. */
  readonly roles: ReadonlySet<string>;
  /** Those of the functions that probes name which are there and which our role may execute. */
  readonly functions: ReadonlySet<string>;
}

/** Predefined roles without whose rights servers hide values. */
export const UNMASKING_ROLES = ['pg_read_all_settings', 'pg_read_all_stats'] as const;

interface Declared {
  readonly name: string;
  readonly description: string;
  /** S: once for the server. D: in each connectable database that is no template. */
  readonly level: 'S' | 'D';
  readonly intervalSeconds: number;
  /** Of a probe that guards against disaster: the budget of our own cost never makes it rarer than this. */
  readonly guardSeconds?: number;
  /** While a person looks at what it reads, where that is more often than it is set to. */
  readonly watchedSeconds?: number;
  readonly retentionDays: number;
  /**
   * Runs less often while nothing goes on: each run without a row that is `busy` (has that text in that column) makes
   * the interval longer by the declared one, up to `slowestSeconds`; the first one with such a row brings it back.
   */
  readonly adaptive?: {
    readonly slowestSeconds: number;
    readonly busy: { readonly column: string; readonly value: string };
  };
  /**
   * `snapshot` keeps the newest rows. `samples` keeps every run's rows as typed rows, for values of a server or a
   * database. `objects` keeps families of objects, changed ones only, with counters as deltas. `change-tracked` keeps
   * the history of each item. Objects and items are named by the key columns.
   */
  readonly keeps: 'snapshot' | 'samples' | 'objects' | 'change-tracked';
  /**
   * How objects are rolled up; one by one when absent. `wait-class` is for combinations that are too many and too
   * short-lived for that: sessions are summed by the class of what they wait for.
   */
  readonly rollUpBy?: 'wait-class';
  readonly columns: readonly Column[];
  /** Beyond gauges, counters and their rates, which are metrics without being named here (metrics.ts). */
  readonly metrics?: readonly MetricDeclaration[];
  /**
   * Views whose columns decide the statement, e.g. `pg_catalog.pg_database`; `@extension.view` is one in whatever
   * schema that extension is installed in.
   */
  readonly views?: readonly string[];
  /** Without these the probe is skipped, with a reason. A `relation` is one of `views`. */
  readonly requires?: {
    readonly extension?: string;
    readonly version_num?: number;
    readonly relation?: string;
    /** Of the relation, where another version of it has none. */
    readonly column?: string;
    /**
     * Functions of the server that not everybody may execute, as `pg_catalog.pg_ls_waldir()`. Asked of the catalog: a
     * statement that is refused is a line in the server's log each time.
     */
    readonly functions?: readonly string[];
  };
  /** Settings without which some of its columns stay empty; told when one is off. */
  readonly settings?: readonly SettingName[];
  /** What our role needs beyond pg_monitor, e.g. `select on pg_catalog.pg_hba_file_rules`; said when it is refused. */
  readonly grants?: readonly string[];
  /**
   * Without the rights of this role the server hides values of others from us. With `column`, only a row in which
   * that one is null or says so tells that something was hidden.
   */
  readonly hidden?: { readonly without: (typeof UNMASKING_ROLES)[number]; readonly column?: string };
  /**
   * Objects that need a grant of their own before our role learns their values: those in whose rows `column` is false.
   * The coverage says so with the grant for each schema, which stands in `schema`.
   */
  readonly unreadable?: { readonly objects: 'sequences'; readonly column: string; readonly schema: string };
  /** What is said of objects that are not watched: a statement that may leave some out has the column UNWATCHED (most-important.ts). */
  readonly unwatched?: Unwatched;
  /** Rows in which a session hides what it does (that text in that column), by the role and database that it belongs to. */
  readonly silent?: Readonly<Record<'column' | 'value' | 'role' | 'database', string>>;
  /**
   * Of a probe of level D that finds the same in whichever database it runs: it runs in one that can, and the rows
   * belong to the database whose object id stands in `databaseColumn`; without that, every database gets all of them.
   */
  readonly serverWide?: { readonly databaseColumn?: string };
  /** Of what a complete reading before did not have: store/write/objects/changes.ts. */
  readonly births?: Births;
  /** A row of it means that something goes on which that probe measures: it is read again at once. */
  readonly hurries?: string;
  /** Run at each (re)connect and change of role too, whenever it was due. */
  readonly onIdentity?: true;
  /**
   * The collector goes on from the rows: it tries on the server what statements that the probe `from` has read would gain, and adds what
   * came of it to the column `advice`.
   */
  readonly refine?: { readonly by: 'index-advice'; readonly from: string };
  /** What only two readings can tell: the rows of a reading beside those of the one before, where this process has it. Pure. */
  readonly compare?: Compare;
  /** A column that the collector fills with the round trip of a bare statement, in milliseconds. */
  readonly roundTripColumn?: string;
  readonly caps: ProbeCaps;
}

/** Rows come from a statement on the monitored server. */
export interface SqlProbe extends Declared {
  readonly host?: never;
  /**
   * A query for a server with these capabilities; its columns are the declared ones, in any order. The collector
   * wraps it (probe.queries.ts): it cuts rows and texts to the caps and puts the probe's name in front.
   */
  sql(capabilities: Capabilities): string;
  /** The same for a database with more objects than are kept: those that matter most. */
  mostImportant?(capabilities: Capabilities): string;
  /** The same without the texts of statements, for a server on which one of them keeps it from returning any. */
  withoutTexts?(capabilities: Capabilities): string;
  /** Of a probe with a size that can take the server long: the column with the id, all ids, the size of one ($1), the query with another size. */
  readonly sized?: Readonly<Record<'id' | 'list' | 'one', string>> & {
    sql(capabilities: Capabilities, size: string): string;
  };
  /**
   * For statements, whose texts are long and hardly ever change: a query for the texts of these, asked only for those
   * whose text is not known yet. Columns: dbid, userid, queryid, toplevel, query_text.
   */
  texts?(capabilities: Capabilities, wanted: readonly StatementKey[]): string;
  /** For counters by plan: a query for the plans of these keys (the key columns, with / between), each once. Columns: plan_key, plan_text. */
  plans?(capabilities: Capabilities, wanted: readonly string[]): string;
  /**
   * Of what the server throws away and counts anew: a text that is the same while nothing was thrown away or reset. Undefined
   * where each object says since when it counts (`stats_since`).
   */
  continuity?(capabilities: Capabilities): string | undefined;
}

type Never<K extends string> = { readonly [key in K]?: never };
type WithoutSql = Declared &
  Never<'sql' | 'withoutTexts' | 'sized' | 'mostImportant' | 'texts' | 'plans' | 'continuity'>;

/** Rows come from the sources of host facts (hosts/), whichever knows them. */
export interface HostProbe extends WithoutSql {
  readonly level: 'S';
  readonly host: HostFamily;
}

/** What rules judge of the log of a server (server-log.ts): in no catalog, since nothing is run or stored for it. */
export interface LogProbe extends WithoutSql {
  readonly level: 'S';
  readonly log: true;
  readonly host?: never;
}

export type Probe = SqlProbe | HostProbe | LogProbe;

export function isSqlProbe<P extends Probe>(probe: P): probe is Extract<P, SqlProbe> {
  return probe.sql !== undefined;
}

export function isHostProbe<P extends Probe>(probe: P): probe is Extract<P, HostProbe> {
  return probe.host !== undefined;
}

/** Names a statement, as pg_stat_statements does. */
export interface StatementKey {
  /** Object id of the database. */
  readonly dbid: string;
  readonly userid: string;
  readonly queryid: string;
  readonly toplevel: boolean;
}

const DEFAULT_CAPS = {
  maxRows: 10_000,
  maxBytes: 16 * 1024 * 1024,
  maxText: 8192,
  timeoutMs: 15_000,
} as const satisfies ProbeCaps;

type ProbeInput<N extends string> = Omit<SqlProbe, 'name' | 'caps'> & {
  readonly name: N;
  readonly caps?: Partial<ProbeCaps>;
};

/**
 * Declares a probe. One file in this folder holds one, as `export const probe`; `npm run gen` lists it.
 * @example
 * export const probe = defineProbe({
 *   name: 'pg_stat_slru', description: 'Use of the small caches.', level: 'S', intervalSeconds: 300,
 *   retentionDays: 7, keeps: 'snapshot', columns: [
 *     { name: 'name', type: 'text', kind: 'key', description: 'Cache.' },
 *     { name: 'blks_hit', type: 'bigint', kind: 'counter', unit: 'blocks', description: 'Blocks found.' },
 *   ],
 *   sql: () => 'select s.name, s.blks_hit from pg_catalog.pg_stat_slru s',
 * });
 */
export function defineProbe<const N extends string>(input: ProbeInput<N>): SqlProbe & { readonly name: N } {
  return { ...input, caps: { ...DEFAULT_CAPS, ...input.caps } };
}

type HostProbeInput<N extends string> = Pick<HostProbe, 'description' | 'host' | 'columns' | 'metrics'> & {
  readonly name: N;
  readonly caps?: Partial<ProbeCaps>;
};

/** Declares a probe of the server's machine: every ten minutes, kept for a week. */
export function defineHostProbe<const N extends string>(
  input: HostProbeInput<N>,
): HostProbe & { readonly name: N } {
  const common = { level: 'S', intervalSeconds: 600, retentionDays: 7, keeps: 'samples' } as const;
  return { ...common, ...input, caps: { ...DEFAULT_CAPS, maxRows: 100, maxText: 255, ...input.caps } };
}

/** The names of the columns that tell one item of a change-tracked probe from another; none: there is one item. */
export function keyColumns(probe: Probe): string[] {
  return probe.columns.filter(({ kind }) => kind === 'key').map(({ name }) => name);
}

/** The longest time from one run to the next that the declaration allows: what is younger is not stale. */
export function longestIntervalSeconds(probe: {
  readonly intervalSeconds: number;
  readonly adaptive?: { readonly slowestSeconds: number };
}): number {
  return Math.max(probe.intervalSeconds, probe.adaptive?.slowestSeconds ?? 0);
}

/** Whether the view is there with that column, and our role may read it. */
export function hasColumn(capabilities: Capabilities, view: string, name: string): boolean {
  return capabilities.columns.get(view)?.has(name) ?? false;
}

/** `view.column` where the server has it, else null of that type: one statement for all versions. */
export function columnOrNull(
  capabilities: Capabilities,
  column: { view: string; alias: string; name: string; type: ColumnType },
): string {
  return hasColumn(capabilities, column.view, column.name)
    ? `${column.alias}.${column.name}`
    : `null::${column.type}`;
}
