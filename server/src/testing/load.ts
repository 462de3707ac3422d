// A client in a thread of its own: asks an address again and again over kept connections, and answers how long each
// request took. Started as a worker, so that it does not share an event loop with the server it measures. It reads into one
// buffer and keeps nothing: with half a megabyte a reply, an ordinary client collects garbage so often that its own pauses
// are the slowest hundredth of all requests.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { systemClock } from '../kernel/clock.ts';

export interface LoadOptions {
  origin: string;
  /** Asked in turn. */
  paths: readonly string[];
  headers: Record<string, string>;
  requests: number;
  connections: number;
  /** Ends after this time, with however many requests were answered. */
  seconds?: number;
}

export interface LoadResult {
  p50_ms: number;
  p99_ms: number;
  per_second: number;
  bytes: number;
}

const HEAD_END = '\r\n\r\n';
const BUFFER_BYTES = 256 * 1024;
const MOST_HEAD_BYTES = 16 * 1024;

/** One kept connection, with one request at a time. Replies have to say how long they are. */
class Line {
  readonly #socket: Socket;
  readonly #host: string;
  #reply = Promise.withResolvers<number>();
  #head = '';
  /** Of the body; undefined until its length is known. */
  #missing: number | undefined;
  #bytes = 0;

  constructor(origin: string) {
    const { hostname, port, host } = new URL(origin);
    this.#host = host;
    const onread = {
      buffer: Buffer.alloc(BUFFER_BYTES),
      callback: (count: number, buffer: Uint8Array) => {
        this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, count));
        return true;
      },
    };
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
    this.#socket.on('error', (error) => this.#reply.reject(error));
    this.#socket.on('close', () => this.#reply.reject(new Error(`${origin} closed the connection`)));
  }

  /** Answers how many bytes the body had. */
  ask(path: string, headers: Record<string, string>): Promise<number> {
    const lines = Object.entries({ host: this.#host, ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    this.#reply = Promise.withResolvers<number>();
    this.#socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    return this.#reply.promise;
  }

  close(): void {
    // Nobody waits any more.
    this.#reply.promise.catch(() => undefined);
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#missing === undefined) {
      const known = this.#head.length;
      this.#head += chunk.toString('latin1', 0, MOST_HEAD_BYTES);
      const end = this.#head.indexOf(HEAD_END);
      if (end < 0) return;
      const head = this.#head.slice(0, end);
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
      if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) {
        this.#reply.reject(new Error(`not a reply of known length: ${head}`));
        return;
      }
      this.#bytes = Number(length);
      this.#missing = this.#bytes - (known + chunk.length - end - HEAD_END.length);
      this.#head = '';
    } else this.#missing -= chunk.length;
    if (this.#missing > 0) return;
    this.#missing = undefined;
    this.#reply.resolve(this.#bytes);
  }
}

async function drive({
  origin,
  paths,
  headers,
  requests,
  connections,
  seconds,
}: LoadOptions): Promise<LoadResult> {
  const lines = Array.from({ length: connections }, () => new Line(origin));
  const times: number[] = [];
  let next = 0;
  let bytes = 0;
  const limit = systemClock.monotonic() + (seconds ?? Number.POSITIVE_INFINITY) * 1000;
  const client = async (line: Line) => {
    while (next < requests && systemClock.monotonic() < limit) {
      const path = paths[next % paths.length] ?? '/';
      next += 1;
      const began = systemClock.monotonic();
      bytes = await line.ask(path, headers);
      times.push(systemClock.monotonic() - began);
    }
  };
  const began = systemClock.monotonic();
  await Promise.all(lines.map(client));
  const took = (systemClock.monotonic() - began) / 1000;
  for (const line of lines) line.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
  return { p50_ms: at(0.5), p99_ms: at(0.99), per_second: times.length / took, bytes };
}

/** Runs the client and waits for its figures. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { load: options } });
  const [result] = await once(worker, 'message');
  return result;
}

// Tests run in threads too.
if (!isMainThread && parentPort && workerData?.load) parentPort.postMessage(await drive(workerData.load));
