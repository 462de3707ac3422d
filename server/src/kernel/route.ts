// The bridge between an operation and the service behind it: a typed row, nothing more. What a handler needs of
// HTTP itself (cookies, the caller's address) is in Http; most handlers never look at it.
import type { Input, Operation, Output } from './contract.ts';
import type { JsonText } from './json-text.ts';
import type { Events } from './sse.ts';

export interface Http {
  /** The client's address; the forwarded one only behind a trusted proxy. */
  readonly address: string;
  /** The other end of the socket, whatever headers say; empty where it is gone. */
  readonly peer: string;
  /** True over TLS, or behind a trusted proxy that reports https. */
  readonly secure: boolean;
  readonly request_id: string;
  /** The presented session or API token, valid or not, if there was one. */
  readonly token: string | undefined;
  /** What was sent, where the operation takes its body as it came; otherwise nothing. */
  readonly raw_body: Uint8Array;
  /** The value of a request header in lower case, if it was sent. */
  header(name: string): string | undefined;
  /** Each value that a request header, in lower case, was sent with. */
  headerValues(name: string): readonly string[];
}

/** A reply that needs more than a body: another status, headers, or text that is already JSON. */
export class Reply {
  readonly body: unknown;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text sent as it is; its shape is checked in tests instead of at each request. */
  readonly json: string | JsonText | undefined;
  /** A body in another protocol's words, of the content type in `headers`. */
  readonly bytes: Uint8Array | undefined;

  constructor(options: {
    body?: unknown;
    status?: number;
    headers?: Record<string, string>;
    json?: string | JsonText;
    bytes?: Uint8Array;
  }) {
    this.body = options.body;
    this.status = options.status;
    this.headers = options.headers ?? {};
    this.json = options.json;
    this.bytes = options.bytes;
  }
}

/** `C` is the context type of the areas (identity/access/principal.ts); the kernel does not look into it. */
export interface Route<C = unknown> {
  operation: Operation;
  handle(ctx: C, input: unknown, http: Http): Promise<unknown>;
}

/** An operation that answers without a body may just be awaited. */
type NoBody<O extends Operation> = Output<O> extends undefined ? Promise<void> : never;

/**
 * Ties an operation to its handler; input and output are checked against the operation's schemas at compile time.
 * Public operations get a ctx too; its principal is undefined when nobody is signed in.
 */
export function route<C, O extends Operation>(
  operation: O,
  handle: (ctx: C, input: Input<O>, http: Http) => Promise<Output<O> | Reply> | Output<O> | Reply | NoBody<O>,
): Route<C> {
  return { operation, handle: async (ctx, input, http) => handle(ctx, input as Input<O>, http) };
}

/**
 * Ties an operation whose success is a stream to its handler. What the handler throws, and what the first event waits for, is
 * answered as an error in JSON; what is thrown later ends the stream with the event `error`. The handler listens to
 * `ctx.signal`, which aborts as soon as the client is gone; `ctx.principal` is who the caller is at each look at it.
 */
export function streamRoute<C, O extends Operation>(
  operation: O,
  handle: (ctx: C, input: Input<O>, http: Http) => Promise<Events<Output<O>>>,
): Route<C> {
  if (!operation.success.stream) throw new Error(`${operation.id} is no stream`);
  return { operation, handle: (ctx, input, http) => handle(ctx, input as Input<O>, http) };
}

/** Whether If-None-Match names the text that would be sent. */
export function isCurrent(known: string | undefined, etag: string): boolean {
  if (known === undefined) return false;
  const bare = etag.replace(/^W\//, '');
  return known === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === bare);
}
