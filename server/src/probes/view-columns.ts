// The declared columns of a view as a select list that fits every version. Guards: a column stands under its newest
// name and in its declared type, and is null where the server's own view has none of its names.
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

/** Columns that only grow, of whole numbers in one unit. */
export function counters(unit: NonNullable<Column['unit']>, columns: readonly Described[]): Column[] {
  return columns.map(([name, description]) => ({ name, type: 'bigint', kind: 'counter', unit, description }));
}

/** Times in milliseconds that only grow. */
export function millisecondCounters(columns: readonly Described[]): Column[] {
  return columns.map(([name, description]) => ({
    name,
    type: 'double precision',
    kind: 'counter',
    unit: 'ms',
    description,
  }));
}

/** Levels, as whole numbers in one unit. */
export function gauges(unit: NonNullable<Column['unit']>, columns: readonly Described[]): Column[] {
  return columns.map(([name, description]) => ({ name, type: 'bigint', kind: 'gauge', unit, description }));
}

/** Moments. */
export function times(columns: readonly Described[]): Column[] {
  return columns.map(([name, description]) => ({
    name,
    type: 'timestamp with time zone',
    kind: 'time',
    description,
  }));
}

/** Names and other words. */
export function labels(columns: readonly Described[]): Column[] {
  return columns.map(([name, description]) => ({ name, type: 'text', kind: 'label', description }));
}

/** 0 where clocks or positions that were read apart say less than that; null where it is unknown, which greatest() would make 0. */
export const notBelowZero = (value: string): string => `case when ${value} < 0 then 0 else ${value} end`;
