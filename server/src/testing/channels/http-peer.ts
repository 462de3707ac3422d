// Somebody else's HTTP server for tests of channels: it notes what it is sent and answers as it is told, well or badly.
// It stands on the loopback and ends with its test.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemClock } from '../../kernel/clock.ts';
import type { TlsFiles } from '../servers/tls-files.ts';

export interface PeerRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** When it had arrived whole; milliseconds since the epoch. */
  at: number;
  answered: PeerAnswer;
  json(): unknown;
}

export type PeerAnswer =
  | { status: number; headers?: Record<string, string>; body?: string; after_ms?: number }
  /** Takes the request and says nothing. */
  | 'hang'
  /** One byte of the head now and then. */
  | 'drip'
  /** Cuts the connection. */
  | 'cut'
  /** A good status, and a body without end. */
  | 'endless';

export interface HttpPeer {
  url: string;
  requests: PeerRequest[];
  /** From now on. */
  answer: PeerAnswer;
  /** In place of that, by path; made anew for each request where it is a function. */
  answers: Map<string, PeerAnswer | (() => PeerAnswer)>;
  /** From the next connection on it shows this certificate. */
  show(tls: Pick<TlsFiles, 'cert' | 'key'>): void;
  stop(): Promise<void>;
}

function drip(response: http.ServerResponse): void {
  const { socket } = response;
  socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
  const timer = setInterval(() => socket?.write('x'), 50);
  socket?.once('close', () => clearInterval(timer));
}

function pour(response: http.ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
  response.once('close', () => clearInterval(timer));
}

const GIVE: Readonly<Record<string, (response: http.ServerResponse) => void>> = {
  hang: () => undefined,
  drip,
  endless: pour,
  cut: (response) => void response.socket?.destroy(),
};

function give(answer: PeerAnswer, response: http.ServerResponse): void {
  if (typeof answer === 'string') GIVE[answer]?.(response);
  else {
    const { status, headers, body = '', after_ms = 0 } = answer;
    setTimeout(() => response.writeHead(status, headers).end(body), after_ms);
  }
}

const filesOf = ({ cert, key }: Pick<TlsFiles, 'cert' | 'key'>) => ({
  cert: readFileSync(cert),
  key: readFileSync(key),
});

export async function startHttpPeer(tls?: TlsFiles): Promise<HttpPeer> {
  const requests: PeerRequest[] = [];
  const listener = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const body = await text(request);
    const set = peer.answers.get(request.url ?? '') ?? peer.answer;
    const answered = typeof set === 'function' ? set() : set;
    requests.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      body,
      at: systemClock.now(),
      answered,
      json: () => JSON.parse(body),
    });
    give(answered, response);
  };
  const handle: http.RequestListener = (request, response) => {
    listener(request, response).catch(() => response.destroy());
  };
  const secure = tls && https.createServer(filesOf(tls), handle);
  const server: Server & { closeAllConnections(): void } = secure ?? http.createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = addressOf(server);
  const peer: HttpPeer = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    answer: { status: 200 },
    answers: new Map(),
    show(other) {
      secure?.setSecureContext(filesOf(other));
      server.closeAllConnections();
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return peer;
}

function addressOf(server: Server): Pick<AddressInfo, 'port'> {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address : { port: 0 };
}
