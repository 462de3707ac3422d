// Which statements met in the newest deadlock of a database, in a few words, for the text of an alert. Guards: an alert is read by people
// who may not read logs, so a statement is its verb and its table alone: constants never leave here.
import type { Db } from '../../kernel/db.ts';
import { sidesOf } from '../../logs/figures/deadlocks.ts';
import { newestDeadlockRows } from './newest-deadlocks.queries.ts';

export interface NewestDeadlock {
  connection_id: number;
  database_name: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** The statement that PostgreSQL ended; null: the log does not say it. */
  queryid: string | null;
  /** Such as `UPDATE orders`, the ended one first; null where the statement is not known. */
  sides: (string | null)[];
}

const NAME = String.raw`((?:"[^"]{1,63}"|[a-z_][\w$]{0,62})(?:\.(?:"[^"]{1,63}"|[a-z_][\w$]{0,62}))?)`;
const COMMENT = /\/\*[\s\S]*?\*\/|--[^\n]*/g;
const FORMS = (
  [
    ['UPDATE', String.raw`^update\s+(?:only\s+)?${NAME}`],
    ['DELETE FROM', String.raw`^delete\s+from\s+(?:only\s+)?${NAME}`],
    ['INSERT INTO', String.raw`^insert\s+into\s+${NAME}`],
    ['MERGE INTO', String.raw`^merge\s+into\s+(?:only\s+)?${NAME}`],
    ['LOCK TABLE', String.raw`^lock\s+(?:table\s+)?(?:only\s+)?${NAME}`],
    ['TRUNCATE', String.raw`^truncate\s+(?:table\s+)?(?:only\s+)?${NAME}`],
    ['ALTER TABLE', String.raw`^alter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?${NAME}`],
    ['SELECT FROM', String.raw`^select\b[^']*?\bfrom\s+(?:only\s+)?${NAME}`],
  ] as const
).map(([verb, pattern]) => ({ verb, pattern: new RegExp(pattern, 'i') }));

/** Undefined where it is none of the usual forms. */
function shortOf(statement: string): string | undefined {
  const text = statement.replaceAll(COMMENT, ' ').trim();
  for (const { verb, pattern } of FORMS) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined) return `${verb} ${name}`;
  }
  return undefined;
}

/** One statement. */
export async function newestDeadlocks(
  db: Db,
  read: { connection_ids: readonly number[]; from: number; to: number },
): Promise<NewestDeadlock[]> {
  const rows = await newestDeadlockRows(db, read);
  return rows.map(({ connection_id, database_name, occurred_at, process_id, queryid, detail }) => ({
    ...{ connection_id, database_name },
    at: Date.parse(occurred_at),
    queryid: queryid === '' ? null : queryid,
    sides: sidesOf(detail, Number(process_id))
      .toSorted((a, b) => Number(b.is_victim) - Number(a.is_victim))
      .map(({ statement }) => (statement === null ? null : (shortOf(statement) ?? null))),
  }));
}
