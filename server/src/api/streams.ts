// Streams of server-sent events. Guards: before the first byte an error is JSON with its status, as anywhere; after it the
// stream ends with the event `error`. The caller's rights are looked at every five seconds, and the stream ends with them. It
// ends when the client leaves, reads nothing for a minute, or the server stops; whatever works behind it is told at once.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../kernel/contract.ts';
import { Fault } from '../kernel/errors.ts';
import { inertJson } from '../kernel/inert-text.ts';
import type { Log } from '../kernel/log.ts';
import { compileReply } from '../kernel/reply-filter.ts';
import { type Events, eventText, KEEPALIVE, type ServerEvent } from '../kernel/sse.ts';
import { toFault } from './faults.ts';
import { errorBody } from './respond.ts';

const MOST_STREAMS = 500;
const MOST_OF_A_USER = 20;
const RIGHTS_EVERY_MS = 5_000;
/** Rights that cannot be asked for, because the datastore is away, hold for so many looks. */
const LOOKS_WITHOUT_ANSWER = 6;
/** A client that takes nothing for so long is taken for gone. */
const STUCK_MS = 60_000;

export interface StreamsOptions {
  log: Log;
  most: number | undefined;
  mostPerUser: number | undefined;
}

export interface StreamRequest {
  operation: Operation;
  request: FastifyRequest;
  reply: FastifyReply;
  events: Events;
  /** Throws when the caller's rights are gone. */
  admitted(): Promise<void>;
}

export interface Streams {
  /** How many are open. */
  readonly open: number;
  /** Answers the request, and settles when the stream is over. */
  send(stream: StreamRequest): Promise<FastifyReply>;
  /** Ends all of them. */
  end(): void;
}

export function isEvents(result: unknown): result is Events {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
}

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

type Next = IteratorResult<ServerEvent>;

/** One open stream and what it needs until its end. */
class Stream {
  readonly #of: StreamRequest;
  readonly #log: Log;
  readonly #text: (data: unknown) => string;
  #timers: NodeJS.Timeout[] = [];
  #unanswered = 0;
  #isBegun = false;

  constructor(of: StreamRequest, log: Log) {
    this.#of = of;
    this.#log = log;
    const { schema } = of.operation.success;
    this.#text = schema ? compileReply(schema) : (data) => JSON.stringify(data);
  }

  /** From the first event to the last one; throws only before the first byte. */
  async run(): Promise<void> {
    const { events, request } = this.#of;
    const { signal } = request.call.controller;
    const iterator = events[Symbol.asyncIterator]();
    const gone = new Fault('unavailable', 'The stream was ended.');
    // No race against one promise for the whole stream: that would hold every event until the end.
    let end = (_why: unknown) => {};
    signal.addEventListener('abort', () => end(gone), { once: true });
    const next = () =>
      new Promise<Next>((resolve, reject) => {
        end = reject;
        if (signal.aborted) reject(gone);
        else iterator.next().then(resolve, reject);
      });
    try {
      const first = next();
      first.catch(() => {});
      await this.#firstOrPatience(first);
      this.#begin();
      for (let one = await first; !one.done && !signal.aborted; one = await next())
        await this.#write(eventText(one.value, inertJson(this.#text(one.value.data))), signal);
    } catch (error) {
      if (!this.#isBegun) throw error;
      this.#fail(error);
    } finally {
      for (const timer of this.#timers) clearInterval(timer);
      void Promise.resolve(iterator.return?.()).catch(() => {});
      if (this.#isBegun) this.#of.reply.raw.end();
    }
  }

  /** Comments are due before the first event: then the stream begins with one, and what fails later is an event. */
  async #firstOrPatience(first: Promise<unknown>): Promise<void> {
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, this.#keepaliveMs);
    try {
      await Promise.race([first, patience.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  get #keepaliveMs(): number {
    return (this.#of.operation.success.stream?.keepalive_seconds ?? 30) * 1000;
  }

  #begin(): void {
    const { request, reply } = this.#of;
    clearTimeout(request.call.timer);
    reply.hijack();
    this.#isBegun = true;
    for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...HEADERS }))
      if (value !== undefined) reply.raw.setHeader(name, value);
    reply.raw.writeHead(this.#of.operation.success.status);
    reply.raw.flushHeaders();
    if (request.method === 'HEAD') {
      request.call.controller.abort();
      return;
    }
    const keepalive = setInterval(() => {
      if (!reply.raw.writableNeedDrain) reply.raw.write(KEEPALIVE);
    }, this.#keepaliveMs);
    const rights = setInterval(() => void this.#lookAtRights(), RIGHTS_EVERY_MS);
    this.#timers = [keepalive, rights];
  }

  /** Settles when there is room for more, so that a slow client slows what is made for it. */
  async #write(text: string, signal: AbortSignal): Promise<void> {
    const { raw } = this.#of.reply;
    this.#timers[0]?.refresh();
    if (raw.write(text)) return;
    const room = Promise.withResolvers<void>();
    const stuck = setTimeout(() => raw.destroy(), STUCK_MS);
    const resolve = () => room.resolve();
    raw.once('drain', resolve);
    signal.addEventListener('abort', resolve, { once: true });
    if (signal.aborted) resolve();
    try {
      await room.promise;
    } finally {
      clearTimeout(stuck);
      signal.removeEventListener('abort', resolve);
      raw.off('drain', resolve);
    }
  }

  async #lookAtRights(): Promise<void> {
    try {
      await this.#of.admitted();
      this.#unanswered = 0;
    } catch (error) {
      const isRefused = error instanceof Fault && [401, 403, 404].includes(error.status);
      this.#unanswered += 1;
      if (isRefused || this.#unanswered > LOOKS_WITHOUT_ANSWER) this.#of.request.call.controller.abort();
    }
  }

  /** Nothing more can be said where the client is gone or was told to go. */
  #fail(error: unknown): void {
    const { request, reply, operation } = this.#of;
    if (request.call.controller.signal.aborted) return;
    const fault = toFault(error, {}, operation);
    if (fault.status >= 500)
      this.#log.error({
        event: 'http.stream_failed',
        request_id: request.id,
        operation: operation.id,
        err: fault.cause ?? fault,
      });
    reply.raw.write(eventText({ event: 'error' }, errorBody(fault.message)));
  }
}

export function createStreams({
  log,
  most = MOST_STREAMS,
  mostPerUser = MOST_OF_A_USER,
}: StreamsOptions): Streams {
  const open = new Set<AbortController>();
  const ofUser = new Map<number, number>();

  function enter(user: number): void {
    const own = ofUser.get(user) ?? 0;
    if (own >= mostPerUser)
      throw new Fault(
        'too_many_requests',
        `You have ${own} streams open, which is the most that is allowed.`,
        {
          retryAfterSeconds: 10,
        },
      );
    if (open.size >= most)
      throw new Fault(
        'too_many_requests',
        'The server has as many streams open as it may. Try again later.',
        {
          retryAfterSeconds: 30,
        },
      );
    ofUser.set(user, own + 1);
  }

  return {
    get open() {
      return open.size;
    },
    async send(stream) {
      const { request, reply } = stream;
      const user = request.call.caller?.principal.user_id ?? 0;
      enter(user);
      open.add(request.call.controller);
      try {
        await new Stream(stream, log).run();
        return reply;
      } finally {
        open.delete(request.call.controller);
        const left = (ofUser.get(user) ?? 1) - 1;
        if (left > 0) ofUser.set(user, left);
        else ofUser.delete(user);
      }
    },
    end() {
      for (const controller of open) controller.abort();
    },
  };
}
