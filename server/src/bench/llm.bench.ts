// What the proxy adds to a model (P11): time to the first piece through us against the provider asked directly, one after the
// other and with many streams open at once; how soon the provider is left when the clients leave; and memory. The provider is a
// mock in the same process, so its work and the client's are in every figure of both ways. Prints figures, judges nothing.
// Run: npm run bench -- llm
import { once } from 'node:events';
import http from 'node:http';
import process from 'node:process';
import { createApi } from '../api/server.ts';
import { createAiParts } from '../areas/ai-parts.ts';
import { llmRoutes } from '../areas/llm/llm.routes.ts';
import { migrate } from '../datastore/migrate.ts';
import { sleep, systemClock } from '../kernel/clock.ts';
import { Database } from '../kernel/db.ts';
import { createLog, silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { makeUser } from '../testing/access/actors.ts';
import { startLlmMock } from '../testing/llm/llm-mock.ts';
import { startIn } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';

const ALONE = 300;
const STREAMS = 200;
const USERS = 20;
const CONFIG = {
  host: '127.0.0.1',
  port: 0,
  trustedProxies: [],
  allowedOrigins: [],
  webRoot: undefined,
  logRequests: true,
  requestTimeoutMs: 60_000,
  bodyLimitBytes: 1_048_576,
  sharedAccess: 'read_write' as const,
};
const MESSAGES = [{ role: 'user', content: 'Why is orders slow?' }];

const print = (line: string) => process.stdout.write(`${line}\n`);
/** Logs as in production, to nowhere. */
const log = createLog({ level: 'info', destination: { write: () => undefined } });

interface Asked {
  url: string;
  headers: Record<string, string>;
  body: object;
}

/** An open stream whose first piece is here. */
async function open({ url, headers, body }: Asked) {
  const began = performance.now();
  const request = http.request(url, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', ...headers },
  });
  request.on('error', () => undefined);
  request.end(JSON.stringify(body));
  const [response]: http.IncomingMessage[] = await once(request, 'response');
  if (response?.statusCode !== 200) throw new Error(`answered ${response?.statusCode}`);
  response.on('error', () => undefined);
  await once(response, 'data');
  response.resume();
  return { first_ms: performance.now() - began, leave: () => request.destroy() };
}

function percentiles(all: readonly number[]): string {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1);
  return `p50 ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)} ms`;
}

const megabytes = () => Math.round(process.memoryUsage().rss / 1_048_576);

async function alone(name: string, asked: (n: number) => Asked): Promise<void> {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let n = 0; n < ALONE; n += 1) {
    const stream = await open(asked(n));
    times.push(stream.first_ms);
    stream.leave();
  }
  const { user, system } = process.cpuUsage(before);
  print(`first piece, one after the other, ${name}: ${percentiles(times.slice(ALONE / 10))}`);
  print(`  CPU of all sides: ${((user + system) / 1000 / ALONE).toFixed(1)} ms a stream`);
}

async function together(name: string, asked: (n: number) => Asked, left: readonly number[]): Promise<void> {
  const before = megabytes();
  const already = left.length;
  const streams = await Promise.all(Array.from({ length: STREAMS }, (_, n) => open(asked(n))));
  print(`first piece, ${STREAMS} at once, ${name}: ${percentiles(streams.map(({ first_ms }) => first_ms))}`);
  print(`  memory with them open: ${before} -> ${megabytes()} MiB`);
  const at = performance.now();
  for (const stream of streams) stream.leave();
  while (left.length < already + STREAMS) await sleep(5);
  print(`  the provider was left after: ${percentiles(left.slice(already).map((time) => time - at))}`);
}

async function measure(url: Secret): Promise<void> {
  await migrate(url, silentLog);
  const db = new Database({ url, log, applicationName: 'bench' });
  const users = await Promise.all(Array.from({ length: USERS }, () => makeUser(db)));
  const mock = await startLlmMock();
  const base_url = mock.baseUrl('compatible');
  const config = { providers: { openai: { base_url, model: 'bench' } }, calls_per_minute: 100_000 };
  const ai = createAiParts({ config, db, clock: systemClock, log });
  const routes = llmRoutes(ai.services.llm, ai.services.proxy, ai.calls);
  const api = await createApi({ db, routes, constraints: {}, log, clock: systemClock, config: CONFIG });
  const { url: origin } = await api.listen();
  mock.say({ texts: ['It ', 'waits ', 'for ', 'locks.'] });
  // Three pieces, and then nothing until somebody leaves.
  mock.failAlways('generate', { kind: 'streamed', pieces: 4, ends: 'stall' });
  const direct = () => ({
    url: `${base_url}/chat/completions`,
    headers: {},
    body: { model: 'bench', messages: MESSAGES, stream: true },
  });
  const ours = (n: number) => ({
    url: `${origin}/api/v1/llm/chat/stream`,
    headers: { authorization: `Bearer ${users[n % USERS]?.session}` },
    body: { messages: MESSAGES },
  });
  for (const round of [1, 2]) {
    print(`round ${round}`);
    await alone('direct', direct);
    await alone('through us', ours);
    await together('direct', direct, mock.left);
    await together('through us', ours, mock.left);
  }
  await api.stop();
  for (const part of ai.parts.toReversed()) await part.stop();
  await mock.stop();
  await db.stop();
}

const runDirectory = makeRunDirectory();
try {
  const cluster = await startIn(runDirectory, { major: 18 });
  await measure(new Secret(cluster.url));
  await cluster.stop();
} finally {
  removeRunDirectory(runDirectory);
}
