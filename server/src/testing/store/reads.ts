// The newest state of a connection: the newest run of each probe, with its rows. Invariant: no value is carried forward
// silently; every run says when its rows were collected and how the newest attempt ended.
import type { Db } from '../../kernel/db.ts';
import { currentFacts, currentSnapshots, type FactRow, type SnapshotRow } from './reads.queries.ts';

export type { FactRow, SnapshotRow };

/** The newest run of each probe and database. */
export function snapshotsOf(db: Db, connectionId: number): Promise<SnapshotRow[]> {
  return db.rows<SnapshotRow>(currentSnapshots(connectionId));
}

/** The items of a change-tracked probe as they are now. */
export function factsOf(db: Db, of: { connection_id: number; probe: string }): Promise<FactRow[]> {
  return db.rows<FactRow>(currentFacts(of.connection_id, of.probe));
}
