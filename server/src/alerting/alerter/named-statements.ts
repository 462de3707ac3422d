// Which statement is behind a count of the last hour, for the text of its alert: the one that wrote most to temporary files, or those that
// met in the newest deadlock. Guards: read only where the condition is met, and for so many servers in a round, new alerts first;
// an alert beyond keeps the words that it has; texts hold no constants.
import { newestDeadlocks } from '../../estate/estate.ts';
import { mostSpilling } from '../../history/history.ts';
import type { Db } from '../../kernel/db.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { shownTime, shownValue } from '../../kernel/shown-value.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { shownName } from '../alert-rules/known-rules.service.ts';
import { type RuleReadings, withDetails } from './reading-details.ts';
import type { KeyedReading } from './readings.ts';

const MOST_SERVERS = 20;
const LONGEST_STATEMENT = 120;
const PERCENT = 100;

interface StatementOfAlert {
  connection_id: number;
  database_name: string;
  says: string;
}

interface Window {
  connection_ids: readonly number[];
  from: number;
  to: number;
}

const line = (text: string) => cutText(shownName(text).replaceAll(/\s+/g, ' '), LONGEST_STATEMENT, '…');

/** Such as `Statement 42 wrote 93 % of what statements wrote to temporary files: "select …"`. */
async function spills(db: Db, window: Window): Promise<StatementOfAlert[]> {
  const found = await mostSpilling(db, window);
  return found.map(({ connection_id, database_name, queryid, share, query }) => {
    const text = query === null ? '' : `: "${line(query)}"`;
    const part = shownValue(Math.round(share * PERCENT), 'percent');
    const says = `Statement ${queryid} wrote ${part} of what statements wrote to temporary files${text}`;
    return { connection_id, database_name, says };
  });
}

/** Such as `In the newest deadlock, at 03:02:10 UTC, PostgreSQL ended "UPDATE orders"; it met "UPDATE items"`. */
async function deadlocks(db: Db, window: Window): Promise<StatementOfAlert[]> {
  const found = await newestDeadlocks(db, window);
  return found.flatMap(({ connection_id, database_name, at, queryid, sides }) => {
    const [ended = null, ...others] = sides.map((side) => (side === null ? null : `"${line(side)}"`));
    const met = [...new Set(others.flatMap((other) => other ?? []))];
    if (ended === null && met.length === 0 && queryid === null) return [];
    const id = queryid === null ? '' : `statement ${queryid}`;
    const what = ended === null ? id || 'a statement that is not known' : `${ended}${id && ` (${id})`}`;
    const other = met.length === 0 ? '' : `; it met ${met.join(' and ')}`;
    const says = `In the newest deadlock, at ${shownTime(at)}, PostgreSQL ended ${what}${other}`;
    return { connection_id, database_name, says };
  });
}

const READERS = { 'temporary files': spills, deadlocks };

export interface Choice {
  isMet(judged: KeyedReading): boolean;
  isOpen(judged: KeyedReading): boolean;
  now: number;
}

/** A metric of databases is of the one that it names; one of the server is of any. */
const databaseOf = ({ database_name, object_name }: KeyedReading) =>
  database_name === '' ? object_name : database_name;

/** No statement while no such rule may fire. */
export async function withStatements(
  db: Db,
  which: keyof typeof READERS,
  { found, choice }: { found: RuleReadings; choice: Choice },
): Promise<RuleReadings> {
  const met = [...found.readings.values()].filter(choice.isMet);
  const first = met.toSorted((a, b) => Number(choice.isOpen(a)) - Number(choice.isOpen(b)));
  const asked = new Set([...new Set(first.map((one) => one.connection_id))].slice(0, MOST_SERVERS));
  if (asked.size === 0) return found;
  const to = choice.now + MINUTE_MS;
  const window = { connection_ids: [...asked], from: choice.now - HOUR_MS, to };
  const named = await READERS[which](db, window);
  return withDetails(found, (judged) => {
    const { connection_id } = judged;
    if (!choice.isMet(judged)) return {};
    if (!asked.has(connection_id)) return { keepsWords: true as const };
    const database = databaseOf(judged);
    const one = named.find(
      (other) =>
        other.connection_id === connection_id && (database === '' || other.database_name === database),
    );
    return one === undefined ? {} : { says: one.says };
  });
}
