// Writes down, once a minute and for all servers together, what collecting costs them and what was run on them.

import { type StatementLedger, writeLedger } from '../areas/connections/statement-ledger.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import { type CostRow, writeCosts } from './own-cost.queries.ts';
import type { CostReport } from './own-cost.ts';

/** A server as far as its costs are concerned. */
export interface Costly {
  readonly connection_id: number;
  readonly epoch: number;
  costs(): CostReport[];
}

const AT_ONCE = 5000;

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

/** Rejects when the datastore does not take it; of the ledger nothing is lost then. */
export async function flushCosts({ db, clock, ledger, servers }: FlushCosts): Promise<void> {
  await writeLedger(db, ledger);
  const costs = servers.flatMap((server) => rowsOf(server, clock));
  for (let from = 0; from < costs.length; from += AT_ONCE)
    await db.run(writeCosts(costs.slice(from, from + AT_ONCE)));
}
