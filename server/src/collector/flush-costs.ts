// Writes down, once a minute and for all servers together, what collecting costs them and what was run on them. Guards:
// a thousand servers are looked at in turns with all other work.
import { type StatementLedger, writeLedger } from '../estate/connections/statement-ledger.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import { append } from '../kernel/lists.ts';
import { yieldIfBusy } from '../kernel/scheduler.ts';
import { noteIntervals } from '../store/layout/retention.queries.ts';
import { type CostRow, writeCosts } from './own-cost.queries.ts';
import type { CostReport } from './own-cost.ts';

/** A server as far as its costs are concerned. */
export interface Costly {
  readonly connection_id: number;
  readonly epoch: number;
  /** What has changed since they were asked for last. */
  costs(): CostReport[];
  /** What was answered was not written down. */
  costsLost(): void;
}

const AT_ONCE = 1000;

function rowsOf(server: Costly, clock: Clock): CostRow[] {
  const { connection_id, epoch } = server;
  const ahead = clock.now() - clock.monotonic();
  return server.costs().map((cost) => ({ ...cost, connection_id, epoch, since: ahead + cost.since }));
}

export interface FlushCosts {
  db: Pick<Db, 'run'>;
  clock: Clock;
  ledger: StatementLedger;
  servers: readonly Costly[];
}

/** Rejects when the datastore does not take it; nothing is lost then. */
export async function flushCosts({ db, clock, ledger, servers }: FlushCosts): Promise<void> {
  await writeLedger(db, ledger);
  let costs: CostRow[] = [];
  const write = async () => {
    if (costs.length > 0) await db.run(writeCosts(costs));
    // What we made rarer ourselves is not to be taken for missing.
    if (costs.some(({ isPaceNew }) => isPaceNew)) await db.run(noteIntervals());
    costs = [];
  };
  try {
    for (const server of servers) {
      await yieldIfBusy();
      append(costs, rowsOf(server, clock));
      if (costs.length >= AT_ONCE) await write();
    }
    await write();
  } catch (error) {
    for (const server of servers) server.costsLost();
    throw error;
  }
}
