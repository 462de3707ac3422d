// The first administrator, at each start. Either the settings name one, and then they are the truth: the account is
// created, or made an enabled superuser with exactly that password. Or nobody could sign in as superuser yet: then a
// one-time link opens an account that has no password. An existing account is never promoted by its name alone.
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Secret } from '../../kernel/secret.ts';
import { recordAudit, systemActor } from '../audit/audit.service.ts';
import { addLink } from './links.service.ts';
import type { AuthCtx } from './login-attempts.service.ts';
import { passwordFault } from './password-rules.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { utc } from './tokens.ts';
import * as queries from './users.queries.ts';
import { replacePassword, usernameFault } from './users.service.ts';

export interface EnsureAdminOptions {
  db: Db;
  clock: Clock;
  log: Log;
  /** From MATRIARCH_ADMIN_USERNAME and MATRIARCH_ADMIN_PASSWORD; both or neither. */
  username?: string | undefined;
  password?: Secret | undefined;
  passwords?: Passwords | undefined;
}

export interface EnsuredAdmin {
  admin_user_id: number;
  /** To be shown once, to whoever started the program; undefined when a superuser has a password. */
  link_token: Secret | undefined;
}

const DEFAULT_NAME = 'admin';

interface AdminCredentials {
  username: string;
  password: Secret;
}

function namedAdmin({ username, password }: EnsureAdminOptions): AdminCredentials | undefined {
  const givenPassword = password?.reveal() ? password : undefined;
  if (!username && !givenPassword) return undefined;
  if (!username)
    throw new UsageError(
      'MATRIARCH_ADMIN_PASSWORD is set but MATRIARCH_ADMIN_USERNAME is not. Set both, or neither.',
    );
  if (!givenPassword)
    throw new UsageError(
      'MATRIARCH_ADMIN_USERNAME is set but MATRIARCH_ADMIN_PASSWORD is not. Set both, or neither.',
    );
  const nameFault = usernameFault(username);
  if (nameFault) throw new UsageError(`MATRIARCH_ADMIN_USERNAME cannot be used. ${nameFault}`);
  const fault = passwordFault(givenPassword.reveal(), username);
  if (fault) throw new UsageError(`MATRIARCH_ADMIN_PASSWORD cannot be used. ${fault}`);
  return { username, password: givenPassword };
}

const byServer = (ctx: AuthCtx) => ({ ...ctx, principal: systemActor('server') });

async function insertAdmin(
  ctx: AuthCtx,
  username: string,
  password_hash: string | null,
): Promise<queries.UserRow> {
  const user = await ctx.db.one<queries.UserRow>(
    queries.insertUser({
      username,
      password_hash,
      is_superuser: true,
      is_service_account: false,
      enabled: true,
      display_name: '',
      email: '',
      annotation: '',
      created_at: utc(ctx.clock.now()),
    }),
  );
  const target = { kind: 'user', id: user.id, name: user.username };
  await recordAudit(byServer(ctx), { action: 'user.create', target, details: { is_superuser: true } });
  return user;
}

async function keepNamed(
  ctx: AuthCtx,
  { username, password }: AdminCredentials,
  passwords: Passwords,
): Promise<number> {
  const user = await ctx.db.maybe<queries.UserRow>(queries.findUserByName(username));
  if (!user) {
    const created = await insertAdmin(ctx, username, await passwords.hash(password));
    ctx.log.info({ event: 'auth.admin_created', user_id: created.id });
    return created.id;
  }
  if (user.is_service_account)
    throw new UsageError(
      `MATRIARCH_ADMIN_USERNAME names the service account ${user.username}, which cannot sign in. Choose another name.`,
    );
  if (!user.is_superuser || !user.enabled) {
    await ctx.db.run(queries.promoteUser(user.id));
    const target = { kind: 'user', id: user.id, name: user.username };
    const details = { is_superuser: true, enabled: true };
    await recordAudit(byServer(ctx), { action: 'user.change', target, details });
    ctx.log.warn({ event: 'auth.admin_promoted', user_id: user.id });
  }
  if (user.password_hash === null || !(await passwords.verify(password, user.password_hash))) {
    await replacePassword(byServer(ctx), user, await passwords.hash(password));
    ctx.log.warn({ event: 'auth.admin_password_replaced', user_id: user.id });
  }
  return user.id;
}

/** Who signs in with a provider needs no link at each start; `user link` makes one when the provider is away for good. */
async function hasIdentity({ db }: AuthCtx, userId: number): Promise<boolean> {
  return (await db.maybe(queries.findIdentity(userId))) !== undefined;
}

async function openDoor(ctx: AuthCtx): Promise<EnsuredAdmin> {
  const superuser = await ctx.db.maybe<queries.UserRow>(queries.findSuperuser());
  if (superuser && (superuser.password_hash || (await hasIdentity(ctx, superuser.id))))
    return { admin_user_id: superuser.id, link_token: undefined };
  if (!superuser && (await ctx.db.maybe<queries.UserRow>(queries.findUserByName(DEFAULT_NAME))))
    throw new UsageError(
      `There is no superuser who could sign in, and the account ${DEFAULT_NAME} exists without being one. Set MATRIARCH_ADMIN_USERNAME and MATRIARCH_ADMIN_PASSWORD to create one.`,
    );
  const user = superuser ?? (await insertAdmin(ctx, DEFAULT_NAME, null));
  const { token } = await addLink(ctx, user.id);
  ctx.log.info({ event: 'auth.admin_link_created', user_id: user.id });
  return { admin_user_id: user.id, link_token: token };
}

/** Makes sure that somebody can administer this server. A setting that cannot be used is a UsageError. */
export async function ensureAdmin(options: EnsureAdminOptions): Promise<EnsuredAdmin> {
  const named = namedAdmin(options);
  const passwords = options.passwords ?? createPasswords();
  const { clock, log } = options;
  return options.db.transaction(async (db) => {
    await db.run(queries.lockBootstrap());
    const ctx = { db, clock, log };
    if (!named) return openDoor(ctx);
    return { admin_user_id: await keepNamed(ctx, named, passwords), link_token: undefined };
  });
}
