// The HTTP server: Fastify with our gate, our validation and our replies. Every request gets its headers, a signal
// that ends its work, one log event and, whatever happens, an answer in the shape the contract promises.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { type Access, createAccess } from '../identity/access/access.service.ts';
import type { PublicCtx } from '../identity/access/principal.ts';
import { createRefusals, type Refusals } from '../identity/audit/refusals.service.ts';
import type { ProviderTokens } from '../identity/oidc/provider-tokens.ts';
import { networksOf } from '../identity/oidc/proxy-header.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import { type ConstraintFaults, Fault } from '../kernel/errors.ts';
import type { Part } from '../kernel/lifecycle.ts';
import { LinkedList } from '../kernel/linked-list.ts';
import type { Log } from '../kernel/log.ts';
import { createRateLimit } from '../kernel/rate-limit.ts';
import type { Route } from '../kernel/route.ts';
import { yieldIfBusy } from '../kernel/scheduler.ts';
import { addBasePath, withoutBase } from './base-path.ts';
import { Call, splitTarget } from './call.ts';
import type { ApiConfig } from './config.ts';
import { toFault } from './faults.ts';
import {
  apiHeaders,
  corsHeaders,
  isApiPath,
  pageHeaders,
  preflightHeaders,
  transportSecurity,
} from './headers.ts';
import { type KnownPath, pathTable } from './paths.ts';
import { noteRefusal } from './refused.ts';
import { sendFault } from './respond.ts';
import { addBodies, addRoute } from './routes.ts';
import { answerConnect, answerSocketError } from './socket-error.ts';
import { createStreams, type Streams } from './streams.ts';
import { NOTHING, type ServePage, webUi } from './web-ui.ts';

export interface ApiOptions {
  db: Db;
  routes: readonly Route<PublicCtx>[];
  /** What the rooms say when a rule of their tables is broken. */
  constraints: ConstraintFaults;
  log: Log;
  clock: Clock;
  config: ApiConfig;
  providerTokens?: ProviderTokens | undefined;
  /** Where refusals are noted; stopped with the API. */
  refusals?: Refusals;
}

export interface Api extends Part {
  /** Starts to accept; answers where. */
  listen(): Promise<{ host: string; port: number; url: string }>;
  inject: FastifyInstance['inject'];
}

const HEADERS_TIMEOUT_MS = 20_000;
const STALLED_CHECK_MS = 5_000;
/** Finishing what is in flight, then telling it to end, then closing: 4 s in all. */
const GRACE_MS = 3_000;
const ABORTED_MS = 700;
/** As long as a whole request line may be, so that an odd id is refused as an id and not as a path. */
const LONGEST_PARAMETER = 16_384;

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

function requestId(raw: { headers: IncomingMessage['headers'] }): string {
  const given = raw.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** What fastify would load to check requests and to write replies, which operations do themselves (input.ts, respond.ts). */
function unused(): never {
  throw new Error('no route has a schema of its own');
}

type Respond = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

function buildApp(config: ApiConfig, onFrameworkError: Respond): FastifyInstance {
  return fastify({
    logger: false,
    genReqId: requestId,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    bodyLimit: config.bodyLimitBytes,
    requestTimeout: config.requestTimeoutMs,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    rewriteUrl: ({ url = '/' }) =>
      withoutBase(url.startsWith('/') ? url : rewritten(url), config.basePath ?? ''),
    routerOptions: { maxParamLength: LONGEST_PARAMETER, caseSensitive: true },
    http: {
      requireHostHeader: false,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, config.requestTimeoutMs),
      connectionsCheckingInterval: STALLED_CHECK_MS,
    },
    clientErrorHandler: answerSocketError,
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    frameworkErrors: (_error, request, reply) => {
      onFrameworkError(request, reply);
    },
  });
}

/** A target may be a whole URL; `*` and the like stay as they are and match nothing. */
function rewritten(target: string): string {
  const { pathname, search } = splitTarget(target);
  return search === '' ? pathname : `${pathname}?${search}`;
}

interface Parts extends ApiOptions {
  refusals: Refusals;
  app: FastifyInstance;
  known: (pathname: string) => KnownPath | undefined;
  page: ServePage;
  inFlight: LinkedList<Call>;
  streams: Streams;
}

function commonHeaders(config: ApiConfig, request: FastifyRequest, reply: FastifyReply): void {
  const { call } = request;
  reply.headers(isApiPath(call.pathname) ? apiHeaders : pageHeaders(config.pagePolicy));
  reply.header('x-request-id', request.id);
  reply.headers(corsHeaders(request.headers.origin, config.allowedOrigins));
  if (call.secure) reply.headers(transportSecurity);
}

interface Ended {
  request: FastifyRequest;
  reply: FastifyReply;
  took_ms: number;
}

function noteCall({ log, config }: Parts, { request, reply, took_ms }: Ended): void {
  if (!config.logRequests && reply.statusCode < 500) return;
  const { caller, operation, address, secure } = request.call;
  log.info({
    event: 'http.request',
    request_id: request.id,
    method: request.method,
    operation: operation?.id ?? null,
    route: request.routeOptions.url ?? null,
    status: reply.raw.writableFinished ? reply.statusCode : null,
    took_ms: Math.round(took_ms * 1000) / 1000,
    user_id: caller?.principal.user_id ?? null,
    via: caller?.principal.via.kind ?? null,
    address,
    secure,
  });
}

const timeLimitOf = (config: ApiConfig, { call }: FastifyRequest) =>
  Math.max(config.requestTimeoutMs, (call.operation?.timeLimitSeconds ?? 0) * 1000);

function startCall(parts: Parts, request: FastifyRequest, reply: FastifyReply): void {
  const { config, clock, inFlight } = parts;
  const { call } = request;
  const started = clock.monotonic();
  const leave = inFlight.enter(call);
  call.timer = setTimeout(
    () => {
      call.abort();
      if (reply.sent) return;
      // Perhaps the body never ends, so nothing else can come on this connection.
      reply.header('connection', 'close');
      sendFault(reply, new Fault('unavailable', 'The request took too long and was cut off.'));
    },
    timeLimitOf(config, request),
  );
  reply.raw.once('close', () => {
    clearTimeout(call.timer);
    leave();
    call.abort();
    noteCall(parts, { request, reply, took_ms: clock.monotonic() - started });
  });
}

function addHooks(parts: Parts): void {
  const { app, config, constraints, log, refusals } = parts;
  app.decorateRequest('call');
  app.addHook('onRequest', async (request, reply) => {
    request.call = new Call(request);
    startCall(parts, request, reply);
    commonHeaders(config, request, reply);
    demandHost(request.raw);
    // Nobody looks at the body of a request that leads nowhere.
    if (request.is404) return answerUnknown(parts, request, reply);
  });
  app.setErrorHandler((error, request, reply) => {
    if (reply.sent) return reply;
    const fault = toFault(error, constraints, request.call?.operation);
    noteRefusal(refusals, request, fault);
    if (fault.status >= 500)
      log.error({
        event: 'http.failed',
        request_id: request.id,
        operation: request.call?.operation?.id,
        err: fault.cause ?? fault,
      });
    return sendFault(reply, fault);
  });
}

function demandHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts += 1;
  if (hosts > 1) throw new Fault('bad_request', 'The request has more than one Host header.');
  if (hosts === 0 && httpVersion === '1.1') throw new Fault('bad_request', 'The request has no Host header.');
}

/** For paths and methods that no operation has: what may be called instead, or a page. */
async function answerUnknown(parts: Parts, request: FastifyRequest, reply: FastifyReply) {
  const { config, known, page } = parts;
  const { pathname } = request.call;
  const isPreflight =
    request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
  if (isPreflight && config.allowedOrigins.includes(request.headers.origin ?? ''))
    return reply.code(204).headers(preflightHeaders).send();
  const path = known(pathname);
  if (path) {
    reply.header('allow', path.methods.join(', '));
    throw new Fault('method_not_allowed', `This path answers only to ${path.methods.join(', ')}.`);
  }
  if (isApiPath(pathname) || !pathname.startsWith('/')) throw new Fault('not_found', NOTHING);
  return page(request, reply);
}

async function stopApp({ app, inFlight, refusals, streams }: Parts, access: Access): Promise<void> {
  // They would never end by themselves; who listens comes back.
  streams.end();
  const abort = setTimeout(() => {
    for (const call of inFlight.all()) call.abort();
  }, GRACE_MS);
  const cut = setTimeout(() => app.server.closeAllConnections(), GRACE_MS + ABORTED_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(abort);
    clearTimeout(cut);
    await access.stop();
    await refusals.stop();
  }
}

function whereOf(app: FastifyInstance, config: ApiConfig): { host: string; port: number; url: string } {
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  const everywhere = config.host === '0.0.0.0' || config.host === '::';
  const name = everywhere ? 'localhost' : config.host.includes(':') ? `[${config.host}]` : config.host;
  return { host: config.host, port, url: `http://${name}:${port}` };
}

/** Builds the server; nothing listens before listen(). */
export async function createApi(options: ApiOptions): Promise<Api> {
  const { config, db, clock, log, routes } = options;
  const app = buildApp(config, (request, reply) => {
    request.call = new Call(request);
    commonHeaders(config, request, reply);
    return sendFault(reply, new Fault('bad_request', 'The URL is malformed.'));
  });
  const access = createAccess({ db, clock, log, ...config });
  const parts: Parts = {
    ...options,
    app,
    known: pathTable(routes.map(({ operation }) => operation)),
    page: await webUi(app, config),
    refusals: options.refusals ?? createRefusals({ db, clock, log }),
    inFlight: new LinkedList(),
    streams: createStreams({ log, most: config.streams, mostPerUser: config.streamsPerUser }),
  };
  addHooks(parts);
  addBasePath(app, config.basePath ?? '');
  app.setNotFoundHandler(async () => {
    throw new Fault('not_found', NOTHING);
  });
  const limit = config.generalRateLimit;
  const rate = limit === undefined ? undefined : createRateLimit({ limit, window_ms: 60_000, clock });
  const { allowedOrigins, proxySignIn } = config;
  const proxy = proxySignIn && { ...proxySignIn, trusts: networksOf(proxySignIn.addresses) };
  const gate = { access, rate, allowedOrigins, proxy, providerTokens: options.providerTokens };
  addBodies(app);
  for (const route of routes) {
    addRoute({ ...parts, gate, route });
    await yieldIfBusy();
  }
  await app.ready();
  // Any expectation other than 100-continue may be ignored, and Node would answer it without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', answerConnect);
  return {
    name: 'api',
    listen: async () => {
      await app.listen({ host: config.host, port: config.port });
      return whereOf(app, config);
    },
    inject: app.inject.bind(app),
    stop: () => stopApp(parts, access),
  };
}
