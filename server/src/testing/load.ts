// A client in a thread of its own: asks an address again and again over kept connections, and answers how long each
// request took. Started as a worker, so that it does not share an event loop with the server it measures.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
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

/** Asks once, and answers with the bytes of the body, which are counted and not kept: a client's garbage would count as time. */
function ask(
  pool: Pool,
  { path, headers }: { path: string; headers: Record<string, string> },
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let bytes = 0;
  pool.dispatch(
    { path, method: 'GET', headers },
    {
      onRequestStart: () => undefined,
      onResponseStart(_controller, status) {
        if (status !== 200) reject(new Error(`${path} answered ${status}`));
      },
      onResponseData(_controller, chunk) {
        bytes += chunk.length;
      },
      onResponseEnd: () => resolve(bytes),
      onResponseError: (_controller, error) => reject(error),
    },
  );
  return promise;
}

async function drive({
  origin,
  paths,
  headers,
  requests,
  connections,
  seconds,
}: LoadOptions): Promise<LoadResult> {
  const pool = new Pool(origin, { connections });
  const times: number[] = [];
  let next = 0;
  let bytes = 0;
  const limit = systemClock.monotonic() + (seconds ?? Number.POSITIVE_INFINITY) * 1000;
  const client = async () => {
    while (next < requests && systemClock.monotonic() < limit) {
      const path = paths[next % paths.length] ?? '/';
      next += 1;
      const began = systemClock.monotonic();
      bytes = await ask(pool, { path, headers });
      times.push(systemClock.monotonic() - began);
    }
  };
  const began = systemClock.monotonic();
  await Promise.all(Array.from({ length: connections }, client));
  const took = (systemClock.monotonic() - began) / 1000;
  await pool.close();
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
