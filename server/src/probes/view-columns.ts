// The declared columns of a view as a select list that fits every version, and columns that differ in name and description
// alone, declared together. Guards: a column stands under its newest name and in its declared type, and is null where the
// server's own view has none of its names.
import type { Capabilities, Column } from './types.ts';

export interface ViewSource {
  /** As it is listed in the probe's `views`. */
  readonly view: string;
  readonly alias: string;
  /** Names that a column had before, newest first, by its name of today. */
  readonly former?: Readonly<Record<string, readonly string[]>>;
  /** What stands for a column that the view has, instead of the view's own. */
  readonly expressions?: Readonly<Record<string, string>>;
}

/** One column for a select list, e.g. `s.idx_scan::bigint as idx_scan`. */
export function viewColumn(
  capabilities: Capabilities,
  { view, alias, former = {}, expressions = {} }: ViewSource,
  { name, type }: Pick<Column, 'name' | 'type'>,
): string {
  const known = capabilities.columns.get(view);
  const found = [name, ...(former[name] ?? [])].find((candidate) => known?.has(candidate));
  if (found === undefined) return `null::${type} as ${name}`;
  const expression = expressions[found];
  return expression === undefined
    ? `${alias}.${found}::${type} as ${name}`
    : `(${expression})::${type} as ${name}`;
}

/** The columns of a view for a select list, one a line. */
export function viewColumns(
  capabilities: Capabilities,
  source: ViewSource,
  columns: readonly Pick<Column, 'name' | 'type'>[],
): string {
  return columns.map((column) => `  ${viewColumn(capabilities, source, column)}`).join(',\n');
}

type Described = readonly [name: string, description: string];

const described =
  (same: Omit<Column, 'name' | 'description'>) =>
  (columns: readonly Described[]): Column[] =>
    columns.map(([name, description]) => ({ name, ...same, description }));

/** Columns that only grow, of whole numbers in one unit. */
export const counters = (unit: NonNullable<Column['unit']>, columns: readonly Described[]): Column[] =>
  described({ type: 'bigint', kind: 'counter', unit })(columns);

/** Times in milliseconds that only grow. */
export const millisecondCounters = described({ type: 'double precision', kind: 'counter', unit: 'ms' });

/** Levels, as whole numbers in one unit. */
export const gauges = (unit: NonNullable<Column['unit']>, columns: readonly Described[]): Column[] =>
  described({ type: 'bigint', kind: 'gauge', unit })(columns);

/** How many there are, of what is never more than two billion. */
export const counts = described({ type: 'integer', kind: 'gauge', unit: 'count' });

/** Shares of a whole. */
export const percentages = described({ type: 'double precision', kind: 'gauge', unit: 'percent' });

/** Moments. */
export const times = described({ type: 'timestamp with time zone', kind: 'time' });

/** Names and other words. */
export const labels = described({ type: 'text', kind: 'label' });

/** What is so or not. */
export const flags = described({ type: 'boolean', kind: 'label' });

/** 0 where clocks or positions that were read apart say less than that; null where it is unknown, which greatest() would make 0. */
export const notBelowZero = (value: string): string => `case when ${value} < 0 then 0 else ${value} end`;
