// Stores what lines of a log held, for whoever reads or receives them.
import type { Db } from '../../kernel/db.ts';
import { addBlock } from './line-blocks.queries.ts';
import type { PieceEvents } from './log-rows.ts';
import { addCounts, addEvents, addNames } from './log-writes.queries.ts';
import { addPlans, type PlansOf } from './seen-plans.queries.ts';

export type { LogPiece, PieceEvents } from './log-rows.ts';
export {
  type CountersOf,
  type KeptCounters,
  keepCounters,
  keptCounters,
  type PlanCounter,
  type PlanShape,
  type ShapeKept,
  shapesKept,
} from './plan-counters.queries.ts';
export { PLAN_SOURCES, type PlanSource } from './plan-sources.schemas.ts';
export { addPlans, forgetPlans } from './seen-plans.queries.ts';

/** Within the transaction that also notes how far was read, or what was received. */
export async function storeEvents(
  db: Db,
  of: PlansOf,
  { counts, names, events, blocks, plans }: Omit<PieceEvents, 'newest'>,
): Promise<void> {
  const { connection_id } = of;
  if (counts.length > 0) await addCounts(db, connection_id, counts);
  if (names.length > 0) await addNames(db, connection_id, names);
  if (events.length > 0) await addEvents(db, connection_id, events);
  for (const block of blocks) await addBlock(db, connection_id, block);
  await addPlans(db, of, plans);
}
