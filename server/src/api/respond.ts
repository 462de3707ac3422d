// Replies on the wire: JSON and nothing else, errors with one member, statuses and headers as the fault or the
// operation says.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../kernel/contract.ts';
import type { Fault } from '../kernel/errors.ts';
import { inertJson } from '../kernel/inert-text.ts';
import type { JsonText } from '../kernel/json-text.ts';
import { compileReply } from '../kernel/reply-filter.ts';
import { isCurrent, Reply } from '../kernel/route.ts';
import { encode, etagOf, isWorthwhile } from './compress.ts';
import { apiHeaders, JSON_TYPE } from './headers.ts';

export function errorBody(sentence: string): string {
  return inertJson(JSON.stringify({ error: sentence }));
}

const EMPTY = new Set([202, 204, 304]);

export function sendFault(reply: FastifyReply, fault: Fault): FastifyReply {
  reply.code(fault.status).headers({ ...apiHeaders, 'content-type': JSON_TYPE });
  const challenge = fault.challenge ?? (fault.status === 401 ? 'Bearer' : undefined);
  if (challenge !== undefined) reply.header('www-authenticate', challenge);
  if (fault.needsCode) reply.header('x-second-factor', 'needed');
  if (fault.status === 429) reply.header('retry-after', String(Math.max(1, fault.retryAfterSeconds ?? 60)));
  return reply.send(errorBody(fault.message));
}

export type Send = (request: FastifyRequest, reply: FastifyReply, result: unknown) => Promise<FastifyReply>;

/** Adds a name to Vary, which other parts may have written already. */
function vary(reply: FastifyReply, name: string): void {
  const known = reply.getHeader('vary');
  reply.header('vary', known === undefined ? name : `${String(known)}, ${name}`);
}

/** Whoever reads it asks each time whether it still is so. */
const KEPT_HEADERS = { 'cache-control': 'private, no-cache' };

/** Writes what a handler returned: a plain value, or a Reply that says more. */
export function senderOf(operation: Operation): Send {
  const { success, alternative } = operation;
  const write = success.schema ? compileReply(success.schema) : undefined;
  const writeOther = alternative ? compileReply(alternative.schema) : undefined;
  const jsonOf = (said: Reply, status: number): string | JsonText => {
    if (said.json !== undefined) return said.json;
    const writer = status === alternative?.status ? writeOther : write;
    return inertJson(writer?.(said.body) ?? '');
  };
  return async (request, reply, result) => {
    const said = result instanceof Reply ? result : new Reply({ body: result });
    const status = said.status ?? success.status;
    reply.code(status);
    if (said.bytes) return reply.headers(said.headers).send(said.bytes);
    if (EMPTY.has(status) || (!write && said.json === undefined)) return reply.headers(said.headers).send();
    const json = jsonOf(said, status);
    const text = typeof json === 'string' ? json : json.text;
    const isKept = operation.hasETag === true;
    if (isKept) {
      const etag = etagOf(json);
      reply.headers({ ...KEPT_HEADERS, ...said.headers, etag });
      if (isCurrent(request.headers['if-none-match'], etag)) {
        vary(reply, 'Accept-Encoding');
        return reply.code(304).send();
      }
    }
    reply.headers({ 'content-type': JSON_TYPE, ...said.headers });
    if (operation.isSecret || !isWorthwhile(text)) return reply.send(text);
    vary(reply, 'Accept-Encoding');
    const { body, encoding } = await encode(json, request.headers['accept-encoding'], isKept);
    if (encoding) reply.header('content-encoding', encoding);
    return reply.send(body);
  };
}
