// What a collector that has just started does about its first readings: each is compared with the newest one that is stored, of the
// same life of the server, so that nothing is lost across a restart. Guards: nothing that is still to be replayed is skipped over;
// one piece at a time, in turns with all other work; what cannot be compared stays a first reading.
import type { Db } from '../../../kernel/db.ts';
import { yieldIfBusy } from '../../../kernel/scheduler.ts';
import { readRows } from '../../format/stored-rows.ts';
import { keyframeMs } from '../../layout/table-layout.ts';
import { bridge, stateAfter } from '../objects/bridge.ts';
import { type ReadingBefore, readingsBefore } from './reading-states.queries.ts';
import type { FirstReading, SampleQueue } from './sample-queue.ts';

const AT_ONCE = 200;
/** What lies further back is a gap at every interval that is usual, and may be packed, as may the keyframe before it. */
const MOST_BACK_MS = 45 * 60_000;

async function follow(
  db: Db,
  queue: SampleQueue,
  { first, before }: { first: FirstReading; before: ReadingBefore },
): Promise<void> {
  const { layout, connection_id, database_name } = first.entry;
  const from = before.at - keyframeMs(layout) - MOST_BACK_MS;
  const slice = { connection_id, database_name, from, to: before.at + 1, isRaw: true };
  const { ticks } = await readRows(db, layout, slice);
  await yieldIfBusy();
  const state = stateAfter(layout, ticks);
  if (!state) return;
  // A list that was cut may have left an object out whose last values are older: only what it mentions is known to have been in it.
  if (!before.is_whole) {
    const mentioned = new Set(
      ticks.filter((tick) => tick.at === before.at * 1000).flatMap(({ ids }) => [...ids]),
    );
    for (const id of state.keys()) if (!mentioned.has(id)) state.delete(id);
  }
  const { at, is_whole: isWhole, continuity } = before;
  const known = { at, isWhole, continuity: continuity ?? undefined, state };
  queue.bridge(first, bridge(layout, known, first));
}

/** Compares first readings that are stored with those before them; answers whether there is anything to write. */
export async function recall(db: Db, queue: SampleQueue): Promise<boolean> {
  const taken = queue.takeFirst(AT_ONCE);
  for (const own of Map.groupBy(taken, ({ entry }) => entry.layout).values()) {
    const [one] = own;
    if (!one) continue;
    const asked = own.map(({ entry }) => entry);
    const found = await db.rows<ReadingBefore>(readingsBefore(one.entry.layout, asked, MOST_BACK_MS));
    for (const before of found) {
      const first = own[before.position - 1];
      const isSameLife = first?.server_instance !== null && first?.server_instance === before.server_instance;
      if (first && isSameLife) await follow(db, queue, { first, before });
    }
  }
  return queue.size > 0;
}
