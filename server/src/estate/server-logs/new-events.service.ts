// Follows the log of a server: what was stored since one looked last. Guards: each event comes once, in the order of its time with the others of
// a look; where more came than one look gives, that is said.
import type { Ctx } from '../../identity/identity.ts';
import { iso, LAST_MS } from '../../kernel/times.ts';
import { BLOCK_BYTES } from './line-block.ts';
import { type EventPosition, isBefore, matcherOf, onBlocks, readBlocks } from './line-search.ts';
import { choiceOf, type EventChoice, eventOf, type LogEventOut } from './log-events.service.ts';
import { lastStored, type Stored, storedBlocks, storedEvents } from './new-events.queries.ts';
import type { Servers } from './server-logs.queries.ts';

const MOST_EVENTS = 200;
/** Of a look: eight of the largest, or many small ones of many servers. */
const MOST_BLOCKS = 100;
const MOST_BYTES = 8 * BLOCK_BYTES;

interface NewOnes {
  /** The oldest first. */
  readonly found: readonly ListedEvent[];
  /** How many more were stored than are given here; null: more than were read. */
  readonly left_out: number | null;
}

interface NewEvents {
  readonly events: readonly LogEventOut[];
  /** Where the next look begins. */
  readonly stored: Stored;
  readonly left_out: number | null;
}

interface ListedEvent extends EventPosition {
  readonly connection_id: number;
  readonly event: LogEventOut;
}

interface Look {
  readonly query: EventChoice;
  readonly since: Stored;
  readonly until: Stored;
}

type Chosen = Look & { readonly choice: ReturnType<typeof choiceOf> };

async function importantOf(
  { db }: Ctx,
  servers: Servers,
  { choice, since, until }: Chosen,
): Promise<ListedEvent[]> {
  const filter = { ...choice, from: 0, to: LAST_MS, limit: MOST_EVENTS };
  const between = { after: since.event_id, until: until.event_id, most: MOST_EVENTS };
  const rows = await storedEvents(db, servers, { ...between, filter });
  return rows.map((row) => ({
    ...{ place: Number(row.place), id: BigInt(row.id), connection_id: row.connection_id },
    event: eventOf(row.id, row.occurred_at, row),
  }));
}

/** The newest blocks that one look reads, and whether there are more. */
async function blocksOf({ db }: Ctx, servers: Servers, { choice, since, until }: Chosen) {
  const between = { after: since.block_id, until: until.block_id, most: MOST_BLOCKS };
  const all = await storedBlocks(db, servers, { ...between, classes: choice.classes });
  let bytes = 0;
  const heads = all.filter(({ unpacked_bytes }) => {
    bytes += unpacked_bytes;
    return bytes <= MOST_BYTES || bytes === unpacked_bytes;
  });
  return { heads, isCut: heads.length < all.length || all.length >= MOST_BLOCKS };
}

async function linesOf(ctx: Ctx, servers: Servers, look: Chosen) {
  const { heads, isCut } = await blocksOf(ctx, servers, look);
  const serverOf = new Map(heads.map(({ id, connection_id }) => [id, connection_id]));
  const found: ListedEvent[] = [];
  let count = 0;
  const filter = { ...look.choice, from: 0, to: LAST_MS, limit: MOST_EVENTS, before: undefined };
  for (const block of await readBlocks(ctx, heads)) {
    const isMatch = matcherOf(block, filter);
    let own = 0;
    for (let index = block.length - 1; index >= 0; index -= 1) {
      if (!isMatch(index)) continue;
      own += 1;
      if (own > MOST_EVENTS) continue;
      const row = block.row(index);
      const id = block.idOf(index);
      found.push({
        ...{ place: row.occurred_at * 1000, id, connection_id: serverOf.get(block.id) ?? 0 },
        event: eventOf(String(id), iso(row.occurred_at), row),
      });
    }
    count += own;
  }
  return { found, count, isCut };
}

const isSame = (one: Stored, other: Stored) =>
  one.event_id >= other.event_id && one.block_id >= other.block_id;

/** What was stored in between, of these servers. */
export async function eventsBetween(ctx: Ctx, servers: Servers, look: Look): Promise<NewOnes> {
  if (isSame(look.since, look.until)) return { found: [], left_out: 0 };
  const chosen = { ...look, choice: choiceOf(look.query) };
  const [important, lines] = await Promise.all([
    importantOf(ctx, servers, chosen),
    onBlocks(() => linesOf(ctx, servers, chosen)),
  ]);
  const found = [...important, ...lines.found].sort((a, b) => (isBefore(a, b) ? -1 : 1));
  const shown = found.slice(-MOST_EVENTS);
  const isCut = lines.isCut || important.length >= MOST_EVENTS;
  return { found: shown, left_out: isCut ? null : important.length + lines.count - shown.length };
}

/**
 * What was stored since; without it nothing, and where to begin. The caller has checked access to the connection, and the permission
 * read_logs.
 */
export async function listNewLogEvents(
  ctx: Ctx,
  connection_id: number,
  { query, since }: { query: EventChoice; since: Stored | undefined },
): Promise<NewEvents> {
  const stored = laterOf(since, await lastStored(ctx.db, connection_id));
  const { found, left_out } = await eventsBetween(ctx, connection_id, {
    query,
    since: since ?? stored,
    until: stored,
  });
  return { events: found.map(({ event }) => event), stored, left_out };
}

type LastStored = Awaited<ReturnType<typeof lastStored>>;

/** Where was looked to, never back. */
export const laterOf = (since: Stored | undefined, last: LastStored): Stored => ({
  event_id: Math.max(since?.event_id ?? 0, last.event_id ?? 0),
  block_id: Math.max(since?.block_id ?? 0, last.block_id ?? 0),
});
