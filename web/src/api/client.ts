// One way to the server: an operation by its name, with the shapes of its contract. Every failure is an ApiError
// with a sentence fit to show and the request id that stands in the server's log. A lost session is told once, here.
// Guards: a change that is under way is not sent again; of one that got no answer it is said that it may have been made.
import { withBase } from '../lib/base-path.ts';
import { noteServerTime } from '../lib/clock.ts';
import { dropEarly, takeEarly } from './early.ts';
import { type OperationTypes, operations } from './operations.gen.ts';
import { isChange } from './touches.ts';

export type OperationId = keyof typeof operations & keyof OperationTypes;
export type Result<K extends OperationId> = OperationTypes[K]['result'];

type Part<N extends string, T> = undefined extends T ? { [P in N]?: T } : { [P in N]: T };
interface Loose {
  params?: object | undefined;
  query?: object | undefined;
  body?: object | undefined;
}
export type Input<K extends OperationId> = Part<'params', OperationTypes[K]['params']> &
  Part<'query', OperationTypes[K]['query']> &
  Part<'body', OperationTypes[K]['body']> &
  Loose;

interface ErrorDetails {
  status: number;
  requestId?: string;
  retryAfterSeconds?: number;
  needsCode?: boolean;
}

export class ApiError extends Error {
  /** The HTTP status; 0 when the server could not be reached at all. */
  readonly status: number;
  readonly requestId: string | undefined;
  /** Whole seconds to wait, when the server asked for patience. */
  readonly retryAfterSeconds: number | undefined;
  /** The password was right, and a code is to follow. */
  readonly needsCode: boolean;

  constructor(message: string, details: ErrorDetails) {
    super(message);
    this.name = 'ApiError';
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.needsCode = details.needsCode ?? false;
  }
}

/** True where trying again later may help and the last known facts are still worth showing. */
export function isOutage(error: ApiError | null): boolean {
  return error !== null && (error.status === 0 || error.status >= 500);
}

type Listener = () => void;
const lostSession = new Set<Listener>();
/** Calls the listener whenever the server answers 401; returns how to stop. */
export function onSessionLost(listener: Listener): () => void {
  lostSession.add(listener);
  return () => lostSession.delete(listener);
}

/** Fills `{name}` parts of a path and appends the query; lists repeat their name. */
export function addressOf(template: string, input: Pick<Loose, 'params' | 'query'>): string {
  const params = new Map(Object.entries(input.params ?? {}));
  const path = template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(params.get(name) ?? '')),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) search.append(name, String(one));
    }
  }
  return search.size > 0 ? `${path}?${search}` : path;
}

/** What came between this page and Matriarch; of a change nobody knows on which side of it that happened. */
const cutOff = (what: string, id: OperationId, otherwise: string): string =>
  isChange(id)
    ? `${what}, so the change may or may not have been made. Open this page in a new tab to see; what you typed stays here.`
    : `${what}. ${otherwise}`;

const lost = (id: OperationId) =>
  new ApiError(cutOff('Matriarch does not answer', id, 'It may be restarting, or the network is down.'), {
    status: 0,
  });

async function sentenceOf(response: Response, id: OperationId): Promise<string> {
  try {
    const body: unknown = await response.json();
    if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string') {
      return body.error;
    }
  } catch {
    // Not JSON: something between the browser and Matriarch answered.
  }
  const what = `The server answered with status ${response.status}`;
  return response.status >= 500 ? cutOff(what, id, '').trimEnd() : `${what}.`;
}

async function failureOf(response: Response, id: OperationId): Promise<ApiError> {
  const requestId = response.headers.get('x-request-id');
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(await sentenceOf(response, id), {
    status: response.status,
    needsCode: response.headers.has('x-second-factor'),
    ...(requestId === null ? {} : { requestId }),
    ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
  });
}

interface SendOptions {
  id: OperationId;
  body?: unknown;
  signal?: AbortSignal;
}

async function send(method: string, address: string, options: SendOptions) {
  try {
    if (method !== 'GET') dropEarly();
    const early = method === 'GET' ? await takeEarly(address, options.signal) : undefined;
    if (early) return early;
    const response = await fetch(withBase(address), {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    // An early reply came a while ago, so that its Date says nothing of now.
    noteServerTime(response.headers.get('date'));
    return response;
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw lost(options.id);
  }
}

/** Changes under way: a double click on a button sends one request, and both clicks get its answer. */
const underWay = new Map<string, Promise<Response>>();

async function sendOnce(method: string, address: string, options: SendOptions) {
  if (method === 'GET' || options.signal) return send(method, address, options);
  const key = `${method} ${address} ${JSON.stringify(options.body)}`;
  const reply = underWay.get(key) ?? send(method, address, options).finally(() => underWay.delete(key));
  underWay.set(key, reply);
  return (await reply).clone();
}

async function answerOf<K extends OperationId>(id: K, input: Input<K>, signal?: AbortSignal) {
  const { method, path } = operations[id];
  const response = await sendOnce(method, addressOf(path, input), {
    id,
    body: input.body,
    ...(signal ? { signal } : {}),
  });
  if (!response.ok) {
    // A wrong password is also 401; it is the sign-in page's own business.
    if (response.status === 401 && !path.startsWith('/api/v1/auth/')) {
      for (const listener of lostSession) listener();
    }
    throw await failureOf(response, id);
  }
  return response;
}

/** The connection may end in the middle of an answer. */
async function bodyOf<K extends OperationId>(response: Response, id: K, signal?: AbortSignal) {
  try {
    return await response.json();
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw lost(id);
  }
}

/** Calls an operation. Throws ApiError for everything but success. */
export async function call<K extends OperationId>(
  id: K,
  input: Input<K>,
  signal?: AbortSignal,
): Promise<Result<K>> {
  const response = await answerOf(id, input, signal);
  return response.status === 204 ? undefined : await bodyOf(response, id, signal);
}

/** A part of a list, with how many there are before limit and offset; null where the server does not say. */
export interface Counted<K extends OperationId> {
  rows: Result<K>;
  total: number | null;
}

/** Calls an operation that answers a part of a list. */
export async function callCounted<K extends OperationId>(
  id: K,
  input: Input<K>,
  signal?: AbortSignal,
): Promise<Counted<K>> {
  const response = await answerOf(id, input, signal);
  const total = response.headers.get('x-total-count');
  return { rows: await bodyOf(response, id, signal), total: total === null ? null : Number(total) };
}

/** Opens an operation that answers with server-sent events; `readFrames` reads its body. Throws as `call` does. */
export async function openStream<K extends OperationId>(
  id: K,
  input: Input<K>,
  signal?: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { body } = await answerOf(id, input, signal);
  if (body === null) throw new ApiError('The server sent no events.', { status: 0 });
  return body;
}
