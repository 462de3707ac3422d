// What a reader asks, checked: a column of numbers of a probe, over which connections and entities, and how they become
// one; and which entity belongs to which of its groups. Pure. Guards: a name that the probe does not declare is refused in words; a
// sample, an object of a tick and an entity of a rollup that mean the same get the same group, by the text of its values.
import { Fault } from '../../kernel/errors.ts';
import type { Aggregate } from '../../probes/metric-types.ts';
import { combineOf } from '../../probes/metrics.ts';
import type { Column, Combine, Probe } from '../../probes/types.ts';
import type { Cell } from '../format/codec.ts';
import { type SampleRow, textOf } from '../format/rows.ts';
import { Intervals } from '../layout/intervals.ts';
import type { IntervalChange } from '../layout/retention.queries.ts';
import { layoutOf, type TableLayout } from '../layout/table-layout.ts';
import type { Value } from '../layout/types.ts';
import { EITHER, listOf, type PlanRow, type Where } from './plan.queries.ts';

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

/** Whether the rollups of single entities add up to what was asked of the groups. */
export function addsUp(
  { layout, isCounter, aggregate, combine }: Question,
  groupsOf: () => readonly string[],
): boolean {
  if (isCounter) return true;
  const groups = groupsOf();
  if (new Set(groups).size === groups.length) return true;
  if (combine === aggregate) return combine === 'min' || combine === 'max';
  return layout.keeps === 'objects' && combine === 'sum' && aggregate !== 'min' && aggregate !== 'max';
}

export type Group = Readonly<Record<string, Value>>;

/** An entity of the dictionary. */
export interface Entity {
  readonly connection_id: number;
  readonly object_id: number;
  readonly database_name: string;
  /** Of a dimension that was asked for. */
  read(name: string): Value;
}

/** Of rows of a plan, which nobody changes: each question about them has the same entities. */
const entitiesKnown = new WeakMap<readonly PlanRow[], readonly Entity[]>();

function entitiesIn(rows: readonly PlanRow[]): Entity[] {
  const found: Entity[] = [];
  for (const { connection_id, object_ids, database_name, key } of rows) {
    if (connection_id === null || object_ids === null) continue;
    for (const [place, object_id] of object_ids.entries())
      found.push({
        ...{ connection_id, object_id, database_name: database_name ?? '' },
        read: (name) => key?.[name]?.[place] ?? null,
      });
  }
  return found;
}

export function entitiesOf(rows: readonly PlanRow[]): readonly Entity[] {
  const known = entitiesKnown.get(rows) ?? entitiesIn(rows);
  entitiesKnown.set(rows, known);
  return known;
}

/** What is said beside objects, of rows of a plan, which nobody changes: each question would look through thousands. */
const factsKnown = new WeakMap<readonly PlanRow[], readonly PlanRow[]>();

export function factsOf(rows: readonly PlanRow[]): readonly PlanRow[] {
  const known = factsKnown.get(rows) ?? rows.filter(({ part }) => part !== 'objects');
  factsKnown.set(rows, known);
  return known;
}

/** In order of time. */
export function changesOf(rows: readonly PlanRow[], probe: string): IntervalChange[] {
  const changes = rows.flatMap(({ part, connection_id, at, interval_seconds, is_declared }) =>
    part === 'interval' && connection_id !== null && at !== null && interval_seconds !== null
      ? [{ connection_id, probe, since: at, interval_seconds, is_declared: is_declared === true }]
      : [],
  );
  return changes.sort((a, b) => a.since - b.since);
}

/** How often a probe ran, of the rows of its plan. */
export const intervalsOf = (rows: readonly PlanRow[], probe: string): Intervals =>
  new Intervals(changesOf(rows, probe));

/** A cell of a sample as a value that a reader is shown. */
function shownOf({ type }: Column, row: SampleRow, position: number): Value {
  const cell = row.cells[position] ?? null;
  if (cell === null || typeof cell === 'boolean') return cell;
  if (typeof cell === 'number' && type !== 'timestamp with time zone') return cell;
  return textOf(type, cell);
}

const textsOf = (values: readonly Value[]) =>
  JSON.stringify(values.map((value) => (value === null ? null : String(value))));

export class Groups {
  readonly #question: Question;
  readonly #names: readonly string[];
  /** By its text. */
  readonly #values = new Map<string, Group>();
  readonly #byEntity = new Map<Entity, string>();

  constructor(question: Question) {
    this.#question = question;
    const { group_by } = question;
    this.#names = group_by === 'each' ? namesOf(question) : group_by;
  }

  /** What a group's text stands for. */
  valuesOf(text: string): Group {
    return this.#values.get(text) ?? {};
  }

  #group(read: (name: string) => Value, databaseName: string): string {
    if (this.#names.length === 0) return '';
    const values = this.#names.map((name) => (name === DATABASE ? databaseName : read(name)));
    const text = textsOf(values);
    if (!this.#values.has(text)) {
      const group: Record<string, Value> = {};
      for (const [index, name] of this.#names.entries()) group[name] = values[index] ?? null;
      this.#values.set(text, group);
    }
    return text;
  }

  /** Of samples with these columns among their cells. */
  ofSamples(columns: readonly Column[], databaseName: string): (row: SampleRow) => string | undefined {
    const isAnything = Object.keys(this.#question.where).length === 0;
    // Of all samples of a database alike.
    if (isAnything && this.#names.every((name) => name === DATABASE)) {
      const all = this.ofDatabase(databaseName);
      return () => all;
    }
    const positions = new Map(columns.map((column, index) => [column.name, { column, index }]));
    const read = (row: SampleRow, name: string): Value => {
      const position = positions.get(name);
      return position ? shownOf(position.column, row, position.index) : null;
    };
    const wanted = Object.entries(this.#question.where).map(
      ([name, one]) =>
        [name, new Set(listOf(one).map((value) => (value === null ? null : String(value))))] as const,
    );
    return (row) => {
      for (const [name, values] of wanted) {
        const value = read(row, name);
        if (!values.has(value === null ? null : String(value))) return undefined;
      }
      return this.#group((name) => read(row, name), databaseName);
    };
  }

  /** Of an entity that the dictionary names. */
  ofEntity(entity: Entity): string {
    const known = this.#byEntity.get(entity);
    if (known !== undefined) return known;
    const group = this.#group((name) => entity.read(name), entity.database_name);
    this.#byEntity.set(entity, group);
    return group;
  }

  /** Of everything in a database, whichever entity it is. */
  ofDatabase(databaseName: string): string {
    return this.#group(() => null, databaseName);
  }
}
