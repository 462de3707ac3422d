// Keeps a transaction alive while this process computes for it: the datastore ends sessions that say nothing for 20 seconds within
// a transaction (db.ts), and packing a day of a large server may take longer on a busy machine.
import { type Clock, systemClock } from './clock.ts';
import type { Db } from './db.ts';

const EVERY_MS = 3000;

/** To be called between pieces of work; says something from time to time. */
export function keepAwake(db: Db, clock: Clock = systemClock): () => Promise<void> {
  let last = clock.monotonic();
  return async () => {
    if (clock.monotonic() - last < EVERY_MS) return;
    await db.run({ text: '/* kernel.keep_awake */ select', values: [] });
    last = clock.monotonic();
  };
}
