// Merges the small blocks of lines that each look at a log leaves, hour by hour, so that a search reads few. Guards: an event keeps its id and is
// in one block at any time; a block that cannot be read stays as it is.
import { indexOldEvents } from '../../estate/server-logs/event-search.ts';
import { inBlocks, type Line, packBlock } from '../../estate/server-logs/line-block.ts';
import { addBlock, blockBodies } from '../../estate/server-logs/line-blocks.queries.ts';
import { forgetPlans } from '../../estate/server-logs/log-writes.service.ts';
import { type UnpackedBlock, unpackBlock } from '../../estate/server-logs/unpacked-block.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { findSmallBlocks, lockSmallBlocks, noteMerged, type SmallBlocks } from './line-merges.queries.ts';
import { forgetLogs } from './log-store.queries.ts';

const MOST_HOURS = 500;
const MOST_MS = 60_000;
const MOST_BYTES = 2 * 1024 * 1024;

const inOrder = (a: Line, b: Line) =>
  a.row.occurred_at - b.row.occurred_at || a.block - b.block || a.number - b.number;

/** Undefined where it is damaged: searches say so. */
const readable = (id: number, body: Buffer): Promise<UnpackedBlock | undefined> =>
  unpackBlock(id, body).catch(() => undefined);

/** Answers how many blocks there are fewer. */
async function mergeHour(db: Db, small: SmallBlocks): Promise<number> {
  const ids: number[] = [];
  let bytes = 0;
  for (const { id, unpacked_bytes } of await lockSmallBlocks(db, small)) {
    bytes += unpacked_bytes;
    if (bytes > MOST_BYTES) break;
    ids.push(id);
  }
  const lines: Line[] = [];
  const merged: number[] = [];
  for (const { id, body } of await blockBodies(db, ids)) {
    await yieldIfBusy();
    const block = await readable(id, body);
    if (!block) continue;
    merged.push(id);
    for (let at = 0; at < block.length; at += 1)
      lines.push({ row: block.row(at), block: block.block(at), number: block.number(at) });
  }
  if (merged.length < 2) return 0;
  await yieldIfBusy();
  const into: number[] = [];
  for (const own of inBlocks(lines.sort(inOrder), ({ row }) => row))
    into.push(await addBlock(db, small.connection_id, await packBlock(own)));
  await noteMerged(db, { merged, into });
  return merged.length - into.length;
}

/** Answers how many blocks there are fewer. */
export async function mergeLines(db: Db, signal: AbortSignal): Promise<number> {
  const began = systemClock.monotonic();
  let fewer = 0;
  for (const small of await findSmallBlocks(db, MOST_HOURS)) {
    if (signal.aborted || systemClock.monotonic() - began > MOST_MS) break;
    fewer += await db.transaction((own) => mergeHour(own, small));
  }
  return fewer;
}

/** Deletes what is older than is kept of logs and their plans, and merges blocks. Answers how many rows it deleted. */
export async function tidyLogs(db: Db, signal: AbortSignal): Promise<number> {
  const rows = (await forgetLogs(db)) + (await forgetPlans(db));
  await mergeLines(db, signal);
  const began = systemClock.monotonic();
  await indexOldEvents(db, () => !signal.aborted && systemClock.monotonic() - began < MOST_MS);
  return rows;
}
