// What groups of entities come to over a window, column by column: what their counters grew by. Two statements for all
// columns of a probe. Guards: an entity that came back is counted from when it was seen again; one that did not grow has
// zeros only where it is asked for.
import type { Db } from '../../kernel/db.ts';
import type { Probe } from '../../probes/types.ts';
import type { Group } from './groups.ts';
import { readAllMeasured } from './measured.ts';
import type { Where } from './plan.queries.ts';
import { questionOf } from './question.ts';
import { candidatesOf } from './ranking.ts';

export interface TotalsQuery {
  probe: Probe;
  /** Counters. */
  columns: readonly string[];
  connection_ids: readonly number[];
  database_name?: string | undefined;
  where?: Where;
  group_by: readonly string[];
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  /** Also those that are known and did not grow. */
  idle?: boolean;
}

export interface Totals {
  connection_id: number;
  group: Group;
  /** By column; one that nobody knows is not there. */
  grown: Map<string, number>;
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
    idle = false,
  } = query;
  const named = database_name === undefined ? {} : { database_name };
  const questions = columns.map((column) =>
    questionOf({ probe, column, connection_ids, aggregate: 'sum', where, ...named }, group_by),
  );
  const readings = await readAllMeasured(db, questions, { windows: [{ from, to, buckets: 1 }] });
  const found = new Map<string, Totals>();
  const put = (connection_id: number, group: string, shown: Group): Totals => {
    const key = `${connection_id} ${group}`;
    const own = found.get(key) ?? { connection_id, group: shown, grown: new Map() };
    found.set(key, own);
    return own;
  };
  for (const [index, question] of questions.entries()) {
    const reading = readings[index];
    for (const one of reading?.windows[0] ?? [])
      for (const { connection_id, group, value } of candidatesOf(question, one)) {
        const { grown } = put(connection_id, group, reading?.groups.valuesOf(group) ?? {});
        grown.set(question.column.name, (grown.get(question.column.name) ?? 0) + value);
      }
  }
  const [reading] = readings;
  for (const entity of (idle && reading?.entities) || [])
    if (database_name === undefined || entity.database_name === database_name) {
      const group = reading?.groups.ofEntity(entity) ?? '';
      put(entity.connection_id, group, reading?.groups.valuesOf(group) ?? {});
    }
  return [...found.values()].filter(({ grown }) => idle || [...grown.values()].some((value) => value > 0));
}
