// Indexes that went, of the tables that statements name, for who asks why a statement is slower. Guards: a drop is named with when it was
// seen, which is up to one reading after it; a table counts as named where its name is a word of the statement.
import type { Db } from '../../kernel/db.ts';
import { probe } from '../../probes/pg-stat-all-indexes.ts';
import { OF_THE_SERVER, objectsGoneBetween, type StatementName, textsOf } from './changed-objects.ts';

const MOST_EVENTS = 20;
const MOST_OBJECTS = 100;

export interface DroppedIndex extends StatementName {
  /** `schema.table`. */
  table: string;
  index: string;
  /** Milliseconds since the epoch. */
  seen_at: number;
}

const wordsOf = (query: string) => new Set(query.match(/[\p{L}_][\p{L}\p{N}_$]*/gu) ?? []);

/** The newest first. Names are compared as they are written; a quoted one of several words is not found. */
export async function indexesDropped(
  db: Db,
  statements: readonly StatementName[],
  { from, to }: { from: number; to: number },
): Promise<DroppedIndex[]> {
  const connection_ids = [...new Set(statements.map(({ connection_id }) => connection_id))];
  const window = { connection_ids, from, to, limit: MOST_EVENTS, most: MOST_OBJECTS };
  const { events } = await objectsGoneBetween(db, { ...window, probes: [probe], without: OF_THE_SERVER });
  if (events.length === 0) return [];
  const texts = await textsOf(db, statements);
  return texts.flatMap(({ query_text, ...statement }) => {
    const words = wordsOf(query_text);
    return events
      .filter(({ connection_id }) => connection_id === statement.connection_id)
      .flatMap(({ at, objects }) =>
        objects.flatMap(({ database_name, object: { schemaname, relname, indexrelname } }) =>
          database_name === statement.database_name && words.has(String(relname))
            ? [
                {
                  ...statement,
                  table: `${schemaname}.${relname}`,
                  index: String(indexrelname),
                  seen_at: Date.parse(at),
                },
              ]
            : [],
        ),
      );
  });
}
