// Which indexes of its tables were dropped before a statement became slower, for the text of its alert and so for its message. Guards: read
// only where the condition is met, once for each alert, and for so many servers in a round; names come from monitored servers.
import { type DroppedIndex, indexesDropped } from '../../history/history.ts';
import type { Db } from '../../kernel/db.ts';
import { shownNames, shownTime } from '../../kernel/shown-value.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { nameIn, type RuleReadings, withDetails } from './reading-details.ts';
import { type KeyedReading, readingKey } from './readings.ts';

const MOST_SERVERS = 20;
const MOST_NAMED = 3;
/** Those of statements that are gone are never met again. */
const MOST_KEPT = 1000;
const OF_STATEMENT = /^statement (-?\d+)$/;

/** What was found of each reading that is met; empty where nothing was dropped. */
export type DroppedTexts = Map<string, string>;

/** Such as `Index "orders_town" of "public.orders" was dropped (seen at 2026-11-20 03:02:10 UTC).` */
function textOf(all: readonly DroppedIndex[]): string {
  const [newest] = all;
  if (!newest) return '';
  const names = shownNames(
    all.map(({ index, table }) => `"${nameIn(index)}" of "${nameIn(table)}"`),
    MOST_NAMED,
  );
  const when = shownTime(new Date(newest.seen_at).toISOString());
  return all.length === 1
    ? `Index ${names} was dropped (seen at ${when}).`
    : `Indexes ${names} were dropped (the last seen at ${when}).`;
}

const statementOf = ({ connection_id, database_name, object_name }: KeyedReading) => ({
  ...{ connection_id, database_name, queryid: OF_STATEMENT.exec(object_name)?.[1] ?? '' },
});

export interface DroppedChoice {
  isMet(judged: KeyedReading): boolean;
  now: number;
  /** Of the rounds before. */
  texts: DroppedTexts;
}

/** No statement while no reading is met that was not met before. */
export async function withDropped(
  db: Db,
  found: RuleReadings,
  { isMet, now, texts }: DroppedChoice,
): Promise<RuleReadings> {
  const all = [...found.readings.values()];
  for (const one of all) if (!isMet(one)) texts.delete(readingKey(one));
  const fresh = all.filter((one) => isMet(one) && !texts.has(readingKey(one)));
  const ids = new Set([...new Set(fresh.map(({ connection_id }) => connection_id))].slice(0, MOST_SERVERS));
  const asked = fresh.filter(({ connection_id }) => ids.has(connection_id));
  const window = { from: now - DAY_MS, to: now };
  const dropped = asked.length === 0 ? [] : await indexesDropped(db, asked.map(statementOf), window);
  for (const one of asked) {
    const { connection_id, database_name, queryid } = statementOf(one);
    const own = dropped.filter(
      (other) =>
        other.connection_id === connection_id &&
        other.database_name === database_name &&
        other.queryid === queryid,
    );
    texts.set(readingKey(one), textOf(own));
    for (const oldest of texts.keys()) if (texts.size > MOST_KEPT) texts.delete(oldest);
  }
  return withDetails(found, (one) => {
    const because = texts.get(readingKey(one)) ?? '';
    return because === '' ? {} : { because };
  });
}
