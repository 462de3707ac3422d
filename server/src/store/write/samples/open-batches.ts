// Live batches whose fate is open, and what is to be known of them. Guards: none is counted as safe on a disk that gave it up.
import type { About } from '../../spool/format.ts';
import type { PendingWrite } from './batch-store.ts';
import type { Entry } from './sample-queue.ts';

/** A live batch, until its fate is known. */
export interface Open {
  readonly pending: PendingWrite;
  readonly entries: readonly Entry[];
  readonly bytes: number;
  /** Its number in the spool; 0: in memory alone. */
  seq: number;
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
