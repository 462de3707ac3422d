// Both ends of llm.bench.ts, in one process that is not ours: the provider, which streams as the name of the model says, and the
// clients. Guards: what they do is in no figure of our process; every time is of one clock. Speaks with the bench by messages.
import { once } from 'node:events';
import http from 'node:http';
import process from 'node:process';
import { setInterval as every } from 'node:timers/promises';
import { sleep } from '../kernel/clock.ts';
import { STREAMS as FORMATS } from '../testing/llm/llm-mock-streams.ts';

const LONG_PIECE = 'locks '.repeat(200);

/** What is asked of whom; one request of each in turn. */
export interface Target {
  url: string;
  authorizations: readonly string[];
  /** `quiet` says three pieces and waits, `flowing` says pieces until it is left, `long` as many as are taken. */
  model: 'quiet' | 'flowing' | 'long';
}

export type Job =
  | { do: 'provider'; between_pieces_ms: number }
  /** One after the other; each is left at its first piece. */
  | { do: 'alone'; target: Target; count: number }
  /** One begun every so often (0: all in the same instant), and kept. */
  | { do: 'open'; target: Target; count: number; every_ms: number; is_read: boolean }
  /** One begun every so often, however long those before take; each is left at its first piece. */
  | { do: 'arrive'; target: Target; count: number; every_ms: number }
  /** How many pieces the provider has sent so far to those who let them flow. */
  | { do: 'count' }
  /** Leaves all that are kept. */
  | { do: 'leave' };

export interface Done {
  /** The provider's address. */
  url?: string;
  pieces?: number;
  /** Until the first piece of each. */
  first_ms?: number[];
  /** Until the provider was left, of each. */
  left_ms?: number[];
}

const served = { left: [] as number[], between_pieces_ms: 0, pieces: 0 };
const kept: (() => void)[] = [];

function piecesOf(model: string): { first: string[]; more: string } {
  const text = model === 'long' ? LONG_PIECE : 'locks ';
  const [role = '', ...others] = FORMATS.compatible(model, { texts: ['It ', 'waits ', text] });
  return { first: [role, ...others.slice(0, 3)], more: others[2] ?? '' };
}

async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const model = /"model":"(\w+)"/.exec(text)?.[1] ?? '';
  const { first, more } = piecesOf(model);
  const left = new AbortController();
  response.once('close', () => {
    served.left.push(performance.now());
    left.abort();
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(first.join(''));
  const { signal } = left;
  if (model === 'flowing')
    for await (const _ of every(served.between_pieces_ms, undefined, { signal })) {
      response.write(more);
      served.pieces += 1;
    }
  while (model === 'long' && !signal.aborted)
    if (!response.write(more)) await once(response, 'drain', { signal });
}

/** A stream whose first piece is here. */
async function open({ url, authorizations, model }: Target, n: number, isRead = true) {
  const began = performance.now();
  const authorization = authorizations[n % authorizations.length];
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
  const request = http.request(url, { method: 'POST', agent: false, headers });
  request.on('error', () => undefined);
  request.end(
    JSON.stringify({ model, messages: [{ role: 'user', content: 'Why is orders slow?' }], stream: true }),
  );
  const [response]: http.IncomingMessage[] = await once(request, 'response');
  if (response?.statusCode !== 200) throw new Error(`answered ${response?.statusCode}`);
  response.on('error', () => undefined);
  await once(response, 'data');
  if (isRead) response.resume();
  else response.pause();
  return { first_ms: performance.now() - began, leave: () => void request.destroy() };
}

async function leaveAll(): Promise<Done> {
  const already = served.left.length;
  const at = performance.now();
  const wanted = kept.length;
  for (const leave of kept.splice(0)) leave();
  while (served.left.length < already + wanted) await sleep(5);
  return { left_ms: served.left.slice(already).map((time) => time - at) };
}

async function begin(
  { count, every_ms }: { count: number; every_ms: number },
  one: (n: number) => Promise<number>,
) {
  const times: Promise<number>[] = [];
  const began = performance.now();
  for (let n = 0; n < count; n += 1) {
    times.push(one(n));
    if (every_ms > 0) await sleep(Math.max(0, began + (n + 1) * every_ms - performance.now()));
  }
  return { first_ms: await Promise.all(times) };
}

async function work(job: Job): Promise<Done> {
  if (job.do === 'leave') return leaveAll();
  if (job.do === 'count') return { pieces: served.pieces };
  if (job.do === 'open')
    return begin(job, async (n) => {
      const { first_ms, leave } = await open(job.target, n, job.is_read);
      kept.push(leave);
      return first_ms;
    });
  if (job.do === 'arrive' || job.do === 'alone') {
    const one = async (n: number) => {
      const { first_ms, leave } = await open(job.target, n);
      leave();
      return first_ms;
    };
    if (job.do === 'arrive') return begin(job, one);
    const first_ms: number[] = [];
    for (let n = 0; n < job.count; n += 1) first_ms.push(await one(n));
    return { first_ms };
  }
  served.between_pieces_ms = job.between_pieces_ms;
  const server = http.createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1` };
}

process.on('message', (job: Job) => {
  void work(job).then((done) => process.send?.(done));
});
