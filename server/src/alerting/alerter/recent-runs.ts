// Which probes brought something new in the last while, and where what runs out was found anew, for whoever judges what is new:
// one statement for all connections.
import type { Db } from '../../kernel/db.ts';
import { recentRunsOf } from './recent-runs.queries.ts';

export interface RecentRun {
  connection_id: number;
  probe: string;
  /** The newest run of any of its databases; milliseconds since the epoch. */
  at: number;
}

/** Runs of these probes that were collected since `from` (milliseconds since the epoch), of what runs out, of logs and of plans. */
export const recentRuns = (
  db: Db,
  asked: { probes: readonly string[]; from: number },
): Promise<RecentRun[]> => db.rows<RecentRun>(recentRunsOf(asked));
