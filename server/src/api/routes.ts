// One operation on the server: its path, its gate, its body, its input, its access, its handler, its reply.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PublicCtx } from '../identity/access/principal.ts';
import type { Clock } from '../kernel/clock.ts';
import { faultStatuses, type Operation } from '../kernel/contract.ts';
import type { Db } from '../kernel/db.ts';
import { Fault } from '../kernel/errors.ts';
import { until } from '../kernel/leaving.ts';
import type { Log } from '../kernel/log.ts';
import type { Http, Route } from '../kernel/route.ts';
import { bodyLimitOf, type ReadBody, readBody, readBytes } from './body.ts';
import type { ApiConfig } from './config.ts';
import { admitAgain, demandNamed, type GateOptions, gateOf } from './gate.ts';
import { inputOf } from './input.ts';
import type { KnownPath } from './paths.ts';
import { senderOf } from './respond.ts';
import { isEvents, type Streams } from './streams.ts';

export interface RouteOptions {
  app: FastifyInstance;
  route: Route<PublicCtx>;
  gate: GateOptions;
  known: (pathname: string) => KnownPath | undefined;
  config: ApiConfig;
  db: Db;
  clock: Clock;
  log: Log;
  streams: Streams;
}

const NOTHING = new Uint8Array();

function httpOf(request: FastifyRequest): Http {
  return {
    address: request.call.address,
    peer: request.call.peer,
    secure: request.call.secure,
    request_id: request.id,
    token: request.call.token,
    raw_body: request.body instanceof Uint8Array ? request.body : NOTHING,
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    headerValues(name) {
      const { rawHeaders } = request.raw;
      return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
    },
  };
}

function contextOf({ db, clock, log, route }: RouteOptions, request: FastifyRequest): PublicCtx {
  const { call } = request;
  const { method, reads = method === 'GET' } = route.operation;
  return {
    // What a request only reads is read for as long as its client waits.
    db: reads ? until(db, () => call.signal) : db,
    // A stream looks again and again at who its caller is.
    get principal() {
      return call.caller?.principal;
    },
    clock,
    log: log.child({ request_id: request.id }),
    get signal() {
      return call.signal;
    },
    origin: { address: call.address, request_id: request.id },
  };
}

/** The router fits the nearest pattern; this asks whether the path is really this operation's. */
function demandPath({ known, route }: RouteOptions, request: FastifyRequest, reply: FastifyReply): void {
  const { pathname } = request.call;
  const { path } = route.operation;
  if (!path.includes('{')) return;
  const nearest = known(pathname);
  if (nearest && nearest.template !== path) {
    reply.header('allow', nearest.methods.join(', '));
    throw new Fault('method_not_allowed', `This path answers only to ${nearest.methods.join(', ')}.`);
  }
  const isEmpty = Object.values(Object(request.params)).includes('');
  if (isEmpty && faultStatuses(route.operation).includes(404))
    throw new Fault('not_found', 'There is nothing at this path.');
}

const mediaOf = (rawBody: Operation['rawBody']) =>
  rawBody?.media ?? (rawBody?.isJson ? ['application/json'] : undefined);

function readerOf(operation: Operation, limit: number): ReadBody {
  const { body, rawBody, bodyOptional: isOptional = false } = operation;
  return async (request, stream) => {
    if (rawBody) {
      const { limitBytes = limit } = rawBody;
      return readBytes({ request, stream, limit: Math.min(limit, limitBytes), media: mediaOf(rawBody) });
    }
    return body ? readBody({ request, stream, limit, isOptional }) : undefined;
  };
}

/** Whatever a body claims to be, the operation that it is for reads it. */
export function addBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, stream: AsyncIterable<unknown>) =>
    request.routeOptions.config.read?.(request, stream),
  );
}

/** Registers one operation, HEAD included where it is a GET. */
export function addRoute(options: RouteOptions): void {
  const { app, route, gate, config } = options;
  const { operation } = route;
  const admit = gateOf(operation, gate);
  const toInput = inputOf(operation);
  const send = senderOf(operation);
  app.route({
    method: operation.method,
    url: operation.path.replace(/\{([^{}]+)\}/g, ':$1'),
    config: { operation, read: readerOf(operation, bodyLimitOf(operation, config.bodyLimitBytes)) },
    onRequest: async (request, reply) => {
      demandPath(options, request, reply);
      // An ignored body may claim to be anything.
      if (!operation.body && !mediaOf(operation.rawBody)) delete request.raw.headers['content-type'];
      await admit(request);
    },
    handler: async (request, reply) => {
      const input = toInput(request);
      const ctx = contextOf(options, request);
      const demandAll = () => demandNamed(operation, { caller: request.call.caller, ctx, input });
      await demandAll();
      const result = await route.handle(ctx, input, httpOf(request));
      if (reply.sent) return reply;
      if (!isEvents(result)) return send(request, reply, result);
      const admitted = async () => {
        request.call.caller = await admitAgain(operation, gate, request);
        await demandAll();
      };
      return options.streams.send({ operation, request, reply, events: result, admitted });
    },
  });
}
