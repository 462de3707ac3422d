// What the API remembers about one request while it runs: who called, from where, and the signal that ends its work.
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../areas/access/access.service.ts';
import type { Operation } from '../kernel/contract.ts';

export interface Call {
  pathname: string;
  search: string;
  /** Taken at once: a closed socket no longer knows it. */
  address: string;
  secure: boolean;
  token: string | undefined;
  caller: Caller | undefined;
  operation: Operation | undefined;
  controller: AbortController;
  timer: NodeJS.Timeout | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    call: Call;
  }
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

/** Path and query of a request target, which may also be a full URL. */
export function splitTarget(target: string): { pathname: string; search: string } {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const mark = path.indexOf('?');
  const pathname = mark === -1 ? path : path.slice(0, mark);
  return { pathname: pathname === '' ? '/' : pathname, search: mark === -1 ? '' : path.slice(mark + 1) };
}

export function newCall(request: FastifyRequest): Call {
  return {
    ...splitTarget(request.raw.url ?? '/'),
    address: request.ip,
    secure: request.protocol === 'https',
    token: undefined,
    caller: undefined,
    operation: request.routeOptions?.config?.operation,
    controller: new AbortController(),
    timer: undefined,
  };
}
