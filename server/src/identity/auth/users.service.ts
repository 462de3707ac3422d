// Accounts: people with a password, and service accounts that only own tokens. Names are unique whatever their case;
// whoever sets a password ends everything the old one had opened.

import { Fault } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';
import type { Secret } from '../../kernel/secret.ts';
import { type Ctx, inTransaction } from '../access/principal.ts';
import { type AuditCtx, recordAudit } from '../audit/audit.service.ts';
import { type AuthCtx, clearAccountFailures } from './login-attempts.service.ts';
import { passwordFault } from './password-rules.ts';
import type { Passwords } from './passwords.ts';
import { endAccess } from './sessions.service.ts';
import { utc } from './tokens.ts';
import * as queries from './users.queries.ts';

/** The sentence to show when a user name is refused; undefined when it may be used. */
export function usernameFault(username: string): string | undefined {
  if (/^[A-Za-z0-9][A-Za-z0-9_.@-]{0,127}$/.test(username)) return undefined;
  return 'A user name has 1 to 128 letters, digits and _ . @ - and begins with a letter or digit.';
}

/** The account of that name, in whatever case; 404 when there is none. */
export async function requireUser({ db }: AuthCtx, username: string): Promise<queries.UserRow> {
  const user = usernameFault(username)
    ? undefined
    : await db.maybe<queries.UserRow>(queries.findUserByName(username));
  if (!user)
    throw new Fault('not_found', `There is no user named ${JSON.stringify(cutText(username, 128))}.`);
  return user;
}

export interface NewUser {
  username: string;
  /** Absent for service accounts, and for people who will come in by a one-time link. */
  password: Secret | undefined;
  is_superuser: boolean;
  is_service_account: boolean;
  /** True when absent. */
  enabled?: boolean;
  display_name?: string | undefined;
  email?: string | undefined;
  annotation?: string | undefined;
}

function checkNewUser({ username, password, is_service_account }: NewUser): void {
  const fault = usernameFault(username) ?? (password && passwordFault(password.reveal(), username));
  if (fault) throw new Fault('bad_request', fault);
  if (is_service_account && password)
    throw new Fault('bad_request', 'A service account has no password; it works with tokens only.');
}

/** Creates an account. 400 for a bad name or password, 409 when the name is taken. */
export async function createUser(ctx: Ctx, passwords: Passwords, user: NewUser): Promise<queries.UserRow> {
  checkNewUser(user);
  const { password, enabled = true, display_name = '', email = '', annotation = '', ...rest } = user;
  const password_hash = password ? await passwords.hash(password) : null;
  const created_at = utc(ctx.clock.now());
  const row = { ...rest, enabled, display_name, email, annotation, password_hash, created_at };
  return inTransaction(ctx, async (tx) => {
    const created = await tx.db.maybe<queries.UserRow>(queries.insertUser(row));
    if (!created) throw new Fault('conflict', `The user name ${user.username} is taken.`);
    const { id, username, is_superuser, is_service_account } = created;
    await recordAudit(tx, {
      action: 'user.create',
      target: { kind: 'user', id, name: username },
      details: { is_superuser, is_service_account, enabled },
    });
    const by = ctx.principal.user_id;
    ctx.log.info({ event: 'auth.user_created', user_id: id, is_superuser, is_service_account, by });
    return created;
  });
}

/** The hash of a new password for that account; 400 where the rules refuse it, 409 for a service account. */
export async function newPasswordHash(
  passwords: Passwords,
  user: queries.UserRow,
  password: Secret,
): Promise<string> {
  if (user.is_service_account)
    throw new Fault('conflict', `${user.username} is a service account; it works with tokens only.`);
  const fault = passwordFault(password.reveal(), user.username);
  if (fault) throw new Fault('bad_request', fault);
  return passwords.hash(password);
}

/** Sets somebody's password, ends all sessions of the account and lets it try again at once. */
export async function setPassword(
  ctx: Ctx,
  passwords: Passwords,
  { username, password }: { username: string; password: Secret },
): Promise<void> {
  const user = await requireUser(ctx, username);
  const hash = await newPasswordHash(passwords, user, password);
  await inTransaction(ctx, (tx) => replacePassword(tx, user, hash));
}

/** Stores a hash and ends what the old password had opened. Inside a transaction. */
export async function replacePassword(ctx: AuditCtx, user: queries.UserRow, hash: string): Promise<void> {
  await ctx.db.run(queries.updatePasswordHash(user.id, hash));
  await endAccess(ctx.db, user.id, null);
  await clearAccountFailures(ctx.db, user.username);
  await recordAudit(ctx, {
    action: 'user.set_password',
    target: { kind: 'user', id: user.id, name: user.username },
  });
  ctx.log.info({ event: 'auth.password_set', user_id: user.id, by: ctx.principal?.user_id });
}

/** All accounts by name. */
export async function listUsers(ctx: Ctx): Promise<queries.ListedUser[]> {
  return ctx.db.rows<queries.ListedUser>(queries.listUserRows());
}
