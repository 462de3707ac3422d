// What a reader asks, checked: a column of numbers of a probe, over which connections and entities, and how they become
// one. Guards: a name that the probe does not declare is refused in words.
import { Fault } from '../../kernel/errors.ts';
import type { Column, Probe } from '../../probes/types.ts';
import type { Cell } from '../format/codec.ts';
import { type Combine, combineOf } from '../layout/combine.ts';
import { layoutOf, type TableLayout } from '../layout/table-layout.ts';
import type { Aggregate } from './measure.ts';
import { EITHER, type Where } from './plan.queries.ts';

/** Entities are grouped by this as by a column. */
export const DATABASE = 'database_name';

export interface Selection {
  probe: Probe;
  column: string;
  connection_ids: readonly number[];
  aggregate: Aggregate;
  /** How several entities become one value; by default as the column declares. */
  combine?: Combine;
  database_name?: string;
  /** Exact values of key or label columns; a list: one of them. */
  where?: Where;
}

/** Where what is measured is made of several columns of a row of samples. */
export interface Made {
  readonly needs: readonly Column[];
  /** Of the cells of these columns, in their order, and when the row was collected (microseconds since the epoch). */
  valueOf(cells: readonly Cell[], at: number): number | null;
}

export interface Question {
  readonly layout: TableLayout;
  readonly column: Column;
  readonly isCounter: boolean;
  readonly aggregate: Aggregate;
  readonly combine: Combine;
  readonly connection_ids: readonly number[];
  readonly database_name: string | undefined;
  readonly where: Where;
  /** Key and label columns, and `database_name`; `each` entity by itself. */
  readonly group_by: readonly string[] | 'each';
  /** In place of the column's own value; only samples tell it. */
  readonly made?: Made;
}

const NUMERIC = new Set<Column['type']>(['integer', 'bigint', 'double precision']);

/** The layout and column that a query names. */
function askedOf({ probe, column: name }: Selection): { layout: TableLayout; column: Column } {
  const layout = layoutOf(probe);
  const column = probe.columns.find((one) => one.name === name);
  if (!layout) throw new Fault('bad_request', `The probe ${probe.name} keeps no samples.`);
  const isValue = column?.kind === 'gauge' || column?.kind === 'counter';
  if (!column || !isValue || !NUMERIC.has(column.type))
    throw new Fault('bad_request', `The probe ${probe.name} has no numbers in a column of that name.`);
  return { layout, column };
}

/** Refuses dimensions that the probe does not have. */
function demandDimensions(
  layout: TableLayout,
  { database_name, where = {} }: Pick<Selection, 'database_name' | 'where'>,
  group_by: Question['group_by'],
): void {
  const dimensions = new Set([...layout.keys, ...layout.labels].map(({ name }) => name));
  const asked = [
    ...Object.keys(where).flatMap((name) => name.split(EITHER)),
    ...(group_by === 'each' ? [] : group_by),
  ];
  const unknown = asked.find((name) => !dimensions.has(name) && !(name === DATABASE && layout.byDatabase));
  if (unknown !== undefined || DATABASE in where)
    throw new Fault('bad_request', `The probe ${layout.probe} has no dimension of one of these names.`);
  if (database_name !== undefined && !layout.byDatabase)
    throw new Fault('bad_request', `The probe ${layout.probe} does not tell databases apart.`);
}

/** What is made of several columns, as if it were one. */
export function madeQuestion(
  selection: Omit<Selection, 'column' | 'combine'> & { column: Column; made: Made },
  group_by: Question['group_by'],
): Question {
  const { probe, column, aggregate, connection_ids, database_name, where = {}, made } = selection;
  const layout = layoutOf(probe);
  if (layout?.keeps !== 'samples')
    throw new Fault('bad_request', `The probe ${probe.name} keeps no samples of its rows.`);
  demandDimensions(layout, selection, group_by);
  const combine = combineOf(column);
  const common = { layout, column, isCounter: false, aggregate, combine };
  return { ...common, connection_ids, database_name, where, group_by, made };
}

export function questionOf(selection: Selection, group_by: Question['group_by']): Question {
  const { layout, column } = askedOf(selection);
  const { aggregate, connection_ids, database_name, where = {} } = selection;
  demandDimensions(layout, selection, group_by);
  const isCounter = column.kind === 'counter';
  if (isCounter && aggregate !== 'sum' && aggregate !== 'rate')
    throw new Fault('bad_request', 'Counters are read as sum or rate.');
  if (!isCounter && aggregate === 'rate') throw new Fault('bad_request', 'Only counters have a rate.');
  // Increases of entities and databases always add up.
  const combine = isCounter ? 'sum' : (selection.combine ?? combineOf(column));
  return { layout, column, isCounter, aggregate, combine, connection_ids, database_name, where, group_by };
}

/** Names of keys and labels that the question is about. */
export const dimensionsOf = ({ where, group_by }: Question): string[] => [
  ...new Set([
    ...Object.keys(where),
    ...(group_by === 'each' ? [] : group_by.filter((one) => one !== DATABASE)),
  ]),
];

/** Names of keys and labels by which its groups are told apart. */
export const namesOf = ({ layout, group_by }: Question): string[] =>
  group_by === 'each' ? layout.keys.map(({ name }) => name) : group_by.filter((name) => name !== DATABASE);
