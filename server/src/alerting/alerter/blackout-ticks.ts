// Blackouts from schedules, in the background: a round every five seconds in one of the processes, which also forgets old ones
// once an hour. Guards: a datastore that
// is away stops nothing; whoever has the lease and freezes is replaced when it has run out; two at a time do no harm.

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/db.ts';
import { until } from '../../kernel/leaving.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { NOT_NOTED, type PartNotes } from '../../kernel/part-states.ts';
import { startRounds } from '../../kernel/rounds.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { forgetOldBlackouts, type Memory, makeIfDue, type TicksCtx } from '../blackouts/ticks.service.ts';

export interface BlackoutTicksOptions {
  db: Database;
  log: Log;
  clock: Clock;
  /** Five seconds when absent. */
  everyMs?: number;
  /** Of this process: whose lease it has is free at once when that dies. */
  owner?: string;
  /** Told whether the work goes on; not noted when absent. */
  parts?: PartNotes;
}

const EVERY_MS = 5000;
/** A round counts as due a little early, since the last one ended after its time. */
const SLACK = 0.9;

export function startBlackoutTicks(options: BlackoutTicksOptions): Part {
  const { log, clock, everyMs = EVERY_MS, owner = randomUUID(), parts = NOT_NOTED } = options;
  const memory: Memory = new Map();
  let forgottenAt = Number.NEGATIVE_INFINITY;
  const forget = async (ctx: TicksCtx) => {
    if (clock.monotonic() - forgottenAt < HOUR_MS) return;
    forgottenAt = clock.monotonic();
    const forgotten = await forgetOldBlackouts(ctx);
    if (forgotten > 0) log.info({ event: 'blackouts.forgotten', forgotten });
  };
  return startRounds({
    name: 'blackout-ticks',
    pauseMs: everyMs,
    noted: { part: 'blackouts', parts },
    onFailure: (error) => log.warn({ event: 'blackouts.failed', err: error }),
    begin: (signal) => {
      const ctx = { db: until(options.db, () => signal), log, clock };
      return {
        round: async () => {
          const round = { ctx, memory, now: clock.now(), owner, every_seconds: (everyMs / 1000) * SLACK };
          const made = await makeIfDue(round);
          if (made) log.info({ event: 'blackouts.started', made });
          if (made !== undefined) await forget(ctx);
        },
      };
    },
  });
}
