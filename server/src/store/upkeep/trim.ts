// Deletes rows that only some connections keep no longer, partition by partition. Guards: a row is deleted only when
// the retention of its own connection allows it.
import type { Database } from '../../kernel/db.ts';
import type { Engine, Partition } from '../layout/engine/types.ts';
import { isOlder, type Kept, type Retentions } from '../layout/retention.ts';

/** What came due in the last runs; a thorough run catches the rest. */
const SLACK_DAYS = 3;

export interface Trim {
  kept: Kept;
  partitions: readonly Partition[];
  retentions: Retentions;
  now: number;
  /** Looks at all partitions, not only at those whose time has come since two days. */
  thorough: boolean;
}

/** Deletes what single connections keep no longer; answers how many rows. */
export async function trim(db: Database, engine: Engine, of: Trim): Promise<number> {
  const { kept, partitions, retentions, now, thorough } = of;
  const classes = retentions.shorter(kept);
  if (classes.length === 0) return 0;
  const longest = retentions.longest(kept);
  let trimmed = 0;
  for (const partition of partitions) {
    if (isOlder(partition, longest, now)) continue;
    const over = classes.filter(
      ({ days }) =>
        isOlder(partition, days, now) && (thorough || !isOlder(partition, days + SLACK_DAYS, now)),
    );
    if (over.length === 0) continue;
    const ids = over.flatMap(({ connection_ids }) => connection_ids);
    const gone = await engine.deleteConnections(db, partition, ids);
    trimmed += gone;
    if (gone > 0) await engine.shrink(db, partition);
  }
  return trimmed;
}
