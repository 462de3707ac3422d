// The extensions and settings that what we collect depends on, and what each is for.

export interface KnownExtension {
  /** Works only when it was loaded at the start of the server. */
  readonly preloaded: boolean;
  /** A setting that exists only while it is loaded like that. */
  readonly loadedSetting: string;
  /** Debian's and Red Hat's name of what brings it. */
  readonly package: string;
}

/**
 * Where the extension of statements is made: `public`, where it would be otherwise, is open to every role before 15 and in databases that
 * come from there.
 */
export const STATEMENTS_SCHEMA = 'monitoring';

/** What makes the extension of statements, on every version: the one text of coverage, doctor, findings and connection test. */
export const CREATE_STATEMENTS: readonly string[] = [
  `create schema if not exists ${STATEMENTS_SCHEMA};`,
  `create extension if not exists pg_stat_statements schema ${STATEMENTS_SCHEMA};`,
  `grant usage on schema ${STATEMENTS_SCHEMA} to pg_monitor;`,
];

export const EXTENSIONS = {
  pg_stat_statements: {
    preloaded: true,
    loadedSetting: 'pg_stat_statements.max',
    package: 'postgresql-contrib',
  },
} as const satisfies Record<string, KnownExtension>;

const extensions: ReadonlyMap<string, KnownExtension> = new Map(Object.entries(EXTENSIONS));
export const knownExtension = (name: string) => extensions.get(name);

export interface KnownSetting {
  /** With these the server counts too little. */
  readonly bad: readonly string[];
  readonly good: string;
  /** What stays empty, as the end of a sentence. */
  readonly lacks: string;
  /** The columns that need it; all of its probes when absent. */
  readonly columns?: RegExp;
}

/** All of them take effect without a restart. */
export const SETTINGS = {
  track_activities: {
    bad: ['off'],
    good: 'on',
    lacks: 'what sessions are doing stays unknown',
    columns: /^(?:state|query|query_id|\w+_start|state_change)$/,
  },
  track_counts: { bad: ['off'], good: 'on', lacks: 'nothing is counted of tables, indexes and databases' },
  track_io_timing: {
    bad: ['off'],
    good: 'on',
    lacks: 'times of reads and writes stay zero',
    columns: /(?:^|_)(?:read|write|writeback|extend|fsync)_time$/,
  },
  track_wal_io_timing: {
    bad: ['off'],
    good: 'on',
    lacks: 'times of writing WAL stay zero',
    columns: /^wal_(?:write|sync)_time$/,
  },
  track_functions: { bad: ['none'], good: 'pl', lacks: 'no function is counted' },
  compute_query_id: { bad: ['off'], good: 'auto', lacks: 'statements have no identity and are not counted' },
  'pg_stat_statements.track': { bad: ['none'], good: 'top', lacks: 'no statement is counted' },
} as const satisfies Record<string, KnownSetting>;

export type SettingName = keyof typeof SETTINGS;
const settings: ReadonlyMap<string, KnownSetting> = new Map(Object.entries(SETTINGS));
export const knownSetting = (name: string) => settings.get(name);

/** The columns that a reason is about, by the setting that it names; undefined: it is about all. */
export const columnsOfReason = (reason: string): RegExp | undefined =>
  [...settings].find(([name]) => new RegExp(`(?:^|\\W)${name} is `).test(reason))?.[1].columns;

/** The predefined roles whose rights are looked at. */
export const ROLES = ['pg_monitor', 'pg_read_all_settings', 'pg_read_all_stats'] as const;

/** By these a server logs every statement of a role. */
export const LOG_SETTINGS = ['log_statement', 'log_min_duration_statement', 'log_duration'] as const;
