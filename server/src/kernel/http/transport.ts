// The one way out over HTTP to servers that others run. Guards: no redirect is followed, no refused address is called, an
// answer is never longer than agreed, and what the other side says in an error never enters the program, unless the caller
// asks to hear it.
import type { Agent, Dispatcher } from 'undici';
import { systemClock } from '../clock.ts';
import { errorCode } from '../errors.ts';
import { FORBIDDEN_ADDRESS, guardLookup, isForbiddenHost } from './guarded-lookup.ts';
import { OutboundError } from './outbound-error.ts';
import { bytesOf, type Opened, responseOver, typeOf } from './streamed.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;
/** An answer that does not matter is read so long, so that the connection can be used again. */
const READ_ON_MS = 1000;
const DROPPED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CLOSED']);
const SLOW = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

export interface AgentOptions {
  allow_private: boolean;
  /** Certificates of authorities to trust, in place of the usual ones. */
  ca?: readonly string[] | undefined;
}

/** Loads the HTTP client and makes a pool of connections; close it when done. */
export async function createAgent({ allow_private, ca }: AgentOptions): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({
    connect: {
      timeout: CONNECT_TIMEOUT_MS,
      lookup: guardLookup(allow_private),
      ...(ca !== undefined && { ca: [...ca] }),
    },
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
  /** What the other side answers to something that is handed over, whatever its status. */
  hear?: ((heard: ForeignReply) => void) | undefined;
  /** Answers of `fetch` are handed on while they come; called with each piece of them. */
  streamed?: (() => void) | undefined;
  /** Told what is about to be sent, without its headers; throwing keeps it from being sent. */
  outgoing?: ((body: string | null) => void) | undefined;
}

/** Written by the other side, and never to be trusted. */
export interface ForeignReply {
  status: number;
  text: string;
  /** There was more, or it did not come to its end in time. */
  is_cut: boolean;
}

export interface JsonRequest {
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON by POST; without it the request is a GET. */
  body?: unknown;
}

export interface Delivered {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  headers: Record<string, string>;
  body: string;
}

export interface Transport {
  /** For the SDKs: the guarded way out in the shape of fetch. */
  readonly fetch: typeof globalThis.fetch;
  /** The same, for who reads the answer by itself while it comes. */
  open(input: string | URL | Request, init?: RequestInit): Promise<Opened>;
  /** The JSON of a successful answer. */
  json(request: JsonRequest): Promise<unknown>;
  /** Hands something over: the status, which is one of success. What else the answer says is not looked at. */
  deliver(request: Delivered): Promise<number>;
  /** What went wrong on the way, even where an SDK has wrapped it in an error of its own. */
  failure(): OutboundError | undefined;
}

function codeOf(error: unknown): string | undefined {
  const code = errorCode(error);
  return code !== undefined && /^[A-Z0-9_]{1,40}$/.test(code) ? code : undefined;
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

/** In seconds, or as a time. */
function waitAsked(text: string): number {
  return /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - systemClock.now();
}

function retryAfter(headers: Dispatcher.ResponseData['headers']): { retry_after_ms?: number } {
  const header = headers['retry-after'];
  const wait = typeof header === 'string' ? waitAsked(header) : Number.NaN;
  const isUsable = Number.isFinite(wait) && wait >= 0 && wait <= LONGEST_RETRY_AFTER_MS;
  return isUsable ? { retry_after_ms: Math.ceil(wait) } : {};
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

/** Sends it and reads a successful answer with `read`; whatever goes wrong is an OutboundError. */
async function exchange<T>(
  { agent, allow_private, signal, max_bytes, hear, outgoing: told }: TransportOptions,
  outgoing: Outgoing,
  read: (answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  const { url, method, headers, body } = outgoing;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new OutboundError('unreachable');
  if (isForbiddenHost(url.hostname, allow_private))
    throw new OutboundError('unreachable', { code: FORBIDDEN_ADDRESS });
  told?.(body);
  let begun = false;
  try {
    const path = `${url.pathname}${url.search}`;
    const answer = await agent.request({ origin: url.origin, path, method, headers, body, signal });
    begun = true;
    const status = answer.statusCode;
    if (status < 200 || status > 299) {
      if (hear) hear(await heardOf(answer, max_bytes));
      answer.body.on('error', () => undefined).destroy();
      throw new OutboundError(status >= 500 ? 'failed' : 'rejected', {
        status,
        ...retryAfter(answer.headers),
      });
    }
    return await read(answer);
  } catch (error) {
    throw networkFailure(error, begun);
  }
}

async function responseOf(answer: Dispatcher.ResponseData, maxBytes: number): Promise<Response> {
  const content = await readCapped(answer.body, maxBytes);
  return new Response(content, {
    status: answer.statusCode === 204 ? 200 : answer.statusCode,
    headers: { 'content-type': typeOf(answer) },
  });
}

/** As much as there is, for a while. */
async function heardOf({ statusCode, body }: Dispatcher.ResponseData, limit: number): Promise<ForeignReply> {
  const chunks: Buffer[] = [];
  const time = AbortSignal.timeout(READ_ON_MS);
  time.addEventListener('abort', () => body.destroy(), { once: true });
  let [size, isWhole] = [0, false];
  try {
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size > limit) break;
    }
    isWhole = size <= limit && !time.aborted;
  } catch {
    // What came until then is what it said.
  } finally {
    body.on('error', () => undefined).destroy();
  }
  const text = Buffer.concat(chunks).subarray(0, limit).toString('utf8');
  return { status: statusCode, text, is_cut: !isWhole };
}

/** The status says it all; of the rest a little is read and the remainder cut off. */
async function statusOf({ statusCode, body }: Dispatcher.ResponseData, limit: number): Promise<number> {
  body.on('error', () => undefined);
  await body.dump({ limit, signal: AbortSignal.timeout(READ_ON_MS) }).catch(() => body.destroy());
  return statusCode;
}

function methodOf(method: string | undefined): Dispatcher.HttpMethod {
  return method === 'POST' ? 'POST' : 'GET';
}

/** A transport for one call (or one try of it). */
export function createTransport(options: TransportOptions): Transport {
  let failure: OutboundError | undefined;
  const call = async <T>(outgoing: Outgoing, read: (answer: Dispatcher.ResponseData) => Promise<T>) => {
    try {
      return await exchange(options, outgoing, read);
    } catch (error) {
      failure = networkFailure(error, false);
      throw failure;
    }
  };
  const wholeAnswer = (answer: Dispatcher.ResponseData) => responseOf(answer, options.max_bytes);
  const failed = (error: unknown) => {
    failure = networkFailure(error, true);
    return failure;
  };
  const ask = async <T>(
    { input, init }: { input: string | URL | Request; init: RequestInit | undefined },
    read: (answer: Dispatcher.ResponseData) => Promise<T>,
  ) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = Object.fromEntries(new Headers(init?.headers));
    const body = typeof init?.body === 'string' ? init.body : null;
    return call({ url, method: methodOf(init?.method), headers, body }, read);
  };
  const opened = async (answer: Dispatcher.ResponseData): Promise<Opened> => ({
    type: typeOf(answer),
    bytes: bytesOf(answer, options, failed),
    leave: () => void answer.body.on('error', () => undefined).destroy(),
  });
  return {
    fetch: async (input, init) =>
      options.streamed ? responseOver(await ask({ input, init }, opened)) : ask({ input, init }, wholeAnswer),
    open: (input, init) => ask({ input, init }, opened),
    async json({ url, headers = {}, body }) {
      const outgoing: Outgoing = {
        url: new URL(url),
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
      };
      const answer = await call(outgoing, wholeAnswer);
      try {
        return await answer.json();
      } catch {
        throw new OutboundError('failed', { code: 'NOT_JSON' });
      }
    },
    deliver: ({ url, ...rest }) =>
      call({ url: new URL(url), ...rest }, async (answer) => {
        const { max_bytes, hear } = options;
        if (!hear) return statusOf(answer, max_bytes);
        hear(await heardOf(answer, max_bytes));
        return answer.statusCode;
      }),
    failure: () => failure,
  };
}
