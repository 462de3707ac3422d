// The sockets that syslog comes in by. Guards: only addresses of the settings are heard; a client that sends no syslog, or half a message and
// nothing more, is closed; the number of clients is bounded, each address has its share.
import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { UsageError } from '../../kernel/errors.ts';
import type { ListenAddress, SyslogSettings } from '../../kernel/syslog-settings.ts';
import { FrameReader } from './frames.ts';
import { plainAddress, type Senders, type SendersAt } from './senders.ts';
import { TlsFiles } from './tls-files.ts';

/** PostgreSQL and rsyslog send less than 10 kB. */
export const LONGEST_MESSAGE = 64 * 1024;
const MOST_CLIENTS = 1000;
const MOST_OF_AN_ADDRESS = 100;
/** So long a client may leave a message unfinished. */
const UNFINISHED_MS = 30_000;
const RECEIVE_BUFFER = 4 * 1024 * 1024;

export interface SocketEvents {
  readonly senders: Senders;
  message(bytes: Buffer, from: SendersAt): void;
  /** Bytes that are no part of a message that can be read. */
  lost(reason: 'line_too_long' | 'incomplete', bytes: number, from: SendersAt): void;
  refused(): void;
  broken(error: Error): void;
}

export interface Listening {
  readonly address: ListenAddress;
  close(): Promise<void>;
}

const cannotListen = (key: string, { host, port }: ListenAddress, cause: Error) =>
  new UsageError(`${key}: ${host}:${port} cannot be listened on: ${cause.message}.`);

export async function listenUdp({ host, port }: ListenAddress, heard: SocketEvents): Promise<Listening> {
  const type = host.includes(':') ? 'udp6' : 'udp4';
  const socket = createSocket({ type });
  const ready = Promise.withResolvers<void>();
  socket.once('error', ready.reject);
  socket.bind({ address: host, port }, () => ready.resolve());
  await ready.promise.catch((cause: Error) => {
    socket.close();
    throw cannotListen('syslog.udp', { host, port }, cause);
  });
  socket.on('error', (error) => heard.broken(error));
  try {
    socket.setRecvBufferSize(RECEIVE_BUFFER);
  } catch {
    // The system gives less.
  }
  socket.on('message', (bytes, { address }) => {
    const from = heard.senders.at(plainAddress(address));
    if (from.length === 0) heard.refused();
    else heard.message(bytes, from);
  });
  return {
    address: { host, port: socket.address().port },
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** Clients of TCP, by address. */
class Clients {
  readonly #heard: SocketEvents;
  readonly all = new Set<Socket>();
  readonly #counts = new Map<string, number>();

  constructor(heard: SocketEvents) {
    this.#heard = heard;
  }

  allowedAt({ remoteAddress = '' }: Socket): SendersAt {
    return remoteAddress === '' ? [] : this.#heard.senders.at(plainAddress(remoteAddress));
  }

  /** Answers who may send from there; undefined: it was refused, and counted. */
  admit(socket: Socket): SendersAt | undefined {
    const address = plainAddress(socket.remoteAddress ?? '');
    const from = this.allowedAt(socket);
    const count = this.#counts.get(address) ?? 0;
    if (from.length === 0 || count >= MOST_OF_AN_ADDRESS || this.all.size >= MOST_CLIENTS) {
      this.#heard.refused();
      socket.destroy();
      return undefined;
    }
    this.all.add(socket);
    this.#counts.set(address, count + 1);
    socket.once('close', () => {
      this.all.delete(socket);
      const left = (this.#counts.get(address) ?? 1) - 1;
      if (left === 0) this.#counts.delete(address);
      else this.#counts.set(address, left);
    });
    return from;
  }

  read(socket: Socket, from: SendersAt): void {
    const heard = this.#heard;
    const reader = new FrameReader(LONGEST_MESSAGE, {
      message: (bytes) => heard.message(bytes, from),
      tooLong: (bytes) => heard.lost('line_too_long', bytes, from),
    });
    let unfinished: NodeJS.Timeout | undefined;
    const giveUp = () => {
      heard.lost('incomplete', reader.waiting, from);
      socket.destroy();
    };
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch {
        heard.lost('incomplete', reader.waiting, from);
        socket.destroy();
      }
      clearTimeout(unfinished);
      unfinished = reader.waiting > 0 ? setTimeout(giveUp, UNFINISHED_MS).unref() : undefined;
    });
    socket.once('end', () => {
      const rest = reader.end();
      if (rest > 0) heard.lost('incomplete', rest, from);
    });
    socket.once('close', () => clearTimeout(unfinished));
  }
}

function serverOf({ tls }: SyslogSettings, clients: Clients, broken: SocketEvents['broken']): Server {
  const refuse = (socket: Socket) => socket.on('error', () => socket.destroy());
  if (!tls) {
    return createServer((socket) => {
      refuse(socket);
      const from = clients.admit(socket);
      if (from) clients.read(socket, from);
    });
  }
  const files = new TlsFiles(tls);
  const server = createTlsServer({
    ...files.read(),
    handshakeTimeout: UNFINISHED_MS,
    ...(tls.client_ca !== undefined && { requestCert: true, rejectUnauthorized: true }),
  });
  // Before the handshake, which costs more than to refuse.
  server.prependListener('connection', (socket: Socket) => {
    refuse(socket);
    if (clients.admit(socket) === undefined) return;
    try {
      if (files.haveChanged()) server.setSecureContext(files.read());
    } catch (error) {
      // Clients are served with what was read before.
      broken(error instanceof Error ? error : new Error(String(error)));
    }
  });
  server.on('secureConnection', (socket) => {
    refuse(socket);
    clients.read(socket, clients.allowedAt(socket));
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

export async function listenTcp(
  at: ListenAddress,
  settings: SyslogSettings,
  heard: SocketEvents,
): Promise<Listening> {
  const clients = new Clients(heard);
  const server = serverOf(settings, clients, (error) => heard.broken(error));
  const ready = Promise.withResolvers<void>();
  server.once('error', ready.reject);
  server.listen({ host: at.host, port: at.port }, () => ready.resolve());
  await ready.promise.catch((cause: Error) => {
    throw cannotListen('syslog.tcp', at, cause);
  });
  server.on('error', (error) => heard.broken(error));
  const own = server.address();
  return {
    address: { host: at.host, port: portOf(own) },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of clients.all) socket.destroy();
      await closed;
    },
  };
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;
