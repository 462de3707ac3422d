// A server on loopback that speaks the providers' real formats over real HTTP, with every fault we must survive.
// Wrong keys are answered like the real ones answer them: with the key in the text, so a leak shows.
import http from 'node:http';
import { type AskedFor, DIALECTS, type Dialect, modelOf, OLLAMA_SHOW } from './llm-mock-formats.ts';

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
  | { kind: 'redirect'; location: string };

export interface MockRequest {
  dialect: Dialect;
  asked_for: AskedFor;
  path: string;
  headers: http.IncomingHttpHeaders;
  /** Parsed body; null without one. */
  body: unknown;
}

type ReplyText = (request: MockRequest) => string | Promise<string>;

export interface LlmMock {
  /** Base URL to configure for a provider. */
  baseUrl(dialect: Dialect): string;
  /** What the model says from now on. */
  reply(text: string | ReplyText): void;
  /** The next requests (of that kind) run into these faults, in this order. */
  failNext(asked_for: AskedFor, ...faults: MockFault[]): void;
  /** Every request of that kind runs into this fault; undefined ends it. */
  failAlways(asked_for: AskedFor, fault: MockFault | undefined): void;
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
  readonly queues = new Map<AskedFor, MockFault[]>();
  readonly always = new Map<AskedFor, MockFault>();
  text: ReplyText = () => '{"databases": []}';

  nextFault(askedFor: AskedFor): MockFault | undefined {
    return this.queues.get(askedFor)?.shift() ?? this.always.get(askedFor);
  }

  async answerTo(request: MockRequest): Promise<unknown> {
    const model = modelOf(request.path, request.body);
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
