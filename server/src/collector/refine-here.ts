// Goes on from what a tick has read, and keeps the plans that came of it. Guards: keeping them is not waited for, since the datastore may be
// away and the next server need not wait for that.
import { addPlans } from '../estate/server-logs/log-writes.service.ts';
import type { SqlProbe } from '../probes/types.ts';
import type { Outcome } from '../store/layout/types.ts';
import { PlannedStatements } from './plans/planned-statements.ts';
import { refined } from './refine.ts';
import type { Session } from './session.ts';
import type { TickTarget } from './tick-target.ts';

export async function refinedHere(
  at: TickTarget,
  session: Session,
  { probe, outcome }: { probe: SqlProbe; outcome: Outcome },
): Promise<Outcome> {
  if (!probe.refine) return outcome;
  const planned = new PlannedStatements();
  const done = await refined(probe, outcome, {
    session,
    parser: at.shared.parser,
    memory: at.plan.refining,
    onTook: (ms) => at.cost.add(probe.name, ms, at.shared.clock.monotonic()),
    onPlanned: (one) => planned.add(one),
  });
  keep(at, session, planned);
  return done;
}

function keep({ shared, target, epoch }: TickTarget, { database }: Session, planned: PlannedStatements) {
  const { plans, clock, scrubber, log } = shared;
  const { connection_id } = target;
  const rows = planned.rows({ database, at: clock.now(), scrub: (text) => scrubber.statement(text) });
  addPlans(plans, { connection_id, epoch }, rows).catch((err: unknown) =>
    log.warn({ event: 'collector.plans_failed', connection_id, err }),
  );
}
