// Health and figures of a process without the role api: the same paths and answers as there, on a plain listener. Guards: nothing else is
// answered; what is asked costs one small statement; a port that is taken stops no collector. It loads nothing of the API.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { inertJson } from '../../kernel/inert-text.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { OwnFigures } from './own-figures.service.ts';
import { demandHealth, demandReadiness } from './utilities.service.ts';

const TIMEOUT_MS = 10_000;
const JSON_TYPE = 'application/json; charset=utf-8';
/** As those of the API, which would load all of it. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

export interface HealthOptions {
  db: Db;
  log: Log;
  version: string;
  figures: OwnFigures;
  host: string;
  port: number;
}

export interface HealthListener extends Part {
  url: string;
}

interface Answer {
  type: string;
  text: string;
}

type Answering = (request: IncomingMessage) => Promise<Answer>;

function answers({ db, version, figures }: HealthOptions): ReadonlyMap<string, Answering> {
  const well = {
    type: JSON_TYPE,
    text: JSON.stringify({ status: 'ok', server: 'Matriarch', version }),
  };
  const healthy = async () => {
    await demandHealth(db);
    return well;
  };
  const ready = async () => {
    await demandHealth(db);
    await demandReadiness(db);
    return well;
  };
  return new Map<string, Answering>([
    ['/health', healthy],
    ['/health/live', async () => well],
    ['/health/ready', ready],
    ['/metrics', ({ headers: { accept, authorization } }) => figures({ accept, authorization })],
  ]);
}

function send(response: ServerResponse, status: number, { type, text }: Answer): void {
  response.writeHead(status, {
    ...HEADERS,
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(status === 405 && { allow: 'GET, HEAD' }),
  });
  // Node leaves the body out where the request was HEAD.
  response.end(text);
}

function faultOf(error: unknown, log: Log): Fault {
  if (error instanceof Fault) return error;
  log.error({ event: 'health.failed', err: error });
  return new Fault('internal', 'This did not work because of a fault inside Matriarch; its log says more.');
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

const urlOf = ({ address, family, port }: AddressInfo) =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

/** Listens at `port`, or at any other where that cannot be had. */
export async function listenForHealth(options: HealthOptions): Promise<HealthListener> {
  const { log, host, port } = options;
  const known = answers(options);
  const handle = async (request: IncomingMessage): Promise<Answer> => {
    const answering = known.get(request.url?.split('?', 1)[0] ?? '');
    if (!answering)
      throw new Fault(
        'not_found',
        'This process has no role api: it answers /health, /health/live, /health/ready and /metrics.',
      );
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new Fault('method_not_allowed', 'This path answers only to GET, HEAD.');
    return answering(request);
  };
  const server = createServer(
    { requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS },
    (request, response) => {
      request.resume();
      handle(request)
        .then((answer) => send(response, 200, answer))
        .catch((error: unknown) => {
          const fault = faultOf(error, log);
          send(response, fault.status, {
            type: JSON_TYPE,
            text: inertJson(JSON.stringify({ error: fault.message })),
          });
        });
    },
  );
  await listen(server, host, port).catch(async (error: unknown) => {
    log.warn({ event: 'health.port_taken', host, port, err: error });
    await listen(server, host, 0);
  });
  const at = server.address();
  const url = typeof at === 'object' && at !== null ? urlOf(at) : '';
  log.info({ event: 'health.listening', url });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { name: 'health', url, stop };
}
