// How far the clocks of servers are ahead of ours, as the collector measured last: the times of the log that a server sends are
// those of its own clock.
import type { Db } from '../../kernel/db.ts';
import { probe } from '../../probes/pg-connectivity.ts';
import { newest } from '../../store/read/doors/newest.ts';

/** In milliseconds, of those that are not as ours. */
export async function clocksAhead(
  db: Db,
  connection_ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (connection_ids.length === 0) return new Map();
  const rows = await newest(db, { probe, columns: ['clock_ahead_seconds'], connection_ids });
  return new Map(
    rows.flatMap(({ connection_id, row: { clock_ahead_seconds: ahead } }) =>
      typeof ahead === 'number' && ahead !== 0 ? [[connection_id, ahead * 1000] as const] : [],
    ),
  );
}
