// The socket as the driver sees it: already connected, and with every message checked. Guards: whatever a server
// sends, an exception of the parser ends this one connection and never the process.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WireGuard } from './wire-guard.ts';

export interface GuardedStream {
  /** Hand this to the driver as its stream. */
  readonly duplex: Duplex;
  /** A reply has ended: the next one may be as large again. */
  replyEnded(): void;
  /** What is written from now on goes out together when `release` is called. */
  hold(): void;
  release(): void;
  destroy(error?: Error): void;
}

/** The members of a socket that the driver uses; it is handed this in place of one. */
class DriverStream extends EventEmitter {
  readonly #socket: Socket;
  /** What is held back, to go out in one piece. */
  #held: Buffer[] | undefined;

  constructor(socket: Socket, guard: WireGuard) {
    super();
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      try {
        const messages = guard.push(chunk);
        if (messages) this.emit('data', messages);
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error('parser failed'));
      }
    });
    socket.on('error', (error) => this.emit('error', error));
    socket.on('end', () => this.emit('end'));
    socket.on('close', () => this.emit('close'));
    // It was paused when the answer about TLS had been read.
    socket.resume();
  }

  get writable(): boolean {
    return this.#socket.writable;
  }
  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }
  write(data: Buffer, done?: (error?: Error | null) => void): boolean {
    if (this.#held && !done) {
      this.#held.push(data);
      return true;
    }
    this.#flush();
    return this.#socket.write(data, done);
  }
  hold(): void {
    this.#held ??= [];
  }
  release(): void {
    this.#flush();
    this.#held = undefined;
  }
  #flush(): void {
    const held = this.#held?.splice(0) ?? [];
    if (held.length > 0) this.#socket.write(held.length === 1 ? (held[0] ?? '') : Buffer.concat(held));
  }
  end(): void {
    this.#flush();
    this.#socket.end();
  }
  destroy(error?: Error): void {
    this.#socket.destroy(error);
  }
  cork(): void {
    this.#socket.cork();
  }
  uncork(): void {
    this.#socket.uncork();
  }
  ref(): void {
    this.#socket.ref();
  }
  unref(): void {
    this.#socket.unref();
  }
  setNoDelay(): void {
    this.#socket.setNoDelay(true);
  }
  setKeepAlive(): void {}
}

export function guardStream(socket: Socket, maxReplyBytes: number): GuardedStream {
  const guard = new WireGuard(maxReplyBytes);
  const stream = new DriverStream(socket, guard);
  return {
    duplex: stream as unknown as Duplex,
    replyEnded: () => guard.reset(),
    hold: () => stream.hold(),
    release: () => stream.release(),
    destroy: (error) => void socket.destroy(error),
  };
}
