// Streams of events of a test's own, on a real socket, and a client that reads them as they come.
import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { PublicCtx } from '../identity/access/principal.ts';
import { operation } from '../kernel/contract.ts';
import { streamRoute } from '../kernel/route.ts';
import { id, integer, object, text } from '../kernel/schema.ts';
import type { Events } from '../kernel/sse.ts';
import { startTestApi, type TestApi } from './api.ts';

const Tick = object({ n: integer(), said: text() });
const streamTicks = operation({
  id: 'streamTicks',
  route: 'GET /api/v1/connections/{id}/ticks',
  tag: 'utilities',
  summary: 'Ticks',
  access: { connection: 'id', need: 'read' },
  params: object({ id: id() }),
  success: { status: 200, schema: Tick, stream: { keepalive_seconds: 1 }, example: { n: 1, said: 'x' } },
});

export type Made = (ctx: PublicCtx) => Events<{ n: number; said: string }>;
/** Waits until told, or until nobody listens any more. */
export const never = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('gone')), { once: true });
  });

export const one = (n: number, said = '') => ({ id: String(n), event: 'tick', data: { n, said } });

interface Open {
  status: number;
  headers: http.IncomingHttpHeaders;
  response: http.IncomingMessage;
  /** What came, until it holds the text. */
  until(wanted: string | RegExp): Promise<string>;
  /** All of it, at its end. */
  all(): Promise<string>;
  leave(): void;
}

interface Opening {
  port: number;
  path: string;
  method?: string;
  headers?: http.OutgoingHttpHeaders;
}

export async function openStream(
  token: string,
  { port, path, method = 'GET', headers = {} }: Opening,
): Promise<Open> {
  const request = http.request({
    ...{ port, method, path },
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  request.on('error', () => {});
  request.end();
  const [response]: http.IncomingMessage[] = await once(request, 'response');
  if (!response) throw new Error('there is no response');
  let got = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    got += chunk;
  });
  response.on('error', () => {});
  const closed = new Promise((resolve) => response.once('close', resolve));
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    response,
    async until(wanted) {
      await expect.poll(() => got, { interval: 10 }).toMatch(wanted);
      return got;
    },
    async all() {
      await closed;
      return got;
    },
    leave: () => request.destroy(),
  };
}

/** An answer that never ends by itself, and says when it did. */
export const endless = (ended: string[]): Made =>
  async function* (ctx) {
    try {
      yield one(1);
      await never(ctx.signal);
    } finally {
      ended.push('over');
    }
  };

/** Begins before the tests of a file, and ends after them. */
export function streamTests() {
  let make: Made;
  let test: TestApi;
  let port: number;
  const ended: string[] = [];
  beforeAll(async () => {
    const routes = [streamRoute(streamTicks, async (ctx: PublicCtx) => make(ctx))];
    test = await startTestApi({ rooms: [() => routes], config: { streamsPerUser: 3, streams: 4 } });
    ({ port } = await test.api.listen());
  });
  afterAll(() => test.close());
  beforeEach(() => {
    ended.length = 0;
  });
  return {
    test: () => test,
    /** What the work said as it ended. */
    ended,
    /** What is answered from now on. */
    make(made: Made) {
      make = made;
    },
    open: (
      token: string,
      {
        method = 'GET',
        connection = test.actors.own_connection,
      }: { method?: string; connection?: number } = {},
    ) => openStream(token, { port, method, path: `/api/v1/connections/${connection}/ticks` }),
  };
}
