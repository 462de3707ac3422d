// Looks every few seconds whether any work of this product fails, here or in another process. Guards: it asks nothing of the alerter,
// and a datastore that is away stops nothing.
import { type Ctx, systemActor } from '../../identity/identity.ts';
import { type Clock, sleep } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/db.ts';
import { until } from '../../kernel/leaving.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { PartStates } from '../../kernel/part-states.ts';
import { judgeParts } from '../alerts/part-alerts.service.ts';
import type { QueueOptions } from '../notification-channels/outbox.service.ts';

const EVERY_MS = 10_000;

export interface SelfWatchOptions extends QueueOptions {
  db: Database;
  log: Log;
  clock: Clock;
  parts: PartStates;
  /** Ten seconds when absent. */
  everyMs?: number;
}

export function startSelfWatch({
  db,
  log,
  clock,
  group_seconds,
  parts,
  everyMs = EVERY_MS,
}: SelfWatchOptions): Part {
  const stopping = new AbortController();
  const { signal } = stopping;
  const principal = {
    ...systemActor('server'),
    is_superuser: true,
    admin_permissions: ['*'],
    scope: undefined,
  };
  const ctx: Ctx = { db: until(db, () => signal), log, clock, signal, principal };
  const loop = async () => {
    while (!signal.aborted) {
      await sleep(everyMs, signal);
      try {
        if (!signal.aborted) await judgeParts(ctx, { group_seconds });
      } catch (error) {
        if (!signal.aborted) log.warn({ event: 'self_watch.failed', err: error });
      }
    }
  };
  const done = loop();
  return {
    name: 'self-watch',
    stop: async () => {
      stopping.abort();
      await done;
      await parts.leave();
    },
  };
}
