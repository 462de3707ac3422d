// Replies on the wire: JSON and nothing else, errors with one member, statuses and headers as the fault or the
// operation says.
import type { FastifyReply } from 'fastify';
import type { Operation } from '../kernel/contract.ts';
import type { Fault } from '../kernel/errors.ts';
import { compileReply } from '../kernel/reply-filter.ts';
import { Reply } from '../kernel/route.ts';
import { apiHeaders, JSON_TYPE } from './headers.ts';

export function errorBody(sentence: string): string {
  return JSON.stringify({ error: sentence });
}

const EMPTY = new Set([204, 304]);

export function sendFault(reply: FastifyReply, fault: Fault): FastifyReply {
  reply.code(fault.status).headers({ ...apiHeaders, 'content-type': JSON_TYPE });
  if (fault.status === 401) reply.header('www-authenticate', 'Bearer');
  if (fault.status === 429) reply.header('retry-after', String(Math.max(1, fault.retryAfterSeconds ?? 60)));
  return reply.send(errorBody(fault.message));
}

export type Send = (reply: FastifyReply, result: unknown) => FastifyReply;

/** Writes what a handler returned: a plain value, or a Reply that says more. */
export function senderOf(operation: Operation): Send {
  const { success, alternative } = operation;
  const write = success.schema ? compileReply(success.schema) : undefined;
  const writeOther = alternative ? compileReply(alternative.schema) : undefined;
  return (reply, result) => {
    const said = result instanceof Reply ? result : new Reply({ body: result });
    const status = said.status ?? success.status;
    reply.code(status);
    if (EMPTY.has(status) || (!write && said.json === undefined)) return reply.headers(said.headers).send();
    reply.headers({ 'content-type': JSON_TYPE, ...said.headers });
    if (said.json !== undefined) return reply.send(said.json);
    const writer = status === alternative?.status ? writeOther : write;
    return reply.send(writer?.(said.body));
  };
}
