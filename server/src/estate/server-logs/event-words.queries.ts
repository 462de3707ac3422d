// Events that are found by an index of their words. Guards: how many are read is bounded, and so is each statement; what the index finds is judged by the
// same rule as what is read in order.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { DAY_MS } from '../../kernel/units.ts';
import type { Term } from './search-terms.ts';
import {
  all,
  choice,
  conditions,
  EVENT_COLUMNS,
  type EventRow,
  type EventsFilter,
  hasTerms,
  inTime,
  NEWEST_FIRST,
  PLACE,
  type Servers,
  TEXTS,
  within,
} from './server-logs.queries.ts';

/** As the index says it. */
const WORDS: Sql = sql`matriarch.log_words(
  e.connection_id, e.occurred_at, e.class, e.severity, e.sqlstate, e.database_name, e.user_name, e.application_name,
  e.process_id, e.queryid, e.message, e.detail, e.hint, e.context, e.statement)`;
const LONGEST_WORD = 100;
/** More alternatives than that tell little apart. */
const MOST_CLASSES = 20;
const NAMES = [
  'severity',
  'sqlstate',
  'database_name',
  'user_name',
  'application_name',
  'process_id',
  'queryid',
] as const;

const quoted = (word: string) =>
  `'${[...word].slice(0, LONGEST_WORD).join('').replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** Its words; the last one may go on where the term is a beginning. */
function wordsOf({ text, isStart }: Term): string[] {
  const words = text.match(/[a-z0-9]+/g) ?? [];
  const isOpen = isStart && /[a-z0-9]$/.test(text);
  return words.map((word, index) =>
    isOpen && index === words.length - 1 ? `${quoted(word)}:*` : quoted(word),
  );
}

/** What the index is asked for; empty: it does not tell such events from others. */
export function wantedWords({ terms, classes, ...filter }: EventsFilter): string[] {
  const words = terms.flatMap(wordsOf);
  const named = NAMES.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [quoted(`${name}=${value}`)];
  });
  const isNamed = classes !== undefined && classes.length > 0 && classes.length <= MOST_CLASSES;
  const anyClass = isNamed ? [`(${classes.map((name) => quoted(`class=${name}`)).join('|')})`] : [];
  if (words.length === 0 && named.length === 0) return [];
  return [...named, ...anyClass, ...(words.length === 0 ? [] : [`((${words.join('&')})|'*')`])];
}

const dayOf = (ms: number) => Math.floor(ms / DAY_MS);

/** Events of the days of a window that have such words, newest first; of their texts nothing is compared yet. */
export function findByWords(
  db: Db,
  connection_id: number,
  { filter, words, most }: { filter: EventsFilter; words: readonly string[]; most: number },
) {
  const first = dayOf(filter.from);
  const days = Array.from({ length: dayOf(filter.to) - first + 1 }, (_none, index) =>
    quoted(`day=${connection_id}/${first + index}`),
  );
  const query = [...words, `(${days.join('|')})`].join('&');
  return db.rows<Pick<EventRow, 'id' | 'place'>>(sql`/* server_logs.by_words */
    select e.id::text as id, ${PLACE} as place
    from (
      select e.id, e.occurred_at
      from matriarch.log_events e
      where ${conditions(connection_id, filter)} and e.has_words and ${WORDS} @@ ${query}::tsquery
      offset 0
    ) e
    ${NEWEST_FIRST}
    limit ${most}`);
}

/** The newest of some servers, by class where classes are named: a look into an index for each. */
export function newestOfMany(db: Db, ids: readonly number[], { classes, ...filter }: EventsFilter) {
  const named = classes ?? [null];
  return db.rows<Pick<EventRow, 'id'>>(sql`/* server_logs.newest_of_many */
    select k.id::text as id
    from unnest(${ids}::int[]) as s (connection_id)
    cross join unnest(${named}::text[]) as n (class)
    cross join lateral (
      select e.id, e.occurred_at
      from matriarch.log_events e
      where e.connection_id = s.connection_id and ${inTime(filter)} and ${classes ? sql`e.class = n.class` : sql`true`}
      ${NEWEST_FIRST}
      limit ${filter.limit}
    ) k
    order by k.occurred_at desc, k.id desc
    limit ${filter.limit}`);
}

export const eventsById = (db: Db, ids: readonly string[], { terms, limit }: EventsFilter) =>
  db.rows<EventRow>(sql`/* server_logs.by_id */
    select ${EVENT_COLUMNS}
    from matriarch.log_events e, ${TEXTS}
    where e.id = any(${ids}::bigint[]) and ${hasTerms(terms)}
    ${NEWEST_FIRST}
    limit ${limit}`);

interface Looked {
  readonly filter: EventsFilter;
  /** Those that no index knows yet; else all. */
  readonly isUnknown: boolean;
  readonly most: number;
}

const looked = (servers: Servers, { filter, isUnknown }: Looked): Sql => sql`
  from matriarch.log_events e
  where ${within(servers, filter)} and ${isUnknown ? sql`not e.has_words` : sql`true`}
  ${NEWEST_FIRST}`;

/** Of the newest events of a window, those that are meant. */
export const amongNewest = (db: Db, servers: Servers, of: Looked) =>
  db.rows<EventRow>(sql`/* server_logs.among_newest */
    select ${EVENT_COLUMNS}
    from (select * ${looked(servers, of)} limit ${of.most}) e, ${TEXTS}
    where ${all(choice(of.filter))} and ${hasTerms(of.filter.terms)}
    ${NEWEST_FIRST}
    limit ${of.filter.limit}`);

/** The last of them; undefined where there are fewer. */
export const lastLooked = (db: Db, servers: Servers, of: Looked) =>
  db.maybe<Pick<EventRow, 'id' | 'place'>>(sql`/* server_logs.last_looked */
    select e.id::text as id, ${PLACE} as place ${looked(servers, of)} offset ${of.most - 1} limit 1`);

/** Has the index know events that were stored before there was one. Answers how many. */
export const addWordsOfOld = (db: Db, most: number): Promise<number> =>
  db.run(sql`/* server_logs.words_of_old */
    update matriarch.log_events set has_words = true where id in (
      select e.id from matriarch.log_events e where not e.has_words limit ${most} for update skip locked)`);
