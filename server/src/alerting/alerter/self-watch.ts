// Looks every few seconds whether any work of this product fails, here or in another process. Guards: it asks nothing of the alerter,
// and a datastore that is away stops nothing.
import { type Ctx, systemPrincipal } from '../../identity/identity.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/db.ts';
import { until } from '../../kernel/leaving.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { PartStates } from '../../kernel/part-states.ts';
import { startRounds } from '../../kernel/rounds.ts';
import { judgeParts } from '../alerts/part-alerts.service.ts';
import type { QueueOptions } from '../notification-channels/outbox.service.ts';

const EVERY_MS = 10_000;

export interface SelfWatchOptions extends QueueOptions {
  db: Database;
  log: Log;
  clock: Clock;
  parts: PartStates;
}

export const startSelfWatch = (options: SelfWatchOptions): Part =>
  startRounds({
    name: 'self-watch',
    pauseMs: EVERY_MS,
    delayMs: EVERY_MS,
    onFailure: (error) => options.log.warn({ event: 'self_watch.failed', err: error }),
    begin: (signal) => {
      const { log, clock, group_seconds, parts } = options;
      const db = until(options.db, () => signal);
      const ctx: Ctx = { db, log, clock, signal, principal: systemPrincipal('server') };
      return { round: () => judgeParts(ctx, { group_seconds }), end: () => parts.leave() };
    },
  });
