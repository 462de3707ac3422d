// Follows the log of a server: what was stored since one looked last. Guards: each event comes once, in the order of its time with the others of
// a look; where more came than one look gives, that is said.
import type { Ctx } from '../../identity/identity.ts';
import { iso, LAST_MS } from '../../kernel/times.ts';
import { type EventPosition, isBefore, matcherOf, onBlocks, readBlocks } from './line-search.ts';
import { choiceOf, type EventChoice, eventOf, type LogEventOut } from './log-events.service.ts';
import { lastStored, type Stored, storedBlocks, storedEvents } from './new-events.queries.ts';

const MOST_EVENTS = 200;
/** Of a look; each is at most about a MiB. */
const MOST_BLOCKS = 8;

export interface NewEvents {
  /** The oldest first. */
  readonly events: readonly LogEventOut[];
  /** Where the next look begins. */
  readonly stored: Stored;
  /** How many more were stored than are given here; null: more than were read. */
  readonly left_out: number | null;
}

interface ListedEvent extends EventPosition {
  readonly event: LogEventOut;
}

type Choice = ReturnType<typeof choiceOf>;

interface Look {
  readonly connection_id: number;
  readonly choice: Choice;
  readonly since: Stored;
  readonly stored: Stored;
}

async function importantOf(
  { db }: Ctx,
  { connection_id, choice, since, stored }: Look,
): Promise<ListedEvent[]> {
  const filter = { ...choice, from: 0, to: LAST_MS, limit: MOST_EVENTS };
  const between = { after: since.event_id, until: stored.event_id, most: MOST_EVENTS };
  const rows = await storedEvents(db, connection_id, { ...between, filter });
  return rows.map((row) => ({
    ...{ place: Number(row.place), id: BigInt(row.id) },
    event: eventOf(row.id, row.occurred_at, row),
  }));
}

async function linesOf(ctx: Ctx, { connection_id, choice, since, stored }: Look) {
  const between = { after: since.block_id, until: stored.block_id, most: MOST_BLOCKS };
  const heads = await storedBlocks(ctx.db, connection_id, between);
  const found: ListedEvent[] = [];
  let count = 0;
  const filter = { ...choice, from: 0, to: LAST_MS, limit: MOST_EVENTS, before: undefined };
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
        place: row.occurred_at * 1000,
        id,
        event: eventOf(String(id), iso(row.occurred_at), row),
      });
    }
    count += own;
  }
  return { found, count, isCut: heads.length >= MOST_BLOCKS };
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
  const last = await lastStored(ctx.db, connection_id);
  const stored = {
    event_id: Math.max(since?.event_id ?? 0, last.event_id ?? 0),
    block_id: Math.max(since?.block_id ?? 0, last.block_id ?? 0),
  };
  const isNews = since && (stored.event_id > since.event_id || stored.block_id > since.block_id);
  if (!isNews) return { events: [], stored, left_out: 0 };
  const look = { connection_id, choice: choiceOf(query), since, stored };
  const [important, lines] = await Promise.all([importantOf(ctx, look), onBlocks(() => linesOf(ctx, look))]);
  const found = [...important, ...lines.found].sort((a, b) => (isBefore(a, b) ? -1 : 1));
  const shown = found.slice(-MOST_EVENTS);
  const isCut = lines.isCut || important.length >= MOST_EVENTS;
  return {
    events: shown.map(({ event }) => event),
    stored,
    left_out: isCut ? null : important.length + lines.count - shown.length,
  };
}
