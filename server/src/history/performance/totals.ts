// What groups of entities come to over a window, column by column: what their counters grew by. One statement for all
// columns of a probe, two the first time, also with a second window to compare with. Guards: an entity that came back is
// counted from when it was seen again; one that did not grow has zeros only where it is asked for.
import type { Db } from '../../kernel/db.ts';
import type { Probe } from '../../probes/types.ts';
import {
  DATABASE,
  eachCandidate,
  type Group,
  type Question,
  questionOf,
  type Reading,
  readAllMeasured,
  type Where,
} from '../../store/read/doors/buckets.ts';

export interface TotalsQuery {
  probe: Probe;
  /** Counters. */
  columns: readonly string[];
  connection_ids: readonly number[];
  database_name?: string | undefined;
  where?: Where;
  /** With the database, where windows are compared. */
  group_by: readonly string[];
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  /** Where a second window of the same length begins. */
  compare_from?: number | undefined;
  /** Also those that are known and did not grow. */
  idle?: boolean;
}

/** Numbers by column, of which all groups have the same: thousands of them are a list each and nothing more. */
export class Grown {
  readonly #columns: readonly string[];
  /** NaN: nobody knows. */
  readonly #values: number[];

  constructor(columns: readonly string[]) {
    this.#columns = columns;
    this.#values = columns.map(() => Number.NaN);
  }

  /** Undefined: nobody knows. */
  get(column: string): number | undefined {
    const value = this.#values[this.#columns.indexOf(column)];
    return value === undefined || Number.isNaN(value) ? undefined : value;
  }

  /** `place` is that of the column. */
  add(place: number, value: number): void {
    const known = this.#values[place] ?? Number.NaN;
    this.#values[place] = Number.isNaN(known) ? value : known + value;
  }

  get isAnything(): boolean {
    return this.#values.some((value) => value > 0);
  }
}

export interface Totals {
  connection_id: number;
  group: Group;
  /** By column; one that nobody knows is not there. */
  grown: Grown;
  /** The same in the second window; null where its database was not measured then. */
  compared: Grown | null;
}

/** By connection and group. */
class FoundTotals {
  readonly columns: readonly string[];
  readonly #own = new Map<number, Map<string, Totals>>();

  constructor(columns: readonly string[]) {
    this.columns = columns;
  }

  get(connection_id: number, group: string): Totals | undefined {
    return this.#own.get(connection_id)?.get(group);
  }

  put(connection_id: number, group: string, groups: Reading['groups'] | undefined): Totals {
    const own = this.#own.get(connection_id) ?? new Map<string, Totals>();
    this.#own.set(connection_id, own);
    const known = own.get(group);
    if (known) return known;
    const shown = groups?.valuesOf(group) ?? {};
    const made: Totals = { connection_id, group: shown, grown: new Grown(this.columns), compared: null };
    own.set(group, made);
    return made;
  }

  all(): Totals[] {
    return [...this.#own.values()].flatMap((own) => [...own.values()]);
  }
}

const databaseKey = (connection_id: number, name: unknown) => `${connection_id} ${String(name ?? '')}`;

/** Puts what the same groups grew by in the second window to what they grew by in the first. */
function compare(found: FoundTotals, questions: readonly Question[], readings: readonly Reading[]): void {
  const measured = new Set<string>();
  for (const one of readings.flatMap(({ windows }) => windows[1] ?? []))
    if ((one.measures.family[0] ?? 0) > 0) measured.add(databaseKey(one.connection_id, one.database_name));
  for (const own of found.all())
    if (measured.has(databaseKey(own.connection_id, own.group[DATABASE])))
      own.compared = new Grown(found.columns);
  for (const [index, question] of questions.entries())
    for (const one of readings[index]?.windows[1] ?? [])
      eachCandidate(question, one.measures, (group, value) =>
        found.get(one.connection_id, group)?.compared?.add(index, value),
      );
}

export async function totals(db: Db, query: TotalsQuery): Promise<Totals[]> {
  const {
    probe,
    columns,
    connection_ids,
    database_name,
    where = {},
    group_by,
    from,
    to,
    compare_from,
    idle = false,
  } = query;
  const named = database_name === undefined ? {} : { database_name };
  const questions = columns.map((column) =>
    questionOf({ probe, column, connection_ids, aggregate: 'sum', where, ...named }, group_by),
  );
  const second =
    compare_from === undefined ? [] : [{ from: compare_from, to: compare_from + to - from, buckets: 1 }];
  const windows = [{ from, to, buckets: 1 }, ...second];
  const readings = await readAllMeasured(db, questions, { windows });
  const found = new FoundTotals(questions.map(({ column }) => column.name));
  for (const [index, question] of questions.entries()) {
    const reading = readings[index];
    for (const one of reading?.windows[0] ?? [])
      eachCandidate(question, one.measures, (group, value) =>
        found.put(one.connection_id, group, reading?.groups).grown.add(index, value),
      );
  }
  const [reading] = readings;
  for (const entity of (idle && reading?.entities) || [])
    if (database_name === undefined || entity.database_name === database_name) {
      const group = reading?.groups.ofEntity(entity) ?? '';
      found.put(entity.connection_id, group, reading?.groups);
    }
  compare(found, questions, readings);
  return found.all().filter(({ grown }) => idle || grown.isAnything);
}
