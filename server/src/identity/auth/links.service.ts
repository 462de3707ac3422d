// One-time links: a way in for whoever holds the command line, before there is a password. Each works once and for
// an hour; the datastore keeps only its SHA-256.
import { Fault } from '../../kernel/errors.ts';
import type { Secret } from '../../kernel/secret.ts';
import { type Ctx, inTransaction } from '../access/principal.ts';
import { recordAudit } from '../audit/audit.service.ts';
import type { AuthCtx } from './login-attempts.service.ts';
import * as queries from './sessions.queries.ts';
import { newToken, tokenHash, utc } from './tokens.ts';
import { lockUser, type UserRow } from './users.queries.ts';
import { requireUser } from './users.service.ts';

const LINK_MS = 3_600_000;

export interface CreatedLink {
  token: Secret;
  expires_at: string;
}

/** Makes a link that signs the user in once. */
export async function addLink(ctx: AuthCtx, userId: number): Promise<CreatedLink> {
  const token = newToken('mlk_');
  const now = ctx.clock.now();
  const expires_at = utc(now + LINK_MS);
  await ctx.db.run(
    queries.insertLink({ token_hash: tokenHash(token), user_id: userId, created_at: utc(now), expires_at }),
  );
  return { token, expires_at };
}

/** Makes a link for an account by name. 404 for nobody, 409 for accounts that cannot sign in. */
export async function createLink(ctx: Ctx, username: string): Promise<CreatedLink> {
  const user = await requireUser(ctx, username);
  if (user.is_service_account)
    throw new Fault('conflict', `${user.username} is a service account and cannot sign in.`);
  if (!user.enabled) throw new Fault('conflict', `The account ${user.username} is disabled.`);
  const link = await inTransaction(ctx, async (tx) => {
    const target = { kind: 'user', id: user.id, name: user.username };
    await recordAudit(tx, { action: 'user.create_link', target });
    return addLink(tx, user.id);
  });
  ctx.log.info({ event: 'auth.link_created', user_id: user.id, by: ctx.principal.user_id });
  return link;
}

/**
 * Uses a link up and answers its owner, locked; undefined for a link that is unknown, used or too old, or an owner
 * who may not sign in. Inside a transaction. The user is locked before the link, as wherever both are.
 */
export async function consumeLink({ db, clock }: AuthCtx, token: Secret): Promise<UserRow | undefined> {
  const hash = tokenHash(token);
  const owner = await db.maybe<{ user_id: number }>(queries.findLinkOwner(hash));
  const user = owner && (await db.maybe<UserRow>(lockUser(owner.user_id)));
  if (!user?.enabled || user.is_service_account) return undefined;
  const used = await db.run(queries.consumeLink(hash, utc(clock.now())));
  return used === 1 ? user : undefined;
}
