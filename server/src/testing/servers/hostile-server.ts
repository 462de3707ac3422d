// A server that speaks PostgreSQL's protocol well until it turns hostile in one chosen way. It counts what went out, so
// that tests can say what it cost, and answers our own statements about itself politely until then.
import net from 'node:net';
import { firstBefore } from '../../monitored/own-session.ts';
import { answer, BEFORE_ROWS, message, OIDS, signedIn } from './backend-messages.ts';

/** A connection that has turned hostile. */
export interface Wire {
  readonly socket: net.Socket;
  write(bytes: Buffer | string): void;
  /** The same bytes for as long as the other side takes them. */
  flood(bytes: Buffer): void;
  /** The same bytes again and again, with pauses. */
  drip(bytes: Buffer, everyMs: number): void;
  /** From now on every message of the client goes there, header included. */
  hear(take: (message: Buffer) => void): void;
}

export interface HostileMode {
  readonly name: string;
  /** When it begins: as soon as somebody connects, when TLS is asked for, in place of signing in, or of an answer. */
  readonly at: 'connect' | 'tls' | 'start' | 'answer';
  act(wire: Wire): void;
}

export interface HostileServer {
  readonly port: number;
  /** Connections that are open now. */
  readonly open: number;
  /** Bytes that left for the other side over all connections. */
  readonly sent: number;
  /** Connections there ever were. */
  readonly connections: number;
  stop(): Promise<void>;
}

const SSL_REQUEST = 80_877_103;

/** To a message of several statements, of which the last one answers. */
const SETTINGS = firstBefore({ version_num: 180004 }).map(() => message('C', 'SET\0'));
const answerToFirst: typeof answer = (fields, rows) =>
  Buffer.concat([...SETTINGS, answer(fields, rows).subarray(BEFORE_ROWS.length)]);

/** What is answered truthfully, by the name in the statement's comment. */
const POLITE: Record<string, Buffer> = {
  'target.session': answerToFirst(
    [
      { name: 'backend_pid', oid: OIDS.int4 },
      { name: 'server_version_num', oid: OIDS.int4 },
      { name: 'is_direct', oid: 16 },
    ],
    [['7', '180004', 't']],
  ),
  'collector.ping': answer(
    [{ name: 'is_in_recovery', oid: 16 }, { name: 'started_at' }],
    [['f', '2026-01-01 00:00:00+00']],
  ),
  'collector.capabilities': answer([{ name: 'columns', oid: OIDS.json }], [[null]]),
  'collector.timeout': answer([{ name: 'set_config' }], [['']]),
  'collector.role_hint': answer([{ name: 'signature' }], [['']]),
  'requirements.read': answer([{ name: 'nothing' }], []),
  'collector.databases': answer([{ name: 'datname' }], []),
};

/** The first message of a session has three statements, of which the last one answers. */
const nameOf = (statement: string) =>
  /\/\* (target\.session) \*\//.exec(statement)?.[1] ?? /\/\* ([\w.]+) \*\//.exec(statement)?.[1] ?? '';

class Conversation {
  readonly #socket: net.Socket;
  readonly #mode: HostileMode;
  readonly #identity: string;
  readonly #timers: NodeJS.Timeout[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #isUntyped = true;
  #statement = '';
  #hear: ((message: Buffer) => void) | undefined;

  constructor(socket: net.Socket, mode: HostileMode, identity: string) {
    this.#socket = socket;
    this.#mode = mode;
    this.#identity = identity;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('close', () => {
      for (const timer of this.#timers) clearInterval(timer);
    });
    if (mode.at === 'connect') this.#misbehave();
  }

  #misbehave(): void {
    const socket = this.#socket;
    const write = (bytes: Buffer | string) => {
      if (socket.writable) socket.write(bytes);
    };
    this.#hear ??= () => {};
    this.#mode.act({
      socket,
      write,
      flood: (bytes) => {
        const push = () => {
          while (socket.writable && socket.write(bytes));
        };
        socket.on('drain', push);
        push();
      },
      drip: (bytes, everyMs) => void this.#timers.push(setInterval(() => write(bytes), everyMs)),
      hear: (take) => {
        this.#hear = take;
      },
    });
  }

  #take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const head = this.#isUntyped ? 0 : 1;
      if (this.#rest.length < head + 4) return;
      const length = head + this.#rest.readInt32BE(head);
      if (this.#rest.length < length) return;
      const taken = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      if (this.#isUntyped) this.#begin(taken);
      else if (this.#hear) this.#hear(taken);
      else this.#converse(taken);
    }
  }

  #begin(bytes: Buffer): void {
    if (bytes.readInt32BE(4) === SSL_REQUEST) {
      if (this.#mode.at === 'tls') this.#misbehave();
      else this.#socket.write('N');
      return;
    }
    this.#isUntyped = false;
    if (this.#mode.at === 'start') this.#misbehave();
    else if (this.#mode.at === 'answer') this.#socket.write(signedIn());
  }

  #converse(bytes: Buffer): void {
    const kind = String.fromCharCode(bytes[0] ?? 0);
    if (kind === 'X') this.#socket.end();
    if (kind === 'P') this.#statement = bytes.toString('latin1', 5);
    if (kind === 'Q') this.#statement = bytes.toString('latin1', 5);
    if (kind !== 'S' && kind !== 'Q') return;
    const name = nameOf(this.#statement);
    const identity = answer([{ name: 'system_identifier' }], [[this.#identity]]);
    const polite = name === 'collector.identity' ? identity : POLITE[name];
    if (polite) this.#socket.write(polite);
    else this.#misbehave();
  }
}

let made = 0;

export async function startHostile(mode: HostileMode): Promise<HostileServer> {
  made += 1;
  const identity = String(7_100_000_000_000_000_000n + BigInt(made));
  const sockets = new Set<net.Socket>();
  const count = { sent: 0, connections: 0 };
  const sentOn = (socket: net.Socket) => socket.bytesWritten - socket.writableLength;
  const server = net.createServer((socket) => {
    sockets.add(socket);
    count.connections += 1;
    socket.on('close', () => {
      sockets.delete(socket);
      count.sent += sentOn(socket);
    });
    new Conversation(socket, mode, identity);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    port: address.port,
    get open() {
      return sockets.size;
    },
    get sent() {
      return [...sockets].reduce((sum, socket) => sum + sentOn(socket), count.sent);
    },
    get connections() {
      return count.connections;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
