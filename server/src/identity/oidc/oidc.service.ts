// Signing in with a provider. Guards: an answer works once, in the browser that began. Whom it lets in: admission.service.ts.
import { Fault } from '../../kernel/errors.ts';
import type { OidcProviderId } from '../../kernel/oidc-settings.ts';
import { addressKey } from '../../kernel/rate-limit.ts';
import { Secret } from '../../kernel/secret.ts';
import { iso } from '../../kernel/times.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import type { Ctx, PublicCtx } from '../access/principal.ts';
import { recordAudit } from '../audit/audit.service.ts';
import type { Account } from '../auth/accounts.service.ts';
import type { Auth } from '../auth/auth.service.ts';
import { type EndedSession, type OpenedSession, recordEnded } from '../auth/sessions.service.ts';
import { isFirstUse } from '../auth/used-once.service.ts';
import { SUBJECT } from './access-token.ts';
import { openAdmitted } from './admission.service.ts';
import { emailFault, personFrom, rightsFrom } from './claims.ts';
import * as queries from './oidc.queries.ts';
import type { Proven, Provider } from './provider.ts';
import { requireProvider, type SignOn } from './sign-on.ts';
import { STATE_MS } from './state-cookie.ts';

/** It becomes part of an address at sign-out; longer ones are not kept. */
const LONGEST_ID_TOKEN = 4096;
const LOGOUT_MEMORY_MS = 10 * MINUTE_MS;

export interface SignOnServices {
  auth: Pick<Auth, 'passwords' | 'public_url'>;
  sign_on: SignOn;
}

/** Nothing can be guessed here, so refusals keep nobody at the same address out; what they cost is limited. */
const limit = (ctx: PublicCtx, { sign_on }: SignOnServices) =>
  sign_on.requests.enforce(addressKey(ctx.origin?.address ?? ''));

export interface Started {
  url: string;
  /** Of the cookie. */
  state: string;
}

export async function startSignIn(
  ctx: PublicCtx,
  services: SignOnServices,
  id: OidcProviderId,
): Promise<Started> {
  limit(ctx, services);
  const { url, ...begun } = await requireProvider(services.sign_on, id).begin();
  return { url, state: services.sign_on.cookies().seal(id, begun, ctx.clock.now()) };
}

export interface Answered {
  provider: OidcProviderId;
  /** The query with which the provider sent the browser back. */
  answer: string;
  cookies: string | undefined;
  address: string;
}

async function prove(ctx: PublicCtx, services: SignOnServices, answered: Answered): Promise<Proven> {
  const provider = requireProvider(services.sign_on, answered.provider);
  const now = ctx.clock.now();
  const begun = services.sign_on.cookies().open(answered.provider, answered.cookies, now);
  if (!begun || !(await isFirstUse(ctx, `state ${begun.state}`, now + STATE_MS)))
    throw new Fault(
      'unauthenticated',
      'This sign-in was not begun in this browser, took longer than ten minutes, or was finished already. Start again.',
    );
  const proven = await provider.finish(begun, answered.answer);
  if (!SUBJECT.test(proven.subject))
    throw new Fault(
      'unauthenticated',
      `The subject that ${provider.settings.label} sent is not 1 to 255 ASCII characters. Ask an administrator to check the claim sub there.`,
    );
  return proven;
}

interface Answering {
  services: SignOnServices;
  provider: Provider;
  proven: Proven;
}

/** Inside a transaction. */
async function open(
  ctx: PublicCtx,
  { services, provider, proven }: Answering,
  address: string,
): Promise<OpenedSession> {
  const { settings } = provider;
  const { issuer, subject, claims, provider_session, id_token } = proven;
  const fault = emailFault(claims, settings);
  if (fault !== undefined) throw new Fault('unauthenticated', fault);
  const { id: by, label, create_users } = settings;
  const { passwords } = services.auth;
  const session = await openAdmitted(
    ctx,
    { passwords, address },
    {
      ...{ by, label, create_users, identity: { issuer, subject } },
      person: () => personFrom(claims, settings),
      rights: rightsFrom(claims, settings),
    },
  );
  const where = { table: 'sessions', column: 'sealed_id_token', row_id: session.id };
  const sealed_id_token =
    id_token.length > LONGEST_ID_TOKEN
      ? null
      : await services.sign_on.vault.seal(where, new Secret(id_token));
  await ctx.db.run(queries.bindSession(session.id, { issuer, subject, provider_session, sealed_id_token }));
  return session;
}

/** Opens a session for what a provider answered; 401 says why not. */
export async function finishSignIn(
  ctx: PublicCtx,
  services: SignOnServices,
  answered: Answered,
): Promise<OpenedSession> {
  const provider = requireProvider(services.sign_on, answered.provider);
  limit(ctx, services);
  const proven = await prove(ctx, services, answered);
  return ctx.db.transaction((db) => open({ ...ctx, db }, { services, provider, proven }, answered.address));
}

/** Back-channel logout: ends what the provider names; answers how many sessions that were. */
export async function endByProvider(
  ctx: PublicCtx,
  services: SignOnServices,
  { provider: id, body }: { provider: OidcProviderId; body: string },
): Promise<number> {
  const provider = requireProvider(services.sign_on, id);
  limit(ctx, services);
  const token = new URLSearchParams(body).get('logout_token');
  if (!token) throw new Fault('bad_request', 'The body must be logout_token=…, form-encoded.');
  const logout = await provider.logoutToken(token);
  const until = ctx.clock.now() + LOGOUT_MEMORY_MS;
  return ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    if (!(await isFirstUse(tx, `logout ${logout.issuer} ${logout.id}`, until)))
      throw new Fault('bad_request', 'The logout token was used already.');
    const ended = await db.rows<EndedSession>(queries.deleteProviderSessions(logout));
    for (const session of ended) await recordEnded(tx, session, id);
    ctx.log.info({ event: 'auth.ended_by_provider', provider: id, sessions: ended.length });
    return ended.length;
  });
}

function recordIdentity(
  ctx: Ctx,
  { id, username: name }: Account,
  { action, identity: { issuer, subject } }: IdentityChange,
): Promise<void> {
  return recordAudit(ctx, { action, target: { kind: 'user', id, name }, details: { issuer, subject } });
}

interface IdentityChange {
  action: 'user.bind_identity' | 'user.unbind_identity';
  identity: queries.Identity;
}

/** Takes an identity away from a user, and ends what it opened; the command line does it. 404 where it is not theirs. */
export async function unbindIdentity(ctx: Ctx, user: Account, identity: queries.Identity): Promise<void> {
  await ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    if ((await db.run(queries.deleteIdentity(identity, user.id))) === 0)
      throw new Fault('not_found', `${user.username} has no such identity.`);
    const ended = await db.rows<EndedSession>(
      queries.deleteProviderSessions({ ...identity, provider_session: null }),
    );
    for (const session of ended) await recordEnded(tx, session, 'user identity --remove');
    await recordIdentity(tx, user, { action: 'user.unbind_identity', identity });
  });
}

/**
 * Makes an identity at a provider that of a user; the command line does it. 409 where it is another user's. A service account comes
 * with it to /mcp/v1, and still signs in nowhere.
 */
export async function bindIdentity(ctx: Ctx, user: Account, identity: queries.Identity): Promise<void> {
  await ctx.db.transaction(async (db) => {
    const added = await db.run(queries.insertIdentity(identity, user.id, iso(ctx.clock.now())));
    if (added === 0) throw new Fault('conflict', 'This identity belongs to a user already.');
    await recordIdentity({ ...ctx, db }, user, { action: 'user.bind_identity', identity });
  });
}
