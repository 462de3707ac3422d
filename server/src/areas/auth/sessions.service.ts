// Sessions: a fixed 24 hours from signing in, at most ten for each user, stored hashed in the datastore, so that
// they survive a restart and end in every process at once.
import type { Db } from '../../kernel/db.ts';
import { Secret } from '../../kernel/secret.ts';
import type { AuthCtx } from './attempts.service.ts';
import * as queries from './sessions.queries.ts';
import { newToken, tokenHash, utc } from './tokens.ts';

const SESSION_MS = 24 * 3_600_000;
const MOST_SESSIONS = 10;

export interface OpenedSession {
  token: Secret;
  expires_at: string;
}

/** Opens a session and drops the user's oldest ones beyond ten. Inside a transaction that has locked the user. */
export async function openSession(ctx: AuthCtx, userId: number): Promise<OpenedSession> {
  const token = newToken('');
  const now = ctx.clock.now();
  const expires_at = utc(now + SESSION_MS);
  await ctx.db.run(
    queries.insertSession({
      token_hash: tokenHash(token),
      user_id: userId,
      created_at: utc(now),
      expires_at,
    }),
  );
  await ctx.db.run(queries.pruneSessions(userId, MOST_SESSIONS, utc(now)));
  return { token, expires_at };
}

/** Ends the session a token belongs to; anything else that was presented is left alone. */
export async function endSession(ctx: AuthCtx, presented: string | undefined): Promise<void> {
  if (presented === undefined) return;
  const ended = await ctx.db.maybe<{ user_id: number }>(
    queries.deleteSessionByToken(tokenHash(new Secret(presented))),
  );
  if (ended) ctx.log.info({ event: 'auth.signed_out', user_id: ended.user_id });
}

/** Ends what an old password opened: sessions (all, or all but one) and links that were not used yet. */
export async function endAccess(db: Db, userId: number, keptSessionId: number | null): Promise<void> {
  await db.run(queries.deleteOtherSessions(userId, keptSessionId));
  await db.run(queries.deleteLinksOf(userId));
}

/** Deletes expired sessions and links of everybody. A part of any maintenance; harmless at any time. */
export async function cleanSessions({ db, clock }: AuthCtx): Promise<void> {
  await db.run(queries.cleanSessions(utc(clock.now())));
  await db.run(queries.cleanLinks(utc(clock.now())));
}
