// What the audit log needs over time: rows older than its retention go, and the newest hash goes to the log, where
// whoever can change the datastore cannot reach it. Guards: what is removed is behind the anchor, and the removal itself
// is a row, so the rest can still be verified.
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { recordAudit, systemActor } from './audit.service.ts';
import { findChain, findPrunable, pruneThrough } from './chain.queries.ts';

export interface KeepingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  /** 0 keeps everything. */
  retention_days: number;
}

const EVERY_MS = 3_600_000;
const ROWS_AT_ONCE = 10_000;

async function pruneSome({ db, clock, log }: KeepingOptions, cutoff: string): Promise<number> {
  return db.transaction(async (tx) => {
    const through = await findPrunable(tx, cutoff, ROWS_AT_ONCE);
    if (!through) return 0;
    const removed = await pruneThrough(tx, through.id, through.hash);
    const details = { through_id: through.id, through_hash: through.hash.toString('hex'), removed };
    await recordAudit(
      { db: tx, clock, log, principal: systemActor('server') },
      { action: 'audit.prune', details },
    );
    return removed;
  });
}

/** Removes what is older than the retention; answers how many rows. */
export async function pruneAudit(options: KeepingOptions): Promise<number> {
  if (options.retention_days === 0) return 0;
  const cutoff = new Date(options.clock.now() - options.retention_days * DAY_MS).toISOString();
  let total = 0;
  for (;;) {
    const removed = await pruneSome(options, cutoff);
    total += removed;
    if (removed < ROWS_AT_ONCE) return total;
  }
}

/** Prunes at once and then each hour, and logs the head whenever it has moved. */
export function startAuditKeeping(options: KeepingOptions): Part {
  const { db, log } = options;
  let logged = 0;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function keep(): Promise<void> {
    const removed = await pruneAudit(options);
    if (removed > 0) log.info({ event: 'audit.pruned', removed });
    const ends = await findChain(db);
    if (!ends || ends.head_id === logged) return;
    logged = ends.head_id;
    log.info({ event: 'audit.head', id: ends.head_id, hash: ends.head_hash.toString('hex') });
  }

  async function round(): Promise<void> {
    await keep().catch((err: unknown) => {
      if (!stopped) log.warn({ event: 'audit.keeping_failed', err });
    });
    if (!stopped) timer = setTimeout(again, EVERY_MS).unref();
  }

  const again = () => {
    running = round();
  };
  let running = round();
  return {
    name: 'audit-keeping',
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
