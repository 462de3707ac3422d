// Notices cheaply that a server's part in replication has changed: another timeline, other senders, receivers or
// appliers. The probes of its identity then run at once, so a failover shows within seconds though they run seldom.
import { tellsServer } from './hurries.ts';
import type { Statement } from './pipeline.ts';
import type { Session } from './session.ts';
import { ROLE_HINT } from './target.queries.ts';
import type { TickTarget } from './tick-target.ts';

const EVERY_MS = 10_000;
const ROLE_REPLY = { columns: 1, rows: 1, bytes: 64 * 1024, isRepeated: true };

/** The statement, when it is time for it. A session that is only passing has nothing to compare with. */
export function roleQuestion({ shared, isPassing }: TickTarget, session: Session): Statement[] {
  const isDue = shared.clock.monotonic() - (session.roleSeen?.at ?? Number.NEGATIVE_INFINITY) >= EVERY_MS;
  const isOf = shared.probes.some(({ onIdentity }) => onIdentity);
  return isDue && isOf && !isPassing ? [{ text: ROLE_HINT, how: ROLE_REPLY }] : [];
}

export function noteRole(
  { plan, shared }: TickTarget,
  session: Session,
  row: Record<string, unknown> | undefined,
): void {
  const now = shared.clock.monotonic();
  const signature = String(row?.signature);
  const before = session.roleSeen?.signature;
  session.roleSeen = { signature, at: now };
  if (before === undefined || before === signature) return;
  plan.hurry(tellsServer, now);
  // Who is promoted takes changes itself from now on.
  session.capabilitiesAt = Number.NEGATIVE_INFINITY;
}
