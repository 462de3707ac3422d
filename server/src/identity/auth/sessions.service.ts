// Sessions: a fixed 24 hours from signing in, at most ten for each user, stored hashed in the datastore, so that
// they survive a restart and end in every process at once.
import type { Db } from '../../kernel/db.ts';
import type { OidcProviderId } from '../../kernel/oidc-settings.ts';
import { Secret } from '../../kernel/secret.ts';
import { type Ctx, inTransaction } from '../access/principal.ts';
import { type AuditEntry, recordAudit } from '../audit/audit.service.ts';
import type { AuthCtx } from './login-attempts.service.ts';
import * as queries from './sessions.queries.ts';
import { newToken, tokenHash, utc } from './tokens.ts';

export type { EndedSession } from './sessions.queries.ts';

const SESSION_MS = 24 * 3_600_000;
const MOST_SESSIONS = 10;

/** What a session was opened with, as the audit log has it. */
export type SignInWith =
  | 'password'
  | 'password_and_code'
  | 'password_and_recovery_code'
  | 'password_and_passkey'
  | 'passkey'
  | 'link'
  | 'proxy'
  | OidcProviderId;

export interface OpenedSession {
  id: number;
  token: Secret;
  expires_at: string;
}

export interface SessionOwner {
  id: number;
  username: string;
}

/** In the name of the session's owner, who is not the caller yet, or not any more. */
async function record(
  ctx: AuthCtx,
  { id: user_id, username }: SessionOwner,
  { session_id, ...entry }: AuditEntry & { session_id: number },
): Promise<void> {
  const principal = { user_id, username, via: { kind: 'session', id: session_id } } as const;
  await recordAudit(
    { ...ctx, principal },
    { ...entry, target: { kind: 'user', id: user_id, name: username } },
  );
}

/** A session that its provider ended. */
export async function recordEnded(ctx: AuthCtx, session: queries.EndedSession, by: string): Promise<void> {
  const { session_id } = session;
  await record(ctx, session, { action: 'session.delete', details: { by }, session_id });
}

/** Opens a session and drops the user's oldest ones beyond ten. Inside a transaction that has locked the user. */
export async function openSession(ctx: AuthCtx, owner: SessionOwner, by: SignInWith): Promise<OpenedSession> {
  const token = newToken('');
  const now = ctx.clock.now();
  const expires_at = utc(now + SESSION_MS);
  const { id } = await ctx.db.one<{ id: number }>(
    queries.insertSession({
      token_hash: tokenHash(token),
      user_id: owner.id,
      created_at: utc(now),
      expires_at,
    }),
  );
  await ctx.db.run(queries.pruneSessions(owner.id, MOST_SESSIONS, utc(now)));
  await record(ctx, owner, { action: 'session.create', details: { by }, session_id: id });
  return { id, token, expires_at };
}

/** Ends the session a token belongs to; anything else that was presented is left alone. `by`: what ended it, if not its user by signing out. */
export async function endSession(
  ctx: AuthCtx,
  presented: string | undefined,
  by?: 'new_session',
): Promise<queries.EndedSession | undefined> {
  if (presented === undefined) return undefined;
  const hash = tokenHash(new Secret(presented));
  const ended = await ctx.db.transaction(async (db) => {
    const session = await db.maybe<queries.EndedSession>(queries.deleteSessionByToken(hash));
    const entry = { action: 'session.delete', ...(by && { details: { by } }) } as const;
    if (session) await record({ ...ctx, db }, session, { ...entry, session_id: session.session_id });
    return session;
  });
  if (ended) ctx.log.info({ event: 'auth.signed_out', user_id: ended.id });
  return ended;
}

/**
 * Ends the sessions of a user, but not the one that asks, and links that were not used yet; who may is decided before. Answers
 * how many sessions there were.
 */
export async function endSessionsOf(ctx: Ctx, user: SessionOwner): Promise<number> {
  const { via } = ctx.principal;
  const ended = await inTransaction(ctx, async (tx) => {
    const sessions = await tx.db.run(
      queries.deleteOtherSessions(user.id, via.kind === 'session' ? via.id : null),
    );
    await tx.db.run(queries.deleteLinksOf(user.id));
    await recordAudit(tx, {
      action: 'user.end_sessions',
      target: { kind: 'user', id: user.id, name: user.username },
      details: { sessions },
    });
    return sessions;
  });
  ctx.log.info({ event: 'auth.sessions_ended', user_id: user.id, sessions: ended });
  return ended;
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
