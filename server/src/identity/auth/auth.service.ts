// Signing in and the own account. Whatever is wrong with a login, the answer has the same words and costs the same
// work; whether the account may be used is checked again in the transaction that opens the session.
import { Fault } from '../../kernel/errors.ts';
import { once } from '../../kernel/once.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { Ctx, Principal } from '../access/principal.ts';
import { recordAudit } from '../audit/audit.service.ts';
import type { Vault } from '../secrets/vault.service.ts';
import { consumeLink } from './links.service.ts';
import { demandLocal } from './local-sign-in.ts';
import {
  type AuthCtx,
  createLoginAttempts,
  forgive,
  type LoginAttempts,
  noFailure,
  type Reservation,
  rememberAddress,
} from './login-attempts.service.ts';
import type { LoginLimits } from './login-limits.ts';
import { type Challenges, createChallenges } from './passkey-challenges.ts';
import { PASSKEY_WRONG, type PasskeyGiven, provePasskey } from './passkey-check.service.ts';
import { type Claim, checkPassword } from './password-check.service.ts';
import { passwordFault } from './password-rules.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import {
  codeNeeded,
  codeRefused,
  countTry,
  factorsOf,
  type PresentedFactor,
  useFactor,
} from './second-factor-check.service.ts';
import { findSessionIssuer } from './sessions.queries.ts';
import {
  cleanSessions,
  endAccess,
  type OpenedSession,
  openSession,
  type SignInWith,
} from './sessions.service.ts';
import { PASSWORDS_ALONE, type SignInWays } from './sign-in-ways.types.ts';
import * as users from './users.queries.ts';

export interface Auth {
  passwords: Passwords;
  attempts: LoginAttempts;
  /** True when at least one LLM provider is configured. */
  ai_enabled: () => boolean;
  /** What clients are told to bound their tool loops by. */
  max_iterations: number;
  /** Most that an API token may last; undefined without a limit. */
  max_token_ms: number | undefined;
  /** After so long without a request a session ends; undefined without a limit. */
  session_idle_ms: number | undefined;
  ways: SignInWays;
  /** Seals the keys of authenticator apps. */
  vault: Vault;
  /** Made when they are needed: only then is the vault asked. */
  challenges: () => Challenges;
  /** Where people reach the server, if the settings say so: passkeys belong to that address. */
  public_url: string | undefined;
}

export interface AuthOptions {
  ai_enabled: () => boolean;
  max_iterations: number;
  max_token_ms?: number | undefined;
  session_idle_ms?: number | undefined;
  limits: LoginLimits;
  vault: Vault;
  public_url?: string | undefined;
  /** Passwords alone when absent. */
  ways?: SignInWays;
  passwords?: Passwords;
}

/** What the operations of this room share in one process: two hashes at a time, and the attempt counter. */
export function createAuth(options: AuthOptions): Auth {
  const { limits, passwords, ways = PASSWORDS_ALONE, ...rest } = options;
  return {
    passwords: passwords ?? createPasswords(),
    attempts: createLoginAttempts(limits),
    ways,
    ...rest,
    max_token_ms: rest.max_token_ms,
    session_idle_ms: rest.session_idle_ms,
    public_url: rest.public_url,
    challenges: once(() => createChallenges(rest.vault.derive('passkey challenge v1'))),
  };
}

const REFUSED = 'The user name or password is not right.';
const REFUSED_LINK = 'This link is not valid any more. Ask for a new one.';

export interface SignIn extends Claim {
  /** Of the authenticator app, or a recovery code; needed where the account has a second factor. */
  code?: Secret | undefined;
  /** In place of a code. */
  passkey?: PasskeyGiven | undefined;
}

const OPENED_WITH = {
  app: 'password_and_code',
  recovery: 'password_and_recovery_code',
  passkey: 'password_and_passkey',
} as const;

/** Uses up the code or passkey where the account has a second factor. Inside a transaction that has locked the user. */
async function passSecondFactor(
  ctx: AuthCtx,
  { vault }: Auth,
  presented: Omit<PresentedFactor, 'vault'>,
): Promise<SignInWith> {
  const { user, code, passkey } = presented;
  const factors = await factorsOf(ctx, user.id);
  if (!factors) return 'password';
  if (!code && !passkey) throw codeNeeded(user);
  const kind = await useFactor(ctx, { vault, ...presented }, factors);
  if (kind === undefined) throw codeRefused(user, passkey ? PASSKEY_WRONG : undefined);
  return OPENED_WITH[kind];
}

/** The passkey in place of a code; the form stays where it is when it is refused. */
async function proveSecond(
  ctx: AuthCtx,
  auth: Auth,
  { user, given }: { user: users.UserRow; given: PasskeyGiven },
) {
  try {
    return await provePasskey(ctx, auth, given);
  } catch (error) {
    if (error instanceof Fault && error.code === 'unauthenticated') throw codeRefused(user, error.message);
    throw error;
  }
}

/** Opens a session for a user name and password. 401 in one wording, 429 after too many attempts. */
export async function login(ctx: AuthCtx, auth: Auth, input: SignIn): Promise<OpenedSession> {
  demandLocal(auth.ways);
  const { reservation, user, named } = await checkPassword(ctx, auth, input);
  const refuse = () => {
    ctx.log.warn({ event: 'auth.login_failed', address: input.address });
    // A name that nobody has is not kept: people type passwords there.
    const about = named && { kind: 'user', id: named.id, name: named.username };
    return new Fault('unauthenticated', REFUSED, { ...(about && { about }) });
  };
  if (!user) throw refuse();
  demandLocal(auth.ways, user);
  if (!input.code && !input.passkey && (await factorsOf(ctx, user.id))) {
    await noFailure(ctx.db, reservation);
    throw codeNeeded(user);
  }
  if (input.code) await countTry(ctx, user, input.code);
  const { code, passkey: given } = input;
  const passkey = given && (await proveSecond(ctx, auth, { user, given }));
  const outdated = user.password_hash !== null && auth.passwords.isOutdated(user.password_hash);
  const rehashed = outdated ? await auth.passwords.hash(input.password) : undefined;
  const opened = await ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    const locked = await db.maybe<users.UserRow>(users.lockUser(user.id));
    if (!locked?.enabled || locked.password_hash !== user.password_hash) throw refuse();
    const by = await passSecondFactor(tx, auth, { user, code, passkey });
    await forgive(db, reservation);
    await rememberAddress(tx, user.id, input.address);
    if (rehashed) await db.run(users.updatePasswordHash(user.id, rehashed));
    return { by, session: await openSession(tx, user, by) };
  });
  ctx.log.info({ event: 'auth.signed_in', user_id: user.id, address: input.address, with: opened.by });
  await cleanSessions(ctx).catch((err: unknown) => ctx.log.warn({ event: 'auth.clean_failed', err }));
  return opened.session;
}

/** Opens a session for a one-time link, which is used up by that. */
export async function loginWithLink(
  ctx: AuthCtx,
  auth: Auth,
  input: { address: string; token: Secret },
): Promise<OpenedSession> {
  const reservation = await auth.attempts.reserve(ctx, { address: input.address, username: undefined });
  const opened = await ctx.db.transaction(async (db) => {
    const user = await consumeLink({ ...ctx, db }, input.token);
    if (!user) return undefined;
    await forgive(db, reservation);
    await rememberAddress({ ...ctx, db }, user.id, input.address);
    return { user_id: user.id, session: await openSession({ ...ctx, db }, user, 'link') };
  });
  if (!opened) {
    ctx.log.warn({ event: 'auth.link_refused', address: input.address });
    throw new Fault('unauthenticated', REFUSED_LINK);
  }
  ctx.log.info({ event: 'auth.signed_in', user_id: opened.user_id, address: input.address, with: 'link' });
  return opened.session;
}

export interface PasswordChange {
  address: string;
  current_password: Secret | undefined;
  new_password: Secret;
}

async function checkCurrent(ctx: Ctx, auth: Auth, change: PasswordChange): Promise<Reservation> {
  if (!change.current_password)
    throw new Fault('bad_request', 'current_password is needed to change the password.');
  const claim = {
    address: change.address,
    username: ctx.principal.username,
    password: change.current_password,
  };
  const { reservation, user } = await checkPassword(ctx, auth, claim);
  if (user?.id === ctx.principal.user_id) return reservation;
  ctx.log.warn({ event: 'auth.password_change_refused', user_id: ctx.principal.user_id });
  throw new Fault('forbidden', 'The current password is not right.');
}

/** Sets the password of the caller's own account and ends all its other sessions. */
export async function changeOwnPassword(ctx: Ctx, auth: Auth, change: PasswordChange): Promise<void> {
  const { principal } = ctx;
  const fault = passwordFault(change.new_password.reveal(), principal.username);
  if (fault) throw new Fault('bad_request', fault);
  if (change.current_password?.reveal() === change.new_password.reveal())
    throw new Fault('bad_request', 'The new password is the same as the current one.');
  const before = await ctx.db.one<users.UserRow>(users.findUser(principal.user_id));
  if (before.password_hash === null && (await isByProvider(ctx, principal)))
    throw new Fault(
      'forbidden',
      'You sign in with a provider, so there is no password to set. An administrator can give the account one.',
    );
  const reservation = before.password_hash === null ? undefined : await checkCurrent(ctx, auth, change);
  const hash = await auth.passwords.hash(change.new_password);
  await ctx.db.transaction(async (db) => {
    const locked = await db.one<users.UserRow>(users.lockUser(principal.user_id));
    if (locked.password_hash !== before.password_hash)
      throw new Fault('conflict', 'The password was changed in the meantime.');
    if (reservation) await forgive(db, reservation);
    await db.run(users.updatePasswordHash(principal.user_id, hash));
    await endAccess(db, principal.user_id, principal.via.kind === 'session' ? principal.via.id : null);
    const target = { kind: 'user', id: principal.user_id, name: principal.username };
    await recordAudit({ ...ctx, db }, { action: 'user.set_password', target });
  });
  ctx.log.info({ event: 'auth.password_changed', user_id: principal.user_id });
}

/** Whether the session of the caller was opened with a provider, who decides for how long there is a way in. */
async function isByProvider({ db }: AuthCtx, { via }: Principal): Promise<boolean> {
  if (via.kind !== 'session') return false;
  const session = await db.maybe<{ issuer: string | null }>(findSessionIssuer(via.id));
  return typeof session?.issuer === 'string';
}

export interface UserInfo {
  authenticated: boolean;
  user_id?: number;
  username?: string;
  is_superuser?: boolean;
  admin_permissions?: string[];
  has_password?: boolean;
  by_provider?: boolean;
  needs_second_factor?: boolean;
}

/** Who is calling; nothing but `authenticated: false` when nobody is. */
export async function getUserInfo(ctx: AuthCtx, principal: Principal | undefined): Promise<UserInfo> {
  const user = principal && (await ctx.db.maybe<users.UserRow>(users.findUser(principal.user_id)));
  if (!user) return { authenticated: false };
  return {
    authenticated: true,
    user_id: principal.user_id,
    username: principal.username,
    is_superuser: principal.is_superuser,
    admin_permissions: [...principal.admin_permissions],
    has_password: user.password_hash !== null,
    ...((await isByProvider(ctx, principal)) && { by_provider: true }),
    ...(principal.needs_second_factor && { needs_second_factor: true }),
  };
}
