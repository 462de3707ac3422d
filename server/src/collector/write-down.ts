// Writes down, once a minute and for all servers together, what collecting costs them and what was run on them.
// Guards: a datastore that is away costs nothing but the delay; counts are written once.
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import { type CostRow, writeCosts, writeRuns, writeStatements } from './own-cost.queries.ts';
import type { CostReport } from './own-cost.ts';
import type { StatementLedger } from './statement-ledger.ts';

/** A server as far as its costs are concerned. */
export interface Costly {
  readonly connection_id: number;
  readonly epoch: number;
  costs(): CostReport[];
}

const AT_ONCE = 5000;
const TEXTS_AT_ONCE = 200;

function* slices<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

function rowsOf(server: Costly, clock: Clock): CostRow[] {
  const { connection_id, epoch } = server;
  const ahead = clock.now() - clock.monotonic();
  return server.costs().map((cost) => ({ ...cost, connection_id, epoch, since: ahead + cost.since }));
}

export interface WriteDown {
  db: Pick<Db, 'run'>;
  clock: Clock;
  ledger: StatementLedger;
  servers: readonly Costly[];
}

/** Rejects when the datastore does not take it; what was not written is kept for the next time. */
export async function writeDown({ db, clock, ledger, servers }: WriteDown): Promise<void> {
  const { texts, runs } = ledger.take();
  let written = { texts: 0, runs: 0 };
  try {
    for (const slice of slices(texts, TEXTS_AT_ONCE)) {
      await db.run(writeStatements(slice));
      ledger.done(slice);
      written = { ...written, texts: written.texts + slice.length };
    }
    for (const slice of slices(runs, AT_ONCE)) {
      await db.run(writeRuns(slice));
      written = { ...written, runs: written.runs + slice.length };
    }
  } catch (error) {
    ledger.restore({ texts: texts.slice(written.texts), runs: runs.slice(written.runs) });
    throw error;
  }
  const costs = servers.flatMap((server) => rowsOf(server, clock));
  for (const slice of slices(costs, AT_ONCE)) await db.run(writeCosts(slice));
}
