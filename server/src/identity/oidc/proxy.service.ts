// Signing in by the header of a reverse proxy. Guards: the header counts when the socket's other end is an address of the settings,
// whatever X-Forwarded-For says; a user is known by the name in it as an identity, so no local account of that name is taken over.
import { Fault } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { ProxySignInSettings } from '../../kernel/proxy-sign-in-settings.ts';
import { addressKey } from '../../kernel/rate-limit.ts';
import type { PublicCtx } from '../access/principal.ts';
import type { OpenedSession } from '../auth/sessions.service.ts';
import { type Coming, openAdmitted } from './admission.service.ts';
import { plainPerson, rightsOf } from './claims.ts';
import * as queries from './oidc.queries.ts';
import type { SignOnServices } from './oidc.service.ts';
import { type Arrived, type HeaderPerson, networksOf, readPerson } from './proxy-header.ts';

/** In place of an issuer's address: whom the proxy names. */
export const PROXY_ISSUER = 'proxy';
/** Addresses of which the log says once that their header is ignored. */
const MOST_NOTED = 100;

export interface ProxySignIn {
  settings: ProxySignInSettings;
  trusts(peer: string): boolean;
  /** Says in the log, once for each address, that a header is ignored. */
  noteIgnored(log: Log, peer: string): void;
}

export function createProxySignIn(settings: ProxySignInSettings): ProxySignIn {
  const noted = new Set<string>();
  return {
    settings,
    trusts: networksOf(settings.addresses),
    noteIgnored(log, peer) {
      if (noted.has(peer) || noted.size >= MOST_NOTED) return;
      noted.add(peer);
      log.warn({ event: 'auth.proxy_header_ignored', address: peer });
    },
  };
}

/** What the sign-in page says of this way; undefined where it is not configured. */
export function proxyOption(
  proxy: ProxySignIn | undefined,
  arrived: Arrived,
  log: Log,
): { label: string; is_ready: boolean } | undefined {
  if (!proxy) return undefined;
  const { label, user_header } = proxy.settings;
  const isSent = arrived.headerValues(user_header).length > 0;
  const isTrusted = proxy.trusts(arrived.peer);
  if (isSent && !isTrusted) proxy.noteIgnored(log, arrived.peer);
  return { label, is_ready: isSent && isTrusted };
}

function comingOf(settings: ProxySignInSettings, { subject, groups }: HeaderPerson): Coming {
  const { label, create_users } = settings;
  return {
    ...{ by: 'proxy', label, create_users, identity: { issuer: PROXY_ISSUER, subject } },
    person: () =>
      plainPerson(subject) ??
      `The user name that ${label} sent cannot be a user name here. Ask an administrator to bind it to a user.`,
    rights: rightsOf(groups, settings),
  };
}

/** Opens a session for the person whom the proxy names; 401 says why not. */
export async function signInByProxy(
  ctx: PublicCtx,
  { auth, sign_on }: SignOnServices,
  arrived: Arrived & { address: string },
): Promise<OpenedSession> {
  const { proxy } = sign_on;
  if (!proxy) throw new Fault('not_found', 'Signing in through a reverse proxy is not configured.');
  sign_on.requests.enforce(addressKey(ctx.origin?.address ?? ''));
  const { settings } = proxy;
  if (!proxy.trusts(arrived.peer)) {
    if (arrived.headerValues(settings.user_header).length > 0) proxy.noteIgnored(ctx.log, arrived.peer);
    throw new Fault('unauthenticated', `To sign in with ${settings.label}, open the page through its proxy.`);
  }
  const person = readPerson(settings, arrived);
  if (typeof person === 'string') throw new Fault('unauthenticated', person);
  const coming = comingOf(settings, person);
  return ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    const { passwords } = auth;
    const session = await openAdmitted(tx, { passwords, address: arrived.address }, coming);
    const bound = { ...coming.identity, provider_session: null, sealed_id_token: null };
    await db.run(queries.bindSession(session.id, bound));
    return session;
  });
}
