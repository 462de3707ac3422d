// Finds what runs out on servers, in the background, and keeps it: it is a matter of days, and reads a month of samples of each server.

import { RUNWAY_SECONDS, readRunway } from '../../history/history.ts';
import type { Db } from '../../kernel/db.ts';
import { dueServers, saveRunway } from './runway.queries.ts';

/** What a new server has is read within its first minutes: what runs out would else be unknown for hours. */
const EVERY = { seconds: RUNWAY_SECONDS, young_seconds: 60, most: 10 } as const;

/** Of these servers, at once. */
export async function keepRunwayOf(db: Db, connection_ids: readonly number[], now: number): Promise<void> {
  const rows = Map.groupBy(await readRunway(db, { connection_ids, now }), (row) => row.connection_id);
  await saveRunway(
    db,
    connection_ids.map((connection_id) => ({ connection_id, items: rows.get(connection_id) ?? [] })),
  );
}

/** A round: the servers that wait longest. Two processes at once do the same work twice, and no harm. */
export async function keepDueRunway(db: Db, now: number, without: readonly number[] = []): Promise<number> {
  const due = await dueServers(db, EVERY, without);
  if (due.length > 0)
    await keepRunwayOf(
      db,
      due.map(({ connection_id }) => connection_id),
      now,
    );
  return due.length;
}
