// Live batches whose fate is open, and what is to be known of them. Guards: none is counted as safe on a disk that gave it
// up; what is written together is no larger than one batch may be.
import type { About } from '../../spool/format.ts';
import { type PendingWrite, pendingWrite } from './batch-store.ts';
import type { Entry } from './sample-queue.ts';
import type { Batch } from './sample-writer.queries.ts';

/** A live batch, until its fate is known. */
export interface Open {
  readonly batch: Batch;
  readonly entries: readonly Entry[];
  readonly bytes: number;
  /** Its number in the spool; 0: in memory alone. */
  seq: number;
}

/** Batches that are written in one transaction; one that failed goes on where it was. */
export interface Joint {
  readonly batches: readonly Open[];
  readonly pending: PendingWrite;
}

/** The oldest of them, as many as make one batch, at least one. */
export function joined(open: readonly Open[], most: { maxRuns: number; maxBytes: number }): Joint {
  const batches: Open[] = [];
  let runs = 0;
  let bytes = 0;
  for (const one of open) {
    runs += one.entries.length;
    bytes += one.bytes;
    if (batches.length > 0 && (runs > most.maxRuns || bytes > most.maxBytes)) break;
    batches.push(one);
  }
  return { batches, pending: pendingWrite(batches) };
}

export function aboutOf(entries: readonly Entry[]): About {
  const times = entries.map(({ at }) => at);
  return {
    connections: [...new Set(entries.map(({ connection_id }) => connection_id))],
    from: times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    to: times.reduce((a, b) => Math.max(a, b), 0),
  };
}

export const bytesOf = (open: readonly Open[]) => open.reduce((bytes, one) => bytes + one.bytes, 0);

/** How many runs they are. */
export const runsOf = (open: readonly Open[]) =>
  open.reduce((count, { entries }) => count + entries.length, 0);
