// Sessions and sign-ins of the caller. Guards: a caller sees and ends what is their own, and nothing else.
import { Fault } from '../../kernel/errors.ts';
import { iso } from '../../kernel/times.ts';
import type { Ctx } from '../access/principal.ts';
import { recordAudit } from '../audit/audit.service.ts';
import * as queries from './own-sessions.queries.ts';

/** Newest first, without those that ended since they were not used for `idleMs`. */
export function listOwnSessions(
  { db, clock, principal }: Ctx,
  idleMs: number | undefined,
): Promise<queries.OwnSession[]> {
  const { user_id, via } = principal;
  const owner = { user_id, session_id: via.kind === 'session' ? via.id : 0 };
  const now = clock.now();
  const used_since = idleMs === undefined ? null : iso(now - idleMs);
  return db.rows<queries.OwnSession>(queries.selectOwnSessions(owner, { now: iso(now), used_since }));
}

/** Newest first, refused ones among them. */
export const listOwnSignIns = ({ db, principal }: Ctx, limit: number): Promise<queries.SignInAttempt[]> =>
  db.rows<queries.SignInAttempt>(queries.selectSignIns(principal.user_id, limit));

/** 404 for what is not the caller's, as for what is not there. */
export async function endOwnSession(ctx: Ctx, sessionId: number): Promise<void> {
  const { user_id, username } = ctx.principal;
  await ctx.db.transaction(async (db) => {
    if ((await db.run(queries.deleteOwnSession(user_id, sessionId))) === 0)
      throw new Fault('not_found', 'You have no such session. It may have ended already.');
    await recordAudit(
      { ...ctx, db },
      {
        action: 'session.delete',
        target: { kind: 'user', id: user_id, name: username },
        details: { ended_session: sessionId },
      },
    );
  });
  ctx.log.info({ event: 'auth.session_ended', user_id, session_id: sessionId });
}
