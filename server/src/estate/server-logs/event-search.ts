// Searches events that matter, which are rows: common ones among the newest, rare ones by an index of their words, days before the last one only where
// the page is not full. Guards: what one page reads is bounded, and where it ended before the end it says how far it came.
import type { Db } from '../../kernel/db.ts';
import { DAY_MS } from '../../kernel/units.ts';
import * as queries from './event-words.queries.ts';
import { choice, type EventRow, type EventsFilter, listEvents, type Servers } from './server-logs.queries.ts';

/** Read in order, before the index is asked. */
const NEWEST = 2000;
/** Read in order where no index tells events apart. */
const MOST_IN_ORDER = 12_000;
const MOST_FOUND = 5000;
const READ_AT_ONCE = 500;
const OLDER_MS = [DAY_MS, 7 * DAY_MS, Number.POSITIVE_INFINITY];

type EventKey = Pick<EventRow, 'id' | 'place'>;

export interface FoundEvents {
  /** The newest first. */
  readonly rows: readonly EventRow[];
  /** What is before it was not searched; undefined: all was. */
  readonly end: EventKey | undefined;
}

interface Wish {
  readonly connection_id: number;
  readonly filter: EventsFilter;
  readonly words: readonly string[];
}

async function inWindow(db: Db, { connection_id, filter, words }: Wish): Promise<FoundEvents> {
  const places = await queries.findByWords(db, connection_id, { filter, words, most: MOST_FOUND });
  let rows: readonly EventRow[] = [];
  for (let at = 0; at < places.length && rows.length < filter.limit; at += READ_AT_ONCE) {
    const ids = places.slice(at, at + READ_AT_ONCE).map(({ id }) => id);
    rows = [...rows, ...(await queries.eventsById(db, ids, filter))];
  }
  const isCut = places.length === MOST_FOUND && rows.length < filter.limit;
  return { rows: rows.slice(0, filter.limit), end: isCut ? places.at(-1) : undefined };
}

async function byWords(db: Db, wish: Wish): Promise<FoundEvents> {
  const { filter } = wish;
  const newest = Math.min(filter.to, filter.after ? Number(filter.after.place) / 1000 + 1 : filter.to);
  let rows: readonly EventRow[] = [];
  let to = newest;
  for (const older of OLDER_MS) {
    const from = Math.max(filter.from, newest - older);
    const own = { ...filter, from, to, limit: filter.limit - rows.length };
    const found = await inWindow(db, { ...wish, filter: own });
    rows = [...rows, ...found.rows];
    if (found.end || rows.length >= filter.limit || from <= filter.from) return { rows, end: found.end };
    to = from;
  }
  return { rows, end: undefined };
}

async function inOrder(
  db: Db,
  servers: Servers,
  of: Parameters<typeof queries.amongNewest>[2],
): Promise<FoundEvents> {
  const rows = await queries.amongNewest(db, servers, of);
  return { rows, end: rows.length < of.filter.limit ? await queries.lastLooked(db, servers, of) : undefined };
}

/** Of several servers: by class from an index, by anything else among the newest, which no index of words tells apart for them. */
export async function searchEventsOfMany(
  db: Db,
  ids: readonly number[],
  filter: EventsFilter,
): Promise<FoundEvents[]> {
  const { classes, ...others } = filter;
  if (filter.terms.length > 0 || choice(others).length > 0)
    return [await inOrder(db, ids, { filter, isUnknown: false, most: MOST_IN_ORDER })];
  const found = await queries.newestOfMany(db, ids, filter);
  const rows = await queries.eventsById(
    db,
    found.map(({ id }) => id),
    filter,
  );
  return [{ rows, end: undefined }];
}

export async function searchEvents(
  db: Db,
  connection_id: number,
  filter: EventsFilter,
): Promise<FoundEvents[]> {
  const words = queries.wantedWords(filter);
  if (words.length === 0 && filter.terms.length === 0)
    return [{ rows: await listEvents(db, connection_id, filter), end: undefined }];
  if (words.length === 0)
    return [await inOrder(db, connection_id, { filter, isUnknown: false, most: MOST_IN_ORDER })];
  const newest = await queries.amongNewest(db, connection_id, { filter, isUnknown: false, most: NEWEST });
  if (newest.length >= filter.limit) return [{ rows: newest, end: undefined }];
  return [
    await byWords(db, { connection_id, filter, words }),
    await inOrder(db, connection_id, { filter, isUnknown: true, most: MOST_IN_ORDER }),
  ];
}

const OLD_AT_ONCE = 2000;

/** Has searches find events by words that were stored by a version before. */
export async function indexOldEvents(db: Db, goesOn: () => boolean): Promise<void> {
  while (goesOn() && (await queries.addWordsOfOld(db, OLD_AT_ONCE)) > 0);
}
