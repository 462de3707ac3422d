// Which servers are judged when: a new one each minute for a quarter of an hour, then every ten minutes, some at a time. Guards:
// however many servers there are, one round reads a bounded number of them.
import type { Ctx } from '../../identity/identity.ts';
import { keepDueRunway } from '../runway/keep.service.ts';
import { type EvaluationReport, evaluateFindings } from './evaluate.service.ts';
import { dueServers, forgetFindings, type Lease } from './stored.queries.ts';

const EVERY = { seconds: 600, young_seconds: 30, most: 50 } as const;
const KEPT = { days: 400, most: 1000 } as const;

/** A round: the servers that wait longest, and what runs out on some. */
export async function evaluateDue(ctx: Ctx, lease: Lease): Promise<EvaluationReport> {
  await keepDueRunway(ctx.db, ctx.clock.now());
  const servers = await dueServers(ctx.db, EVERY);
  if (servers.length === 0) {
    await forgetFindings(ctx.db, KEPT);
    return { servers: 0, written: 0, resolved: 0 };
  }
  return evaluateFindings(ctx, { servers, lease });
}
