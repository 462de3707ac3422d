// Which servers are judged when: a new one each minute for a quarter of an hour, then every ten minutes, some at a time. Guards:
// however many servers there are, one round reads a bounded number of them.
import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { partly, silentAfter } from '../../store/read/doors/runs.ts';
import { keepDueRegressions } from '../query-plans/regressions.service.ts';
import { keepDueRunway } from '../runway/keep.service.ts';
import { type EvaluationReport, evaluateFindings } from './evaluate.service.ts';
import { dueServers, forgetFindings, type Lease, watchedServers } from './stored.queries.ts';

const EVERY = { seconds: 600, young_seconds: 30, most: 50 } as const;
const KEPT = { days: 400, most: 1000 } as const;

interface Without {
  lease: Lease;
  /** Servers whose node of the datastore does not answer: they wait. */
  silent: readonly number[];
}

async function evaluateWithout(ctx: Ctx, { lease, silent }: Without): Promise<EvaluationReport> {
  await keepDueRunway(ctx.db, ctx.clock.now(), silent);
  await keepDueRegressions(ctx, silent);
  const servers = await dueServers(ctx.db, EVERY, silent);
  if (servers.length === 0) return { servers: 0, written: 0, resolved: 0 };
  return evaluateFindings(ctx, { servers, lease, without: silent });
}

/** What nobody asks about any more, a slice at a time; answers whether there may be more. */
export const forgetOldFindings = async ({ db }: Ctx): Promise<boolean> =>
  (await forgetFindings(db, KEPT)) === KEPT.most;

/** A round: the servers that wait longest, and what runs out on some. A server that cannot be read keeps no other from it. */
export async function evaluateDue(ctx: Ctx, lease: Lease): Promise<EvaluationReport> {
  try {
    return await evaluateWithout(ctx, { lease, silent: [] });
  } catch (error) {
    const silent = await silentAfter(ctx.db, await watchedServers(ctx.db), error);
    await evaluateWithout(ctx, { lease, silent });
    throw new Fault('unavailable', partly(silent.length), { cause: error });
  }
}
