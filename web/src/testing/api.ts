// A server on the loopback that answers operations by their contract's shapes, for tests of components: what is asked
// and sent goes over real HTTP and is kept, to be looked at.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach } from 'vitest';
import type { OperationId, Result } from '../api/client.ts';
import { operations } from '../api/operations.gen.ts';

interface Sent {
  operation: OperationId;
  path: string;
  body: unknown;
}

/** An answer other than success. */
export class Refusal {
  readonly status: number;
  readonly error: string;
  readonly headers: Record<string, string>;

  constructor(status: number, error: string, headers: Record<string, string> = {}) {
    this.status = status;
    this.error = error;
    this.headers = headers;
  }
}

/** A part of a list, with how many there are in all. */
export class Part<T> {
  readonly rows: T;
  readonly total: number;

  constructor(rows: T, total: number) {
    this.rows = rows;
    this.total = total;
  }
}

/** Server-sent events, after which the stream ends, or stays open. */
export class Events {
  readonly events: readonly { id: string; event: string; data: unknown }[];
  readonly staysOpen: boolean;

  constructor(events: Events['events'], staysOpen = false) {
    this.events = events;
    this.staysOpen = staysOpen;
  }
}

type Content<K extends OperationId> = Result<K> | Refusal | Part<Result<K>> | Events;
type Answer<K extends OperationId> = Content<K> | ((sent: Sent) => Content<K>);
export type Answers = { [K in OperationId]?: Answer<K> };

export interface Api {
  /** What was asked so far, oldest first. */
  sent: Sent[];
  /** Changes some answers from now on. */
  answer(answers: Answers): void;
}

const NAMES = Object.keys(operations).filter((name): name is OperationId => name in operations);

/** The operation of a request; a fixed path goes before one with parts to fill in. */
function operationOf(method: string, path: string): OperationId | undefined {
  const fits = NAMES.filter((name) => {
    const { method: wanted, path: template } = operations[name];
    const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return wanted === method && pattern.test(path);
  });
  return fits.sort((a, b) => operations[a].path.split('{').length - operations[b].path.split('{').length)[0];
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : JSON.parse(text);
}

function replyEvents(response: ServerResponse, { events, staysOpen }: Events): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const { id, event, data } of events)
    response.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  if (!staysOpen) response.end();
}

function reply(response: ServerResponse, content: unknown): void {
  const refused = content instanceof Refusal;
  const status = refused ? content.status : content === undefined ? 204 : 200;
  const isPart = content instanceof Part;
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-request-id': 'r-1',
    ...(refused && content.headers),
    ...(isPart && { 'x-total-count': String(content.total) }),
  });
  const body = refused ? { error: content.error } : isPart ? content.rows : content;
  response.end(status === 204 ? undefined : JSON.stringify(body));
}

const realFetch = globalThis.fetch;

/** Starts the server and leads the page's requests to it until the test ends. What has no answer is a 404. */
export async function startApi(first: Answers): Promise<Api> {
  const answers = new Map<string, unknown>(Object.entries(first));
  const sent: Sent[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
    const operation = operationOf(request.method ?? '', pathname);
    const body = await bodyOf(request);
    if (operation === undefined) return reply(response, new Refusal(404, `No operation ${pathname}.`));
    const one = { operation, path: pathname + search, body };
    sent.push(one);
    const missing = new Refusal(404, `The test has no answer for ${operation}.`);
    const found = answers.has(operation) ? answers.get(operation) : missing;
    const content = typeof found === 'function' ? found(one) : found;
    if (content instanceof Events) replyEvents(response, content);
    else reply(response, content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  globalThis.fetch = (input, options) =>
    realFetch(new URL(String(input), `http://127.0.0.1:${port}`), options);
  stops.push(() => {
    globalThis.fetch = realFetch;
    server.closeAllConnections();
    server.close();
  });
  return {
    sent,
    answer: (next) => {
      for (const [name, value] of Object.entries(next)) answers.set(name, value);
    },
  };
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});
