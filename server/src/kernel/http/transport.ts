// The one way out over HTTP to servers that others run. Guards: no redirect is followed, no refused address is called, an
// answer is never longer than agreed, and what the other side says in an error never enters the program.
import type { Agent, Dispatcher } from 'undici';
import { FORBIDDEN_ADDRESS, guardLookup, isForbiddenHost } from './guarded-lookup.ts';
import { OutboundError } from './outbound-error.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const LONGEST_RETRY_AFTER_S = 3600;
const DROPPED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CLOSED']);
const SLOW = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

/** Loads the HTTP client and makes a pool of connections; close it when done. */
export async function createAgent({ allow_private }: { allow_private: boolean }): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS, lookup: guardLookup(allow_private) },
    keepAliveTimeout: 4000,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

export interface TransportOptions {
  agent: Agent;
  /** As the agent was made: whether private and loopback addresses may be called. */
  allow_private: boolean;
  signal: AbortSignal;
  /** Longest answer in bytes. */
  max_bytes: number;
}

export interface JsonRequest {
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON by POST; without it the request is a GET. */
  body?: unknown;
}

export interface Transport {
  /** For the SDKs: the guarded way out in the shape of fetch. */
  readonly fetch: typeof globalThis.fetch;
  /** The JSON of a successful answer. */
  json(request: JsonRequest): Promise<unknown>;
  /** What went wrong on the way, even where an SDK has wrapped it in an error of its own. */
  failure(): OutboundError | undefined;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^[A-Z0-9_]{1,40}$/.test(error.code) ? error.code : undefined;
}

/** Names the failure of a request that got no (complete) answer. */
function networkFailure(error: unknown, begun: boolean): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  const details = code === undefined ? {} : { code };
  if (code !== undefined && SLOW.has(code)) return new OutboundError('timeout', details);
  const dropped = code === undefined || DROPPED.has(code);
  if (begun) return new OutboundError('failed', { ...details, dropped });
  return new OutboundError('unreachable', { ...details, dropped: dropped && code !== undefined });
}

function retryAfter(headers: Dispatcher.ResponseData['headers']): { retry_after_ms?: number } {
  const seconds = Number(headers['retry-after']);
  const isUsable = Number.isFinite(seconds) && seconds >= 0 && seconds <= LONGEST_RETRY_AFTER_S;
  return isUsable ? { retry_after_ms: Math.ceil(seconds * 1000) } : {};
}

async function readCapped(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new OutboundError('failed', { code: 'ANSWER_TOO_LONG' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Outgoing {
  url: URL;
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  body: string | null;
}

async function send(options: TransportOptions, outgoing: Outgoing): Promise<Response> {
  const { agent, allow_private, signal, max_bytes } = options;
  const { url, method, headers, body } = outgoing;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new OutboundError('unreachable');
  if (isForbiddenHost(url.hostname, allow_private))
    throw new OutboundError('unreachable', { code: FORBIDDEN_ADDRESS });
  let begun = false;
  try {
    const path = `${url.pathname}${url.search}`;
    const answer = await agent.request({ origin: url.origin, path, method, headers, body, signal });
    begun = true;
    const status = answer.statusCode;
    if (status < 200 || status > 299) {
      answer.body.on('error', () => undefined).destroy();
      throw new OutboundError(status >= 500 ? 'failed' : 'rejected', {
        status,
        ...retryAfter(answer.headers),
      });
    }
    const content = await readCapped(answer.body, max_bytes);
    const type = answer.headers['content-type'];
    return new Response(content, {
      status: status === 204 ? 200 : status,
      headers: { 'content-type': typeof type === 'string' ? type : 'application/json' },
    });
  } catch (error) {
    throw networkFailure(error, begun);
  }
}

function methodOf(method: string | undefined): Dispatcher.HttpMethod {
  return method === 'POST' ? 'POST' : 'GET';
}

/** A transport for one call (or one try of it). */
export function createTransport(options: TransportOptions): Transport {
  let failure: OutboundError | undefined;
  const call = async (outgoing: Outgoing) => {
    try {
      return await send(options, outgoing);
    } catch (error) {
      failure = networkFailure(error, false);
      throw failure;
    }
  };
  return {
    fetch: async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const headers = Object.fromEntries(new Headers(init?.headers));
      const body = typeof init?.body === 'string' ? init.body : null;
      return call({ url, method: methodOf(init?.method), headers, body });
    },
    async json({ url, headers = {}, body }) {
      const answer = await call({
        url: new URL(url),
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      try {
        return await answer.json();
      } catch {
        throw new OutboundError('failed', { code: 'NOT_JSON' });
      }
    },
    failure: () => failure,
  };
}
