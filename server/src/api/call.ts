// What the API remembers about one request while it runs: who called, from where, and the signal that ends its work.
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../identity/access/access.service.ts';
import type { Operation } from '../kernel/contract.ts';
import type { ReadBody } from './body.ts';

export class Call {
  readonly pathname: string;
  readonly search: string;
  /** Taken at once: a closed socket no longer knows it. */
  readonly address: string;
  /** The other end of the socket: the last proxy, where there are some. */
  readonly peer: string;
  readonly secure: boolean;
  readonly operation: Operation | undefined;
  token: string | undefined;
  caller: Caller | undefined;
  timer: NodeJS.Timeout | undefined;
  #controller: AbortController | undefined;
  #isOver = false;

  constructor(request: FastifyRequest) {
    const { pathname, search } = splitTarget(request.raw.url ?? '/');
    this.pathname = pathname;
    this.search = search;
    this.address = request.ip;
    this.peer = request.socket.remoteAddress ?? '';
    this.secure = request.protocol === 'https';
    this.operation = request.routeOptions?.config?.operation;
  }

  /** Made for who asks: most requests are answered before anybody wants to know whether they end. */
  get controller(): AbortController {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#isOver) this.#controller.abort();
    }
    return this.#controller;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Ends whatever works for it. */
  abort(): void {
    this.#isOver = true;
    this.#controller?.abort();
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    call: Call;
  }
  interface FastifyContextConfig {
    operation?: Operation;
    /** Reads the body of a request of that operation. */
    read?: ReadBody;
  }
}

/** Path and query of a request target, which may also be a full URL. */
export function splitTarget(target: string): { pathname: string; search: string } {
  const path = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const mark = path.indexOf('?');
  const pathname = mark === -1 ? path : path.slice(0, mark);
  return { pathname: pathname === '' ? '/' : pathname, search: mark === -1 ? '' : path.slice(mark + 1) };
}
