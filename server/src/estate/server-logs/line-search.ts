// Searches the lines of a log, block by block, the newest first. Guards: what one page reads is bounded, and where it ended before the end it says how
// far it came, and comes further each time; other work has its turn between blocks; a damaged block is passed over and said in our log.
import type { Ctx } from '../../identity/identity.ts';
import { systemClock } from '../../kernel/clock.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { BLOCK_BYTES, BLOCK_VERSION } from './line-block.ts';
import { type BlockHead, blockBodies, findBlocks } from './line-blocks.queries.ts';
import type { EventRow } from './log-rows.ts';
import { hashesOf } from './search-terms.ts';
import type { EventsFilter, Servers } from './server-logs.queries.ts';
import { type UnpackedBlock, unpackBlock } from './unpacked-block.ts';
import { FIELDS, fieldHash } from './word-filter.ts';

/** Of what one page reads, unpacked; less of it where that takes long. */
const MOST_BYTES = 24 * BLOCK_BYTES;
const MOST_MS = 90;
const HEADS_AT_ONCE = 200;
/** Read in one statement. */
const MOST_AT_ONCE = 2 * BLOCK_BYTES;
const LAST_ID = 999_999_999_999_999_999n;

/** Where an event is in the order of all: by its time in microseconds, then its id. */
export interface EventPosition {
  readonly place: number;
  readonly id: bigint;
}

export interface FoundLine extends EventPosition {
  readonly connection_id: number;
  readonly row: EventRow;
}

interface Match extends EventPosition {
  readonly connection_id: number;
  readonly block: UnpackedBlock;
  readonly index: number;
}

export interface FoundLines {
  /** The newest first. */
  readonly lines: readonly FoundLine[];
  /** What is before it was not searched; undefined: all was. */
  readonly end: EventPosition | undefined;
}

export const isBefore = (a: EventPosition, b: EventPosition): boolean =>
  a.place < b.place || (a.place === b.place && a.id < b.id);
const newestFirst = (a: EventPosition, b: EventPosition) => (isBefore(a, b) ? 1 : -1);

export type LineFilter = Omit<EventsFilter, 'after'> & { readonly before: EventPosition | undefined };

function hashesFor(filter: LineFilter): number[] {
  const hashes = hashesOf(filter.terms);
  for (const field of FIELDS) {
    const value = filter[field];
    if (value !== undefined && value !== '') hashes.add(fieldHash(field, value));
  }
  return [...hashes];
}

type IsMatch = (index: number) => boolean;

export function matcherOf(block: UnpackedBlock, filter: LineFilter): IsMatch {
  const { classes, severity, sqlstate, terms } = filter;
  const tests: IsMatch[] = [];
  if (classes) tests.push(block.having('class', classes));
  if (severity !== undefined) tests.push(block.having('severity', [severity]));
  if (sqlstate !== undefined) tests.push(block.having('sqlstate', [sqlstate]));
  for (const field of FIELDS) {
    const value = filter[field];
    if (value !== undefined) tests.push(block.having(field, [value]));
  }
  for (const term of terms) tests.push(block.saying(term));
  return (index) => tests.every((test) => test(index));
}

/** The newest of a block, as many as a page may have. */
function matchesIn(block: UnpackedBlock, connection_id: number, filter: LineFilter): Match[] {
  const { from, to, before, limit } = filter;
  const isMatch = matcherOf(block, filter);
  const found: Match[] = [];
  for (let index = block.length - 1; index >= 0 && found.length < limit; index -= 1) {
    const at = block.at[index] ?? 0;
    if (at < from) break;
    const place = at * 1000;
    if (at >= to || (before && place > before.place) || !isMatch(index)) continue;
    const match = { connection_id, place, id: block.idOf(index), block, index };
    if (!before || isBefore(match, before)) found.push(match);
  }
  return found;
}

/** Blocks were merged since they were found. */
class Merged extends Error {}

/** Unpacked blocks; those that cannot be read are left out. */
export async function readBlocks(
  { db, log }: Pick<Ctx, 'db' | 'log'>,
  heads: readonly Pick<BlockHead, 'id' | 'version'>[],
): Promise<UnpackedBlock[]> {
  const known = heads.filter(({ version }) => version === BLOCK_VERSION);
  const blocks: UnpackedBlock[] = [];
  for (const { id, version } of heads)
    if (version !== BLOCK_VERSION) log.warn({ event: 'logs.block_unreadable', block_id: id, version });
  const bodies = await blockBodies(
    db,
    known.map((head) => head.id),
  );
  if (bodies.length < known.length) throw new Merged();
  for (const { id, body } of bodies) {
    await yieldIfBusy();
    try {
      blocks.push(await unpackBlock(id, body));
    } catch (err) {
      log.warn({ event: 'logs.block_unreadable', block_id: id, err });
    }
  }
  return blocks;
}

class Search {
  readonly #ctx: Ctx;
  readonly #filter: LineFilter;
  #found: Match[] = [];
  #bytes = 0;
  readonly #began = systemClock.monotonic();
  /** Blocks that are read together: few at first, since most pages are full with them. */
  #batch = BLOCK_BYTES / 2;

  constructor(ctx: Ctx, filter: LineFilter) {
    this.#ctx = ctx;
    this.#filter = filter;
  }

  get found(): readonly Match[] {
    return this.#found;
  }

  /** Whether nothing in blocks from there on is on this page. */
  isFull(next: number): boolean {
    const last = this.#found.at(-1);
    return this.#found.length >= this.#filter.limit && last !== undefined && last.place > next * 1000;
  }

  /** Whether as much was read as one page may, and the next one begins further back than this one. */
  isSpent(next: number): boolean {
    const { before, to } = this.#filter;
    return (
      this.#bytes >= (systemClock.monotonic() - this.#began < MOST_MS ? MOST_BYTES : MOST_AT_ONCE) &&
      next * 1000 < Math.min(to * 1000, before?.place ?? Number.POSITIVE_INFINITY)
    );
  }

  /** Answers how many of the blocks it has read. */
  async read(heads: readonly BlockHead[]): Promise<number> {
    const { limit } = this.#filter;
    const own: BlockHead[] = [];
    let bytes = 0;
    for (const head of heads) {
      if (bytes >= this.#batch) break;
      own.push(head);
      bytes += head.unpacked_bytes;
    }
    this.#batch = Math.min(MOST_AT_ONCE, this.#batch * 2);
    const servers = new Map(own.map(({ id, connection_id }) => [id, connection_id]));
    for (const block of await readBlocks(this.#ctx, own)) {
      await yieldIfBusy();
      const server = servers.get(block.id);
      const matches = server === undefined ? [] : matchesIn(block, server, this.#filter);
      this.#found = [...this.#found, ...matches];
    }
    this.#found = this.#found.toSorted(newestFirst).slice(0, limit);
    this.#bytes += bytes;
    return own.length;
  }
}

const MOST_TRIES = 3;

/** Does it anew where upkeep merged blocks meanwhile, or deleted them. */
export async function onBlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Merged) || tries >= MOST_TRIES) throw error;
    }
}

export const searchLines = (ctx: Ctx, servers: Servers, filter: LineFilter): Promise<FoundLines> =>
  onBlocks(() => searchOnce(ctx, servers, filter));

async function searchOnce(ctx: Ctx, servers: Servers, filter: LineFilter): Promise<FoundLines> {
  const search = new Search(ctx, filter);
  const { before } = filter;
  const to = Math.min(filter.to, before ? before.place / 1000 + 0.001 : filter.to);
  const blocks = { ...filter, to, hashes: hashesFor(filter), most: HEADS_AT_ONCE };
  const linesOf = () => search.found.map(({ block, index, ...of }) => ({ ...of, row: block.row(index) }));
  for (let behind: BlockHead | undefined; ; ) {
    const heads = await findBlocks(ctx.db, servers, { ...blocks, behind });
    for (let at = 0; at < heads.length; ) {
      const next = heads[at]?.last ?? 0;
      if (search.isFull(next)) return { lines: linesOf(), end: undefined };
      if (search.isSpent(next)) return { lines: linesOf(), end: { place: next * 1000, id: LAST_ID } };
      at += await search.read(heads.slice(at));
    }
    if (heads.length < HEADS_AT_ONCE) return { lines: linesOf(), end: undefined };
    behind = heads.at(-1);
  }
}
