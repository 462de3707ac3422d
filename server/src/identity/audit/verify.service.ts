// Walks the chain of the audit log and says where it first breaks. The hash is computed here, not by the datastore.
import { createHash } from 'node:crypto';
import type { Db } from '../../kernel/db.ts';
import { type ChainEnds, findChain, findLastPrune, findLinks, type Link } from './chain.queries.ts';

export interface Broken {
  /** The first row that is not as it was written, or the place of the first one that is missing. */
  id: number;
  reason: string;
}

export interface Verified {
  checked: number;
  /** The newest row: note both elsewhere to prove later that nothing was cut off or written anew. */
  head_id: number;
  head_hash: string;
  broken: Broken | undefined;
}

/** A head that was noted before. */
export interface NotedHead {
  id: number;
  hash: string;
}

const ROWS_AT_ONCE = 1000;

const hashOf = (previous: Buffer, content: string) =>
  createHash('sha256').update(previous).update(content, 'utf8').digest();

function breakAt(link: Link, before: { id: number; hash: Buffer }): Broken | undefined {
  const expected = before.id + 1;
  if (link.id !== expected) return { id: expected, reason: `rows ${expected} to ${link.id - 1} are missing` };
  if (!link.previous_hash.equals(before.hash))
    return { id: link.id, reason: `row ${link.id} does not follow the row before it` };
  if (!hashOf(link.previous_hash, link.content).equals(link.hash))
    return { id: link.id, reason: `row ${link.id} was changed` };
  return undefined;
}

interface Walk {
  checked: number;
  last: { id: number; hash: Buffer };
  broken: Broken | undefined;
}

async function walk(db: Db, ends: ChainEnds, noted: NotedHead | undefined): Promise<Walk> {
  let last = { id: ends.anchor_id, hash: ends.anchor_hash };
  let checked = 0;
  while (last.id < ends.head_id) {
    const links = await findLinks(db, last.id, Math.min(ROWS_AT_ONCE, ends.head_id - last.id));
    if (links.length === 0) break;
    for (const link of links) {
      const broken = breakAt(link, last);
      if (broken) return { checked, last, broken };
      checked += 1;
      last = link;
      if (link.id === noted?.id && link.hash.toString('hex') !== noted.hash)
        return {
          checked,
          last,
          broken: { id: link.id, reason: `row ${link.id} is not the one that was noted` },
        };
    }
  }
  return { checked, last, broken: undefined };
}

function endsBroken(ends: ChainEnds, { last }: Walk, noted: NotedHead | undefined): Broken | undefined {
  if (last.id < ends.head_id)
    return { id: last.id + 1, reason: `rows ${last.id + 1} to ${ends.head_id} are missing at the end` };
  if (!last.hash.equals(ends.head_hash))
    return { id: last.id, reason: `row ${last.id} is not the one that was written last` };
  if (noted && noted.id > ends.head_id)
    return { id: ends.head_id + 1, reason: `row ${noted.id} was noted, and the log ends at ${ends.head_id}` };
  if (ends.unsealed > 0) return { id: ends.head_id + 1, reason: `${ends.unsealed} rows have no hash` };
  return undefined;
}

/** Whatever is missing at the beginning was removed by retention, which said so in the log. */
async function anchorBroken(db: Db, { anchor_id, anchor_hash }: ChainEnds): Promise<Broken | undefined> {
  if (anchor_id === 0) return undefined;
  const pruned = await findLastPrune(db);
  if (pruned?.through_id === anchor_id && pruned.through_hash === anchor_hash.toString('hex'))
    return undefined;
  return { id: anchor_id, reason: `rows up to ${anchor_id} are missing, and retention did not remove them` };
}

async function verifyOnce(db: Db, ends: ChainEnds, noted: NotedHead | undefined): Promise<Verified> {
  const walked = await walk(db, ends, noted);
  const broken = walked.broken ?? endsBroken(ends, walked, noted) ?? (await anchorBroken(db, ends));
  return {
    checked: walked.checked,
    head_id: ends.head_id,
    head_hash: ends.head_hash.toString('hex'),
    broken,
  };
}

/** Checks every row up to the newest one there is now. Rows may be written, and old ones removed, meanwhile. */
export async function verifyAudit(db: Db, noted?: NotedHead): Promise<Verified> {
  for (;;) {
    const ends = await findChain(db);
    if (!ends) {
      const broken = { id: 1, reason: 'the end of the chain is missing' };
      return { checked: 0, head_id: 0, head_hash: '', broken };
    }
    const verified = await verifyOnce(db, ends, noted);
    const after = verified.broken && (await findChain(db));
    // Retention went over the rows while they were being read.
    if (after && after.anchor_id !== ends.anchor_id) continue;
    return verified;
  }
}
