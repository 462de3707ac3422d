// A datastore with the tables of this version. Guards: what is wrong with it is one sentence, not an error of the driver.
import { datastoreProblem } from '../kernel/datastore-problem.ts';
import { UsageError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Secret } from '../kernel/secret.ts';
import { migrate } from './migrate.ts';
import { poolerProblem } from './pooler.ts';

export interface PrepareOptions {
  log: Log;
  /** Whether a pooler may stand before it: one that would break our sessions is refused. */
  mayBePooled: boolean;
}

/** Answers the names of the migrations that were due. Rejects with a UsageError that says what is wrong. */
export async function prepareDatastore(url: Secret, { log, mayBePooled }: PrepareOptions): Promise<string[]> {
  try {
    const pooler = mayBePooled ? await poolerProblem(url) : undefined;
    if (pooler !== undefined) throw new UsageError(`The datastore cannot be used: ${pooler}`);
    return await migrate(url, log);
  } catch (error) {
    const problem = datastoreProblem(error);
    throw problem ? new UsageError(`The datastore cannot be used: ${problem}`) : error;
  }
}
