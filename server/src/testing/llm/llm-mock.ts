// A server on loopback that speaks the providers' real formats over real HTTP, with every fault we must survive.
// Wrong keys are answered like the real ones answer them: with the key in the text, so a leak shows.
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DIALECTS,
  type Dialect,
  type MockCall,
  modelOf,
  OLLAMA_SHOW,
  vectorAnswer,
} from './llm-mock-formats.ts';
import { type MockAnswer, STREAMS, wantsStream } from './llm-mock-streams.ts';

/** Stands in every error text of the mock; must never come out of our side. */
export const PROVIDERS_OWN_TEXT = 'provider-own-text-7f3a';

export type MockFault =
  | { kind: 'status'; status: number; retry_after?: string }
  /** Accepts and never answers. */
  | { kind: 'hang' }
  /** Closes the connection before any answer. */
  | { kind: 'reset' }
  /** Sends half of the answer and closes the connection. */
  | { kind: 'cut' }
  | { kind: 'not_json' }
  | { kind: 'wrong_shape' }
  | { kind: 'huge'; bytes: number }
  | { kind: 'redirect'; location: string }
  /** Of a streamed answer: so many pieces are good, and then it is as said. */
  | { kind: 'streamed'; pieces: number; ends: 'cut' | 'end' | 'malformed' | 'stall' };

export interface MockRequest {
  dialect: Dialect;
  asked_for: MockCall;
  path: string;
  headers: http.IncomingHttpHeaders;
  /** Parsed body; null without one. */
  body: unknown;
}

type ReplyText = (request: MockRequest) => string | Promise<string>;
type Said = MockAnswer | ((request: MockRequest) => MockAnswer | Promise<MockAnswer>);

export interface LlmMock {
  /** Base URL to configure for a provider. */
  baseUrl(dialect: Dialect): string;
  /** What the model says from now on. */
  reply(text: string | ReplyText): void;
  /** The same for streamed answers, whose pieces are told apart; else the text of `reply` comes in one. */
  say(answer: Said): void;
  /** When streams that were not whole yet were left by their reader, by performance.now(). */
  readonly left: readonly number[];
  /** The next requests (of that kind) run into these faults, in this order. */
  failNext(asked_for: MockCall, ...faults: MockFault[]): void;
  /** Every request of that kind runs into this fault; undefined ends it. */
  failAlways(asked_for: MockCall, fault: MockFault | undefined): void;
  /** Requests in order of arrival. */
  readonly requests: readonly MockRequest[];
  generated(): readonly MockRequest[];
  /** Forgets requests, replies and faults. */
  reset(): void;
  stop(): Promise<void>;
}

interface Exchange {
  request: MockRequest;
  response: http.ServerResponse;
  answer: unknown;
}

function sendJson(response: http.ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function errorBody(text: string): unknown {
  return { type: 'error', error: { type: 'error', message: `${text} ${PROVIDERS_OWN_TEXT}` } };
}

function cut({ response, answer }: Exchange): void {
  const body = JSON.stringify(answer);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
}

function refuse(fault: MockFault & { kind: 'status' }, { request, response }: Exchange): void {
  if (fault.retry_after !== undefined) response.setHeader('retry-after', fault.retry_after);
  sendJson(response, fault.status, errorBody(`fault with headers ${JSON.stringify(request.headers)}`));
}

/** Written as fast as it is taken; the reader may leave. */
async function stream({ request, response }: Exchange, answer: MockAnswer, fault?: MockFault): Promise<void> {
  const pieces = STREAMS[request.dialect](modelOf(request.path, request.body), answer);
  const type = request.dialect === 'ollama' ? 'application/x-ndjson' : 'text/event-stream';
  response.writeHead(200, { 'content-type': type });
  response.flushHeaders();
  await delay(0);
  const isFaulty = fault?.kind === 'streamed';
  for (const piece of isFaulty ? pieces.slice(0, fault.pieces) : pieces) {
    response.write(piece);
    // Each piece is one of its own on the wire.
    await delay(0);
  }
  if (!isFaulty || fault.ends === 'end') response.end();
  else if (fault.ends === 'cut') response.socket?.destroy();
  else if (fault.ends === 'malformed')
    response.end(request.dialect === 'ollama' ? '{"half\n' : 'data: {"half\n\n');
}

function misbehave(fault: MockFault, exchange: Exchange): void {
  const { response } = exchange;
  if (fault.kind === 'status') refuse(fault, exchange);
  else if (fault.kind === 'reset') response.socket?.destroy();
  else if (fault.kind === 'cut') cut(exchange);
  else if (fault.kind === 'not_json')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"half": ');
  else if (fault.kind === 'wrong_shape') sendJson(response, 200, { surprise: PROVIDERS_OWN_TEXT });
  else if (fault.kind === 'huge') sendJson(response, 200, { filler: 'x'.repeat(fault.bytes) });
  else if (fault.kind === 'redirect') response.writeHead(302, { location: fault.location }).end();
}

async function readBody(request: http.IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? null : JSON.parse(text);
}

function findDialect(prefix: string | undefined): Dialect | undefined {
  const names: readonly Dialect[] = ['anthropic', 'openai', 'compatible', 'gemini', 'ollama'];
  return names.find((name) => name === prefix);
}

class MockState {
  readonly requests: MockRequest[] = [];
  readonly left: number[] = [];
  /** How often it was reset: whoever leaves a stream of before is not counted. */
  resets = 0;
  said: Said | undefined;
  readonly queues = new Map<MockCall, MockFault[]>();
  readonly always = new Map<MockCall, MockFault>();
  text: ReplyText = () => '{"databases": []}';

  nextFault(askedFor: MockCall): MockFault | undefined {
    return this.queues.get(askedFor)?.shift() ?? this.always.get(askedFor);
  }

  async streamed(request: MockRequest): Promise<MockAnswer> {
    if (this.said === undefined) return { texts: [await this.text(request)] };
    return typeof this.said === 'function' ? this.said(request) : this.said;
  }

  async answerTo(request: MockRequest): Promise<unknown> {
    const model = modelOf(request.path, request.body);
    if (request.asked_for === 'embed' || request.asked_for === 'rank')
      return vectorAnswer(request.dialect, request.asked_for, request.body);
    if (request.asked_for === 'show') return OLLAMA_SHOW[model] ?? {};
    const format = DIALECTS[request.dialect];
    return request.asked_for === 'list'
      ? format.list
      : format.generated(model, await this.text(request), request.body);
  }
}

async function handle(
  state: MockState,
  key: string | undefined,
  exchange: { incoming: http.IncomingMessage; response: http.ServerResponse },
): Promise<void> {
  const { incoming, response } = exchange;
  const [, prefix, path = ''] = /^\/([a-z]+)(\/[^?]*)/.exec(incoming.url ?? '') ?? [];
  const dialect = findDialect(prefix);
  const asked_for = dialect && DIALECTS[dialect].route(incoming.method ?? '', path);
  if (!dialect || !asked_for) return sendJson(response, 404, errorBody('no such path'));
  const body = await readBody(incoming);
  const request = { dialect, asked_for, path, headers: incoming.headers, body };
  state.requests.push(request);
  const { headers } = incoming;
  const sent = DIALECTS[dialect].key({
    authorization: headers.authorization,
    'x-api-key': headers['x-api-key']?.toString(),
    'x-goog-api-key': headers['x-goog-api-key']?.toString(),
  });
  const fault = state.nextFault(asked_for);
  if (fault?.kind === 'hang') return;
  if (!fault && key !== undefined && dialect !== 'ollama' && sent !== key)
    return sendJson(response, 401, errorBody(`Incorrect API key provided: ${sent}`));
  if (asked_for === 'generate' && wantsStream(path, body) && (!fault || fault.kind === 'streamed')) {
    const { resets } = state;
    response.once('close', () => {
      if (!response.writableFinished && state.resets === resets) state.left.push(performance.now());
    });
    return stream({ request, response, answer: null }, await state.streamed(request), fault);
  }
  const answer = await state.answerTo(request);
  if (fault) misbehave(fault, { request, response, answer });
  else sendJson(response, 200, answer);
}

/** Starts the mock. With `key`, every provider but Ollama must send exactly that one. */
export async function startLlmMock({ key }: { key?: string } = {}): Promise<LlmMock> {
  const state = new MockState();
  const server = http.createServer((incoming, response) => {
    handle(state, key, { incoming, response }).catch(() => response.destroy());
  });
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(0, '127.0.0.1', () => listening.resolve());
  await listening.promise;
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    baseUrl: (dialect) => `http://127.0.0.1:${port}/${dialect}${DIALECTS[dialect].base}`,
    reply: (text) => {
      state.text = typeof text === 'string' ? () => text : text;
    },
    say: (answer) => {
      state.said = answer;
    },
    left: state.left,
    failNext: (asked_for, ...faults) => {
      state.queues.set(asked_for, [...(state.queues.get(asked_for) ?? []), ...faults]);
    },
    failAlways: (asked_for, fault) => {
      if (fault) state.always.set(asked_for, fault);
      else state.always.delete(asked_for);
    },
    requests: state.requests,
    generated: () => state.requests.filter((request) => request.asked_for === 'generate'),
    reset: () => {
      state.requests.length = 0;
      state.resets += 1;
      state.left.length = 0;
      state.said = undefined;
      state.queues.clear();
      state.always.clear();
      state.text = () => '{"databases": []}';
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
