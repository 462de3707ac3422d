// Which entity belongs to which group. Pure. Guards: a sample, an object of a tick and an entity of a rollup that mean
// the same get the same group, by the text of its values.
import type { Column } from '../../probes/types.ts';
import { type SampleRow, textOf } from '../format/rows.ts';
import type { Value } from '../layout/types.ts';
import { listOf, type PlanRow } from './plan.queries.ts';
import { DATABASE, namesOf, type Question } from './question.ts';

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

/** One of the lists of a row of a plan. */
class Listed implements Entity {
  readonly connection_id: number;
  readonly object_id: number;
  readonly database_name: string;
  readonly #key: PlanRow['key'];
  readonly #place: number;

  constructor(
    of: Pick<Entity, 'connection_id' | 'object_id' | 'database_name'>,
    key: PlanRow['key'],
    place: number,
  ) {
    this.connection_id = of.connection_id;
    this.object_id = of.object_id;
    this.database_name = of.database_name;
    this.#key = key;
    this.#place = place;
  }

  read(name: string): Value {
    return this.#key?.[name]?.[this.#place] ?? null;
  }
}

function entitiesIn(rows: readonly PlanRow[]): Entity[] {
  const found: Entity[] = [];
  for (const { connection_id, object_ids, database_name, key } of rows) {
    if (connection_id === null || object_ids === null) continue;
    for (const [place, object_id] of object_ids.entries())
      found.push(new Listed({ connection_id, object_id, database_name: database_name ?? '' }, key, place));
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
