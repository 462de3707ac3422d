// The socket as the driver sees it: already connected, and with every message checked. Guards: whatever a server
// sends, an exception of the parser ends this one connection and never the process; large answers are read in turns
// with all other work, and no faster than there is room for the answers of all servers.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { nextTurn } from '../kernel/scheduler.ts';
import { type Hold, type ReplyBudget, replyBudget } from './reply-budget.ts';
import { type Expected, WireGuard } from './wire-guard.ts';
import { WireError } from './wire-messages.ts';
import { type WireFields, WireRow } from './wire-rows.ts';

/** Less than this is read at once. */
const SMALL_CHUNK = 4096;

export interface ExpectedReply {
  /** Frees the memory that it is counted for. */
  free(): void;
  /** The rows that did not go to the driver, and are of these columns. */
  rawRows(fields: WireFields): WireRow[];
}

export interface GuardedStream {
  /** Hand this to the driver as its stream. */
  readonly duplex: Duplex;
  /** A statement is about to be written, and these messages before it. */
  expect(limits: Expected | undefined, before?: Buffer): ExpectedReply;
  /** The server waits for us, and not we for it. */
  readonly isHeldUp: boolean;
  /** What is written from now on goes out together when `release` is called. */
  hold(): void;
  release(): void;
  destroy(error?: Error): void;
}

/** Reads a socket through a guard, and stops reading while others have their turn or there is no room. */
class Intake {
  readonly #socket: Socket;
  readonly #guard: WireGuard;
  readonly #hold: Hold;
  readonly #onMessages: (messages: Buffer) => void;
  readonly #waiting: Buffer[] = [];
  #hasNoTurn = false;
  #hasNoRoom = false;
  #isBroken = false;

  constructor(
    socket: Socket,
    options: { guard: WireGuard; budget: ReplyBudget; onMessages: (messages: Buffer) => void },
  ) {
    const { guard, budget, onMessages } = options;
    this.#socket = socket;
    this.#guard = guard;
    this.#onMessages = onMessages;
    this.#hold = budget.open({
      pause: () => this.#pause({ noRoom: true }),
      resume: () => this.#pause({ noRoom: false }),
      isReceiving: () => guard.isReceiving,
      giveUp: () => socket.destroy(new WireError('too_large', 'and too slowly while others waited')),
    });
    socket.on('data', (chunk: Buffer) => this.#arrived(chunk));
    socket.on('close', () => {
      this.#waiting.length = 0;
      this.#hold.close();
    });
  }

  get isHeldUp(): boolean {
    return this.#hasNoTurn || this.#hasNoRoom;
  }

  /** Something was freed. */
  settle(): void {
    this.#hold.set(this.#guard.held);
  }

  #pause({ noTurn = this.#hasNoTurn, noRoom = this.#hasNoRoom }): void {
    this.#hasNoTurn = noTurn;
    this.#hasNoRoom = noRoom;
    if (this.isHeldUp) this.#socket.pause();
    else this.#socket.resume();
  }

  #arrived(chunk: Buffer): void {
    if (this.#waiting.length > 0) {
      this.#waiting.push(chunk);
      return;
    }
    const turn = chunk.length < SMALL_CHUNK ? undefined : nextTurn();
    if (!turn) {
      this.#read(chunk);
      return;
    }
    this.#waiting.push(chunk);
    this.#pause({ noTurn: true });
    void turn.then(() => this.#readWaiting());
  }

  #readWaiting(): void {
    for (const chunk of this.#waiting.splice(0)) if (!this.#socket.destroyed) this.#read(chunk);
    if (!this.#socket.destroyed) this.#pause({ noTurn: false });
  }

  #read(chunk: Buffer): void {
    if (this.#isBroken) return;
    try {
      const messages = this.#guard.push(chunk);
      this.settle();
      if (messages) this.#onMessages(messages);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error('parser failed'));
    }
  }

  /** Statements that were answered before the server went wrong keep their answers. */
  #fail(error: Error): void {
    const before = error instanceof WireError ? error.before : undefined;
    if (!before) {
      this.#socket.destroy(error);
      return;
    }
    this.#isBroken = true;
    this.#pause({ noTurn: true });
    setImmediate(() => this.#socket.destroy(error));
    try {
      this.#onMessages(before);
    } catch {
      // It is being destroyed already, for the better reason.
    }
  }
}

/** The members of a socket that the driver uses; it is handed this in place of one. */
class DriverStream extends EventEmitter {
  readonly #socket: Socket;
  /** What is held back, to go out in one piece. */
  #held: Buffer[] | undefined;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on('error', (error) => this.emit('error', error));
    socket.on('end', () => this.emit('end'));
    socket.on('close', () => this.emit('close'));
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

export function guardStream(
  socket: Socket,
  maxReplyBytes: number,
  budget: ReplyBudget = replyBudget,
): GuardedStream {
  const guard = new WireGuard(maxReplyBytes);
  const stream = new DriverStream(socket);
  const onMessages = (messages: Buffer) => void stream.emit('data', messages);
  const intake = new Intake(socket, { guard, budget, onMessages });
  // It was paused when the answer about TLS had been read.
  socket.resume();
  return {
    duplex: stream as unknown as Duplex,
    expect: (limits, before) => {
      const reply = guard.expect(limits);
      if (before) stream.write(before);
      return {
        free: () => {
          reply.free();
          intake.settle();
        },
        rawRows: (fields) => reply.raw?.map((span) => new WireRow(fields, span)) ?? [],
      };
    },
    get isHeldUp() {
      return intake.isHeldUp;
    },
    hold: () => stream.hold(),
    release: () => stream.release(),
    destroy: (error) => void socket.destroy(error),
  };
}
