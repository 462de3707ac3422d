// A TCP proxy that breaks things on purpose: it stands between us and a server on this machine, and does to the bytes
// what a bad network does. Guards: it listens on loopback and leads to loopback only, and ends with its test or its
// process, leaving no socket.
import { once } from 'node:events';
import net from 'node:net';
import { sleep } from '../../kernel/clock.ts';

/** Which way: `up` goes to the server, `down` comes from it. */
export type Way = 'up' | 'down' | 'both';

export type Fault =
  | { kind: 'pass' }
  /** Every piece arrives so much later; nothing is lost, the order stays. */
  | { kind: 'delay'; ms: number; way?: Way }
  /** So many bytes a second for each connection and way. */
  | { kind: 'throttle'; bytesPerSecond: number; way?: Way }
  /** A black hole: connections are accepted and stay open, and nothing arrives. */
  | { kind: 'drop'; way?: Way }
  /** Passes so many bytes of each connection, counted from now, then is a black hole to it. */
  | { kind: 'half-open'; afterBytes: number; way?: Way }
  /** RST to both sides, now or once so many bytes of a connection have passed. */
  | { kind: 'reset'; afterBytes?: number; way?: Way }
  /** Flips the bits of one byte of each connection: the one after so many, counted from now. */
  | { kind: 'corrupt'; afterBytes: number; way?: Way }
  /** Nobody listens; those that are connected are cut off. */
  | { kind: 'refuse' };

export interface FaultProxy extends AsyncDisposable {
  readonly host: '127.0.0.1';
  readonly port: number;
  /** Takes effect at once, also on connections that are open. What a black hole swallowed is gone. */
  set(fault: Fault): Promise<void>;
  /** Connections open now, and bytes that arrived from both sides so far. */
  readonly stats: { connections: number; accepted: number; bytes: number };
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
/** Pieces of a throttled stream, a second. */
const SLICES = 20;

const concerns = (fault: Fault, way: 'up' | 'down') =>
  !('way' in fault) || fault.way === undefined || fault.way === 'both' || fault.way === way;

/** One way through one connection. */
class Lane {
  readonly #way: 'up' | 'down';
  readonly #into: net.Socket;
  readonly #reset: () => void;
  readonly #closing: AbortSignal;
  #fault: Fault = { kind: 'pass' };
  /** Bytes that passed since the fault was set. */
  #passed = 0;
  #before: Promise<unknown> = Promise.resolve();

  constructor(options: { way: 'up' | 'down'; into: net.Socket; reset: () => void; closing: AbortSignal }) {
    this.#way = options.way;
    this.#into = options.into;
    this.#reset = options.reset;
    this.#closing = options.closing;
  }

  set(fault: Fault): void {
    this.#fault = concerns(fault, this.#way) ? fault : { kind: 'pass' };
    this.#passed = 0;
  }

  /** Hands pieces on in their order; resolves when this one has left. */
  hand(piece: Buffer): Promise<unknown> {
    const fault = this.#fault;
    const due = fault.kind === 'delay' ? sleep(fault.ms, this.#closing) : undefined;
    this.#before = this.#before.then(async () => {
      await due;
      if (!this.#closing.aborted) await this.#pass(piece);
    });
    return this.#before;
  }

  async #pass(piece: Buffer): Promise<void> {
    const fault = this.#fault;
    const start = this.#passed;
    this.#passed += piece.length;
    if (fault.kind === 'drop') return;
    if (fault.kind === 'throttle') return this.#slowly(piece, fault.bytesPerSecond);
    if (fault.kind === 'half-open')
      return this.#write(piece.subarray(0, Math.max(0, fault.afterBytes - start)));
    if (fault.kind === 'reset' && this.#passed > (fault.afterBytes ?? 0)) return this.#reset();
    const at = fault.kind === 'corrupt' ? fault.afterBytes - start : -1;
    const victim = piece[at];
    if (victim !== undefined) piece[at] = victim ^ 0xff;
    return this.#write(piece);
  }

  async #slowly(piece: Buffer, bytesPerSecond: number): Promise<void> {
    const slice = Math.max(1, Math.floor(bytesPerSecond / SLICES));
    for (let at = 0; at < piece.length; at += slice) {
      if (this.#closing.aborted) return;
      const fault = this.#fault;
      if (fault.kind === 'drop') return;
      if (fault.kind !== 'throttle') return this.#write(piece.subarray(at));
      await this.#write(piece.subarray(at, at + slice));
      await sleep((1000 * slice) / bytesPerSecond, this.#closing);
    }
  }

  async #write(piece: Buffer): Promise<void> {
    if (piece.length === 0 || this.#into.destroyed) return;
    if (!this.#into.write(piece))
      await once(this.#into, 'drain', { signal: this.#closing }).catch(() => undefined);
  }

  /** The sender is done; what is under way arrives first. A black hole tells nobody. */
  async end(): Promise<void> {
    await this.#before;
    if (this.#fault.kind !== 'drop' && this.#fault.kind !== 'half-open') this.#into.end();
  }
}

/** A connection through the proxy. */
class Pair {
  readonly #sockets: readonly net.Socket[];
  readonly #lanes: readonly Lane[];
  readonly #closing = new AbortController();

  constructor(client: net.Socket, server: net.Socket, onBytes: (count: number) => void) {
    this.#sockets = [client, server];
    const lane = (way: 'up' | 'down', into: net.Socket) =>
      new Lane({ way, into, reset: () => this.reset(), closing: this.#closing.signal });
    const [up, down] = [lane('up', server), lane('down', client)];
    this.#lanes = [up, down];
    for (const [from, through] of [
      [client, up],
      [server, down],
    ] as const) {
      from.on('data', (piece: Buffer) => {
        onBytes(piece.length);
        from.pause();
        void through.hand(piece).then(() => from.resume());
      });
      from.on('end', () => void through.end());
      from.on('error', () => this.reset());
    }
  }

  set(fault: Fault): void {
    for (const lane of this.#lanes) lane.set(fault);
  }

  reset(): void {
    this.#closing.abort();
    for (const socket of this.#sockets) {
      if (socket.readyState === 'open') socket.resetAndDestroy();
      else socket.destroy();
    }
  }

  get isOpen(): boolean {
    return this.#sockets.some((socket) => !socket.destroyed);
  }
}

class LoopbackProxy implements FaultProxy {
  readonly host = LOOPBACK;
  readonly port: number;
  readonly #server: net.Server;
  readonly #to: number;
  readonly #pairs = new Set<Pair>();
  #fault: Fault = { kind: 'pass' };
  #accepted = 0;
  #bytes = 0;

  constructor(server: net.Server, ports: { own: number; to: number }) {
    this.#server = server;
    this.port = ports.own;
    this.#to = ports.to;
    server.on('connection', (socket: net.Socket) => this.#accept(socket));
  }

  get stats() {
    this.#tidy();
    return { connections: this.#pairs.size, accepted: this.#accepted, bytes: this.#bytes };
  }

  #tidy(): void {
    for (const pair of this.#pairs) if (!pair.isOpen) this.#pairs.delete(pair);
  }

  #accept(client: net.Socket): void {
    const server = net.connect({ host: LOOPBACK, port: this.#to, allowHalfOpen: true, noDelay: true });
    client.setNoDelay(true);
    const pair = new Pair(client, server, (count) => {
      this.#bytes += count;
    });
    this.#accepted += 1;
    this.#tidy();
    this.#pairs.add(pair);
    this.#apply(pair, this.#fault);
  }

  #apply(pair: Pair, fault: Fault): void {
    const isAtOnce = fault.kind === 'refuse' || (fault.kind === 'reset' && fault.afterBytes === undefined);
    if (isAtOnce) pair.reset();
    else pair.set(fault);
  }

  async set(fault: Fault): Promise<void> {
    this.#fault = fault;
    for (const pair of this.#pairs) this.#apply(pair, fault);
    if (fault.kind === 'refuse') await this.#close();
    else if (!this.#server.listening) await listen(this.#server, this.port);
  }

  async #close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const pair of this.#pairs) pair.reset();
    await closed;
  }

  async stop(): Promise<void> {
    await this.#close();
    for (const pair of this.#pairs) pair.reset();
    this.#pairs.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

async function listen(server: net.Server, port: number): Promise<number> {
  server.listen(port, LOOPBACK).unref();
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Starts a proxy to a port of this machine; it passes everything until told otherwise.
 * @example
 * await using proxy = await startFaultProxy(server.port);
 * await proxy.set({ kind: 'throttle', bytesPerSecond: 1 });
 */
export async function startFaultProxy(to: number): Promise<FaultProxy> {
  const server = net.createServer({ allowHalfOpen: true });
  const own = await listen(server, 0);
  return new LoopbackProxy(server, { own, to });
}
