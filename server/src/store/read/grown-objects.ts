// What objects of many connections grew in windows, object by object. Guards: what did nothing is neither read nor named, so that
// thousands of objects of which few do anything cost what those few cost; three statements however many windows and columns.
import type { Db } from '../../kernel/db.ts';
import type { Probe } from '../../probes/types.ts';
import type { Row } from '../layout/types.ts';
import type { Window } from './measure.ts';
import { type ObjectName, objectNames } from './plan.queries.ts';
import { readAllMeasured } from './planned-reads.ts';
import { questionOf } from './question.ts';
import { candidatesOf } from './ranking.ts';

export interface GrownQuery {
  /** A family of objects. */
  probe: Probe;
  /** Counters. */
  columns: readonly string[];
  connection_ids: readonly number[];
  /** Of one bucket each. */
  windows: readonly Window[];
}

export interface GrownObject {
  connection_id: number;
  database_name: string;
  /** Its key and label columns. */
  object: Row;
  /** By window, then by column; null: it did not grow, or was not measured. */
  grown: (number | null)[][];
}

export async function grownObjects(db: Db, query: GrownQuery): Promise<GrownObject[]> {
  const { probe, columns, connection_ids, windows } = query;
  const questions = columns.map((column) =>
    questionOf({ probe, column, connection_ids, aggregate: 'sum' }, 'each'),
  );
  const readings = await readAllMeasured(db, questions, { windows });
  const found = new Map<string, GrownObject & { id: number }>();
  for (const [place, question] of questions.entries())
    for (const [window, all] of (readings[place]?.windows ?? []).entries())
      for (const measured of all)
        for (const { connection_id, database_name, group, value } of candidatesOf(question, measured)) {
          const key = `${connection_id} ${group}`;
          const one = found.get(key) ?? {
            ...{ connection_id, database_name, id: Number(group), object: {} },
            grown: windows.map(() => columns.map(() => null)),
          };
          found.set(key, one);
          const own = one.grown[window];
          if (own) own[place] = value;
        }
  if (found.size === 0) return [];
  const ids = [...new Set([...found.values()].map(({ id }) => id))];
  const names = await db.rows<ObjectName>(objectNames({ kind: probe.name, connection_ids, ids }));
  for (const { connection_id, object_id, key, labels } of names) {
    const one = found.get(`${connection_id} ${object_id}`);
    if (one) one.object = { ...key, ...labels };
  }
  return [...found.values()];
}
