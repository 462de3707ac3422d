// What objects of many connections grew in windows, object by object. Guards: of what did not grow, or was not measured, the figure
// is null.
import type { Db } from '../../kernel/db.ts';
import type { Probe } from '../../probes/types.ts';
import type { Row } from '../../store/layout/types.ts';
import { candidatesOf, questionOf, readAllMeasured, type Window } from '../../store/read/doors/buckets.ts';
import { type ObjectName, objectNames } from '../../store/read/doors/readings.ts';

interface GrownQuery {
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

/** Three statements however many windows and columns. */
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
