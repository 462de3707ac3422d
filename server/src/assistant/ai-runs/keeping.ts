// What the record of model calls needs over time: calls of processes that ended are settled, what is old or too much goes.
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { iso } from '../../kernel/times.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { loseCalls, purgeBudgets, purgeCalls, purgeUse } from './calls.queries.ts';

const FIRST_MS = 60_000;
const MIB = 1024 * 1024;

export interface KeepingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  keep_calls_days: number;
  keep_calls_megabytes: number;
}

/** Settles what was lost and removes what is not kept any longer. */
export async function keepCalls(options: KeepingOptions): Promise<void> {
  const { db, clock, keep_calls_days, keep_calls_megabytes } = options;
  const now = clock.now();
  await loseCalls(db, iso(now - HOUR_MS));
  const before = iso(now - Math.max(1, keep_calls_days) * 24 * HOUR_MS);
  await purgeCalls(db, { before, bytes: keep_calls_megabytes * MIB });
  await purgeBudgets(db, iso(now).slice(0, 10));
  await purgeUse(db, iso(now).slice(0, 10));
}

/** A minute after the start and then each hour. */
export function startKeeping(options: KeepingOptions): Part {
  let running = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const round = async () => {
    await keepCalls(options).catch((err: unknown) =>
      options.log.warn({ event: 'llm.calls_not_purged', err }),
    );
    if (!stopped) timer = setTimeout(again, HOUR_MS).unref();
  };
  const again = () => {
    running = round();
  };
  timer = setTimeout(again, FIRST_MS).unref();
  return {
    name: 'model-calls',
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
