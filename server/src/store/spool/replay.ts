// Brings what a spool still holds into the datastore, beside what is collected now. Guards: live data goes first, a
// replay takes at most half of the time, and still goes at least ten times as fast as the data came.
import { type Clock, sleep } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Spool, Spooled } from './types.ts';

export interface ReplayOptions {
  spool: Spool;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** Resolves when the datastore has it, by this call or since earlier; rejects when it should be tried again. */
  store(records: readonly Spooled[]): Promise<void>;
  /** Resolves when nothing that was collected just now waits for the datastore. */
  liveIsStored(): Promise<void>;
}

const SPEED = 10;
/** So many records are stored together, or so many bytes of them. */
const TOGETHER = { records: 32, bytes: 2 * 1024 * 1024 };
const RETRY_MS = 250;
const MOST_RETRY_MS = 5000;

/** How long to rest after a record: as long as it took, but never so long that the replay gets too slow. */
export function restAfter({ took_ms, span_ms }: { took_ms: number; span_ms: number }): number {
  return Math.max(0, Math.min(took_ms, span_ms / SPEED - took_ms));
}

async function storeAtLast(
  records: readonly Spooled[],
  { store, liveIsStored, signal, log }: ReplayOptions,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await liveIsStored();
      return await store(records);
    } catch (error) {
      // What fails then is tried again by the next start.
      if (signal.aborted) return;
      if (failures === 0) log.warn({ event: 'spool.replay_waits', seq: records[0]?.seq, err: error });
      await sleep(Math.min(MOST_RETRY_MS, RETRY_MS * 2 ** Math.min(failures, 10)), signal);
    }
  }
}

/** The records in their order, some together. */
async function* groupsOf(spool: Spool): AsyncGenerator<Spooled[]> {
  let group: Spooled[] = [];
  let bytes = 0;
  for await (const record of spool.unacknowledged()) {
    group.push(record);
    bytes += record.kind === 'batch' ? record.payload.length : 0;
    if (group.length < TOGETHER.records && bytes < TOGETHER.bytes) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}

/** Resolves with the number of records once all that was there at the beginning is stored, or the signal aborts. */
export async function replay(options: ReplayOptions): Promise<number> {
  const { spool, clock, signal, log } = options;
  let count = 0;
  let before: number | undefined;
  for await (const group of groupsOf(spool)) {
    const began = clock.monotonic();
    await storeAtLast(group, options);
    if (signal.aborted) break;
    for (const { seq } of group) spool.acknowledge(seq);
    count += group.length;
    const batches = group.filter((record) => record.kind === 'batch');
    const [first, last] = [batches[0], batches.at(-1)];
    if (!first || !last) continue;
    const span_ms = Math.max(0, last.to - (before ?? first.from));
    before = last.to;
    await sleep(restAfter({ took_ms: clock.monotonic() - began, span_ms }), signal);
  }
  if (count > 0) log.info({ event: 'spool.replayed', records: count });
  return count;
}
