// The gate: rate, authentication, cross-site, permission or session kind, in this order, before a body is read.
// What it allows is what the operation's access says, and nothing else.
import type { FastifyRequest } from 'fastify';
import {
  type Access,
  type Caller,
  demand,
  demandConnection,
  demandConnections,
  demandEstate,
  hasPermission,
} from '../identity/access/access.service.ts';
import type { Principal, PublicCtx } from '../identity/access/principal.ts';
import type { ProviderTokens } from '../identity/oidc/provider-tokens.ts';
import { type Either, type Operation, SESSION_COOKIE } from '../kernel/contract.ts';
import { Fault } from '../kernel/errors.ts';
import { addressKey, type RateLimit } from '../kernel/rate-limit.ts';
import { demandSameSite, type SiteHeaders } from './cross-site.ts';
import { idsInInput, namedInInput, namedInUrl, type RawInput } from './input.ts';
import { isProviderToken, providerCaller, withChallenge } from './provider-token.ts';

/** Our tokens are base64url, so the cookie needs no unquoting. */
const SESSION = new RegExp(`^\\s*${SESSION_COOKIE}=([A-Za-z0-9_-]+)\\s*$`);
/** More cookies of that name are not read: each costs a query. */
const MOST_SESSIONS = 4;
/** Longer than any token of ours; whatever is longer is not worth hashing. */
const LONGEST_TOKEN = 512;

/** Two of them could be read in two ways. */
const isDoubled = ({ raw: { rawHeaders } }: FastifyRequest) =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization').length > 1;

/**
 * A browser sends one cookie of that name for each path and domain, the longest path first. An older installation or another
 * program may have left some, which signing in here does not replace: the first one that is valid counts.
 */
const sessionsIn = (cookie: string): string[] =>
  [...new Set(cookie.split(';').flatMap((part) => SESSION.exec(part)?.[1] ?? []))].slice(0, MOST_SESSIONS);

/** The presented tokens; the Authorization header wins, even when it is none of ours (then the text is empty). */
function presentedTokens(request: FastifyRequest): string[] {
  const { authorization, cookie = '' } = request.headers;
  if (authorization !== undefined && isDoubled(request)) return [''];
  if (authorization !== undefined) return [/^Bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? ''];
  return sessionsIn(cookie);
}

/** The parameter that names a connection, the first one where several may; undefined when none does. */
function namedConnection({ access }: Operation): string | undefined {
  if (typeof access !== 'object') return undefined;
  if ('connections' in access) return access.connections[0];
  return 'connection' in access ? access.connection : undefined;
}

/** Nobody signs in: the service asks for the signature. */
const isSigned = ({ access }: Operation) => typeof access === 'object' && 'signed' in access;
const isWrite = (operation: Operation) => operation.method !== 'GET';

export interface ProxyHeader {
  /** In lower case. */
  user_header: string;
  trusts(peer: string): boolean;
}

export interface GateOptions {
  access: Access;
  /** The general limit for each caller; off when undefined. */
  rate: RateLimit | undefined;
  allowedOrigins: readonly string[];
  /** Where a reverse proxy signs people in. */
  proxy?: ProxyHeader | undefined;
  /** There where tokens of a sign-in provider open something. */
  providerTokens?: ProviderTokens | undefined;
}

/** Whether the proxy now has another user at that browser than the one for whom the session was opened. */
function isOtherPerson({ proxy_subject }: Caller, request: FastifyRequest, proxy?: ProxyHeader): boolean {
  if (proxy_subject === null || !proxy?.trusts(request.call.peer)) return false;
  const named = request.headers[proxy.user_header];
  return named !== undefined && named !== proxy_subject;
}

/** Who calls; a Fault where a sentence of its own says why nobody is known. */
async function authenticate(
  options: GateOptions,
  operation: Operation,
  request: FastifyRequest,
): Promise<Caller | Fault | undefined> {
  const { access, proxy } = options;
  const { token } = request.call;
  if (!token) return undefined;
  if (
    isSigned(operation) ||
    operation.ignoresCaller ||
    (operation.access === 'public' && operation.usesDatastore === false)
  )
    return undefined;
  if (isProviderToken(token)) return providerCaller(options, operation, token);
  if (token.length > LONGEST_TOKEN) return undefined;
  const name = namedConnection(operation);
  const named = name === undefined ? undefined : namedInUrl(name, request);
  const caller = await access.authenticate(token, named);
  return caller && isOtherPerson(caller, request, proxy) ? undefined : caller;
}

const sentence = (permissions: readonly string[]) => `You need the permission ${permissions.join(' or ')}.`;

function demandAny(ways: readonly Either[], principal: Principal, request: FastifyRequest): void {
  const open = ways.some((way) =>
    'self' in way
      ? namedInUrl(way.self, request) === principal.user_id
      : hasPermission(principal, way.permission),
  );
  if (!open)
    throw new Fault(
      'forbidden',
      sentence(ways.flatMap((way) => ('permission' in way ? [way.permission] : []))),
    );
}

function demandKind({ access }: Operation, { principal }: Caller, request: FastifyRequest): void {
  const sessionOnly = access === 'session' || (typeof access === 'object' && 'session' in access);
  if (sessionOnly && principal.via.kind !== 'session')
    throw new Fault('forbidden', 'This needs a session; API tokens cannot do it.');
  if (typeof access !== 'object') return;
  if ('superuser' in access && !principal.is_superuser)
    throw new Fault('forbidden', 'Only a superuser may do this.');
  if ('any' in access) demandAny(access.any, principal, request);
  if ('permission' in access && access.permission && !hasPermission(principal, access.permission))
    throw new Fault('forbidden', sentence([access.permission]));
}

/** `host` is the one that the browser knows: behind a trusted proxy the forwarded one. */
function siteOf({ headers, host }: FastifyRequest): SiteHeaders {
  const { 'sec-fetch-site': site, origin } = headers;
  return { 'sec-fetch-site': site, origin, host };
}

const SET_UP_FIRST =
  'Your account needs a second factor. Set one up on the page Account before you do anything else.';

/** A caller who has to set up a second factor first gets 403, and is unknown to operations that are open to all. */
function demandSecondFactor(operation: Operation, caller: Caller | undefined): Caller | undefined {
  if (!caller?.principal.needs_second_factor || operation.beforeSecondFactor) return caller;
  if (operation.access === 'public') return undefined;
  throw new Fault('forbidden', SET_UP_FIRST);
}

const unknownCaller = (token: string | undefined) =>
  new Fault('unauthenticated', token === undefined ? 'Sign in first.' : 'The token or session is not valid.');

/** Who calls, by the first presented token that is valid, which stays in `request.call`; where none is, the first one stays. */
async function identify(
  operation: Operation,
  options: GateOptions,
  request: FastifyRequest,
): Promise<Caller | Fault | undefined> {
  const { call } = request;
  const { rate } = options;
  const byAddress = () => `address ${addressKey(call.address)}`;
  const presented = presentedTokens(request);
  const [first] = presented;
  let known: Caller | Fault | undefined;
  for (const token of presented.length > 0 ? presented : [undefined]) {
    call.token = token;
    // The end of a JWT is its signature; many begin with the same.
    rate?.enforce(token ? `token ${token.slice(-LONGEST_TOKEN)}` : byAddress());
    known = await authenticate(options, operation, request);
    if (known && !(known instanceof Fault)) return known;
    // Inventing tokens must not be a way around the limit.
    if (token) rate?.enforce(byAddress());
  }
  call.token = first;
  return known;
}

/** Decides before the body is read; leaves the caller in `request.call`. */
export function gateOf(
  operation: Operation,
  options: GateOptions,
): (request: FastifyRequest) => Promise<void> {
  const { allowedOrigins } = options;
  return async (request) => {
    const { call } = request;
    const known = await identify(operation, options, request);
    call.caller = known instanceof Fault ? undefined : known;
    if (operation.access !== 'public' && !isSigned(operation) && !call.caller)
      throw withChallenge(known instanceof Fault ? known : unknownCaller(call.token), operation, {
        tokens: options.providerTokens,
        isPresented: call.token !== undefined,
      });
    // A browser sends Authorization of Basic by itself, and a proxy may pass it on: it shows nothing of who signs in.
    if (isWrite(operation) && (operation.signsIn || request.headers.authorization === undefined))
      demandSameSite(siteOf(request), allowedOrigins);
    call.caller = demandSecondFactor(operation, call.caller);
    if (call.caller) demandKind(operation, call.caller, request);
  };
}

/**
 * Asks again, while a reply is still being sent, what was asked before it began: the caller as they are now, or a Fault. It
 * counts for no rate.
 */
export async function admitAgain(
  operation: Operation,
  options: GateOptions,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  const known = await authenticate(options, operation, request);
  const caller = demandSecondFactor(operation, known instanceof Fault ? undefined : known);
  if (!caller && request.call.caller)
    throw new Fault('unauthenticated', 'The token or session is not valid any more.');
  if (caller) demandKind(operation, caller, request);
  return caller;
}

export interface NamedCall {
  caller: Caller | undefined;
  ctx: PublicCtx;
  input: RawInput;
}

/** After input was checked: access to the connections that the request names; the one in a path was asked for with the caller. */
export async function demandNamed(operation: Operation, call: NamedCall): Promise<void> {
  const { access } = operation;
  if (typeof access !== 'object' || !call.caller) return;
  const { principal } = call.caller;
  if ('estate' in access && access.estate === true) return demandEstate({ db: call.ctx.db, principal });
  if ('connections' in access)
    return demandConnections(
      { ...call.ctx, principal },
      access.connections.flatMap((name) => idsInInput(name, call.input)),
      call.caller,
    );
  if (!('connection' in access) || access.connection === undefined) return;
  const need = access.need ?? 'read';
  const wanted = { need, ...('unknown' in access && access.unknown && { unknown: access.unknown }) };
  if (!access.connection.startsWith('body.')) return demand(principal, call.caller.access, wanted);
  const id = namedInInput(access.connection, call.input);
  if (id === undefined)
    throw new Fault('bad_request', `${access.connection.slice('body.'.length)} is missing.`);
  const ctx = { ...call.ctx, principal };
  await demandConnection(ctx, { connection_id: id, ...wanted });
}
