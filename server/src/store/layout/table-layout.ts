// How a probe's declaration becomes a table: names, columns and key. Pure. Guards: names that a definition brings are
// fit for SQL and clash with nothing of ours; a declaration that cannot be stored is a named problem of that probe.
import { cutText } from '../../kernel/inert-text.ts';
import { identifier, sql } from '../../kernel/sql.ts';
import type { Births } from '../../probes/comparing.ts';
import { type Column, type ColumnType, longestIntervalSeconds, type Probe } from '../../probes/types.ts';

export class LayoutProblem extends Error {}

export interface TableColumn {
  readonly name: string;
  /** As PostgreSQL prints it (format_type). */
  readonly type: string;
  readonly notNull?: true;
}

/** A table of samples as the engine makes it: the key holds connection_id and collected_at, and nothing refers to it. */
export interface MetricTable {
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly key: readonly string[];
  /** Wide rows of arrays, worth compressing. */
  readonly packed: boolean;
}

/** Where and how the runs of a probe are kept. */
export interface TableLayout {
  readonly probe: string;
  readonly keeps: 'samples' | 'objects';
  readonly table: MetricTable;
  /** Declared columns whose values are stored with each run: all of them, or those that are no key and no label. */
  readonly values: readonly Column[];
  readonly keys: readonly Column[];
  readonly labels: readonly Column[];
  /** Rows carry database_name. */
  readonly byDatabase: boolean;
  /** The longest one, where it adapts. */
  readonly intervalSeconds: number;
  /** While something goes on. */
  readonly busyIntervalSeconds: number;
  readonly rollUpBy: 'object' | 'wait-class';
  readonly retentionDays: number;
  readonly births: BirthRules;
}

/** By what the birth of an object is known that a complete reading before did not have. */
export interface BirthRules extends Births {
  /** Objects are thrown away and counted anew: the reading says whether any was, or the object since when it counts. */
  readonly areEvicted: boolean;
  /** A new database brings only objects that were made with it or after it. */
  readonly withDatabase: boolean;
  /** What is listed hangs on the source that was asked, so that nothing follows from what was not listed. */
  readonly unknown: boolean;
}

const birthsOf = ({ births, continuity, level, serverWide, host }: Probe): BirthRules => ({
  ...births,
  areEvicted: continuity !== undefined,
  withDatabase: level === 'D' && (serverWide === undefined || serverWide.databaseColumn !== undefined),
  unknown: host !== undefined,
});

const NAME = /^[a-z][a-z0-9_]{0,44}$/;
const COLUMN = /^[a-z_][a-z0-9_]{0,62}$/;
const TAKEN = new Set(['objects', 'facts', 'current_snapshots']);
const TYPES = new Set<ColumnType>([
  'text',
  'integer',
  'bigint',
  'double precision',
  'boolean',
  'timestamp with time zone',
  'text[]',
  'jsonb',
]);
/** What an array can hold, one value for each object of a tick. */
const isScalar = (type: ColumnType) => type !== 'text[]' && type !== 'jsonb';
/** `row_no` is a smallint. */
export const MOST_SAMPLE_ROWS = 32_000;

const SYSTEM = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']);

/** The name a column has in the table: its own, but for those that PostgreSQL keeps for itself. */
export const storedName = (name: string): string => (SYSTEM.has(name) ? `${name}_` : name);

const CONNECTION = { name: 'connection_id', type: 'integer', notNull: true } as const;
const AT = { name: 'collected_at', type: 'timestamp with time zone', notNull: true } as const;
const DATABASE = { name: 'database_name', type: 'text', notNull: true } as const;

function samplesTable(probe: Probe): MetricTable {
  const byDatabase = probe.level === 'D' ? [DATABASE] : [];
  return {
    name: probe.name,
    packed: false,
    columns: [
      CONNECTION,
      // Position within the run; together with the next one it fills a hole that alignment would leave.
      { name: 'row_no', type: 'smallint', notNull: true },
      // Tells one life of a server from another: their counters have nothing to do with each other.
      { name: 'server_instance', type: 'smallint' },
      AT,
      ...byDatabase,
      ...probe.columns.map(({ name, type }) => ({ name: storedName(name), type })),
    ],
    key: ['connection_id', ...byDatabase.map(({ name }) => name), 'collected_at', 'row_no'],
  };
}

/** Kinds whose values change from run to run; the rest is kept once, in the dictionary. */
const isValue = ({ kind }: Column) => kind === 'gauge' || kind === 'counter' || kind === 'time';

function ticksTable(probe: Probe): MetricTable {
  return {
    name: `${probe.name}__ticks`,
    packed: true,
    columns: [
      CONNECTION,
      { name: 'keyframe', type: 'boolean', notNull: true },
      // A keyframe of every object; one without holds only those that are new or were reset.
      { name: 'whole', type: 'boolean', notNull: true },
      AT,
      // The tick that the increases of this one count from; null in keyframes.
      { name: 'since', type: 'timestamp with time zone' },
      DATABASE,
      { name: 'object_ids', type: 'integer[]', notNull: true },
      { name: 'gone_ids', type: 'integer[]' },
      ...probe.columns
        .filter(isValue)
        .map(({ name, type }) => ({ name: storedName(name), type: `${type}[]` })),
    ],
    key: ['connection_id', 'database_name', 'collected_at', 'keyframe'],
  };
}

function check(probe: Probe, table: MetricTable): void {
  if (!NAME.test(probe.name) || TAKEN.has(probe.name) || probe.name.endsWith('__ticks'))
    throw new LayoutProblem(`A probe cannot be named ${JSON.stringify(cutText(probe.name, 80))}.`);
  const seen = new Set<string>(['connection_id', 'collected_at', 'database_name', 'object_id']);
  for (const column of probe.columns) {
    const { name, type } = column;
    const isStorable = probe.keeps === 'samples' || !isValue(column) || isScalar(type);
    if (!COLUMN.test(name) || !TYPES.has(type) || !isStorable)
      throw new LayoutProblem(`Probe ${probe.name}: a column ${JSON.stringify(name)} cannot be stored.`);
    if (seen.has(name)) throw new LayoutProblem(`Probe ${probe.name}: the name ${name} is taken.`);
    seen.add(name);
  }
  const names = table.columns.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new LayoutProblem(`Probe ${probe.name}: the name ${twice} is taken.`);
}

/** The layout of a probe that keeps samples or objects; undefined for others. Throws LayoutProblem. */
export function layoutOf(probe: Probe): TableLayout | undefined {
  if (probe.keeps !== 'samples' && probe.keeps !== 'objects') return undefined;
  const { keeps } = probe;
  const table = keeps === 'samples' ? samplesTable(probe) : ticksTable(probe);
  check(probe, table);
  return {
    probe: probe.name,
    keeps,
    table,
    values: keeps === 'samples' ? probe.columns : probe.columns.filter(isValue),
    keys: probe.columns.filter(({ kind }) => kind === 'key'),
    labels: probe.columns.filter(({ kind }) => kind === 'label'),
    byDatabase: keeps === 'objects' || probe.level === 'D',
    intervalSeconds: longestIntervalSeconds(probe),
    busyIntervalSeconds: probe.intervalSeconds,
    rollUpBy: probe.rollUpBy ?? 'object',
    retentionDays: probe.retentionDays,
    births: birthsOf(probe),
  };
}

/** Columns by whose change a reset shows, besides a counter that falls. */
export const isResetTime = ({ name, kind }: Column): boolean =>
  kind === 'time' && (name === 'stats_reset' || name === 'stats_since');

/** As statements name it. */
export const table = (name: string) => sql`metrics.${identifier(name)}`;
export const databaseOf = ({ byDatabase }: TableLayout) =>
  byDatabase ? sql`t.database_name` : sql`''::text`;

/** How often families of objects are stored whole: readers of slow ones look back an hour for one. Frequent ticks have it sooner, since those after it stay raw. */
export const KEYFRAME_MS = 3_600_000;
const MOST_TICKS = 60;

/** The first tick as long after a whole one, or longer, is whole as well. */
export const keyframeMs = ({ intervalSeconds }: TableLayout): number =>
  Math.min(KEYFRAME_MS, MOST_TICKS * intervalSeconds * 1000);
