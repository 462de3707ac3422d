// What the proxy adds to a model (P11): time to the first piece through us against the provider asked directly: one after the other,
// all in the same instant, and one every so often while many streams are open and pieces flow; how soon the provider is left when
// the clients leave; memory, also with clients that do not read. Provider and clients are a process of their own, so that
// processor time and memory are of our process alone. Prints figures, judges nothing.
// Run: npm run bench -- llm [alone] [together] [flowing] [unread]
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createApi } from '../api/server.ts';
import { createAiParts } from '../assistant/ai-parts.ts';
import { llmRoutes } from '../assistant/llm/llm.routes.ts';
import { migrate } from '../datastore/migrate.ts';
import { sleep, systemClock } from '../kernel/clock.ts';
import { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { makeUser } from '../testing/access/actors.ts';
import { startIn } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { type CountedDb, countedDb } from '../testing/store/counted-db.ts';
import { CONFIG, log } from './bench-api.ts';
import type { Done, Job, Target } from './llm-outside.ts';
import { print } from './print.ts';

const ALONE = 300;
const STREAMS = 200;
const ARRIVALS = 300;
const EVERY_MS = 25;
/** Of each stream whose pieces flow. */
const BETWEEN_PIECES_MS = 50;
const UNREAD_MS = 10_000;
const USERS = 20;

function percentiles(all: readonly number[] = []): string {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1);
  return `p50 ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)} ms`;
}

const MIB = 1_048_576;
const megabytes = () => Math.round(process.memoryUsage().rss / MIB);

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** What is reachable, apart from what was only not collected yet: what ends with something else goes at the second time. */
async function live(): Promise<string> {
  for (let times = 0; times < 3; times += 1) {
    if (typeof collect === 'function') collect();
    await sleep(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return `${Math.round(heapUsed / MIB)} + ${Math.round(external / MIB)} MiB live (heap + buffers)`;
}

/** Others on the machine are in every figure; of the last minute. */
const load = () => `load average ${(loadavg()[0] ?? Number.NaN).toFixed(1)}`;

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function tell(outside: ChildProcess, job: Job): Promise<Done> {
  outside.send(job);
  const [done]: Done[] = await once(outside, 'message');
  return done ?? {};
}

interface Way {
  outside: ChildProcess;
  db: CountedDb;
  name: string;
  target(model: Target['model']): Target;
}

async function alone({ outside, db, name, target }: Way): Promise<void> {
  await tell(outside, { do: 'alone', target: target('quiet'), count: ALONE / 10 });
  const before = process.cpuUsage();
  db.reset();
  const { first_ms } = await tell(outside, { do: 'alone', target: target('quiet'), count: ALONE });
  print(`first piece, one after the other, ${name}: ${percentiles(first_ms)}`);
  await sleep(500);
  const names = Map.groupBy(
    db.sent,
    (text) => /\/\* ([\w.]+) \*\//.exec(text)?.[1] ?? text.trim().slice(0, 60),
  );
  const told = [...names]
    .map(([statement, all]) => `${statement} ${(all.length / ALONE).toFixed(2)}`)
    .join(', ');
  print(
    `  our processor ${(cpuSince(before) / ALONE).toFixed(2)} ms a stream, statements of each: ${told || 'none'}`,
  );
}

async function together({ outside, name, target }: Way): Promise<void> {
  const before = megabytes();
  const open = { do: 'open', target: target('quiet'), count: STREAMS, every_ms: 0, is_read: true } as const;
  const { first_ms } = await tell(outside, open);
  print(`first piece, ${STREAMS} in the same instant, ${name}: ${percentiles(first_ms)}`);
  print(`  our memory with them open: ${before} -> ${megabytes()} MiB, ${await live()}`);
  const { left_ms } = await tell(outside, { do: 'leave' });
  print(`  the provider was left after: ${percentiles(left_ms)}`);
}

async function flowing({ outside, name, target }: Way): Promise<void> {
  const before = megabytes();
  await tell(outside, {
    do: 'open',
    target: target('flowing'),
    count: STREAMS,
    every_ms: EVERY_MS,
    is_read: true,
  });
  const began = performance.now();
  const [{ pieces: sent = 0 }, cpu] = [await tell(outside, { do: 'count' }), process.cpuUsage()];
  await sleep(5000);
  const [taken, { pieces: all = 0 }] = [cpuSince(cpu), await tell(outside, { do: 'count' })];
  const flow = taken / (performance.now() - began);
  const arrive = { do: 'arrive', target: target('flowing'), count: ARRIVALS, every_ms: EVERY_MS } as const;
  const { first_ms } = await tell(outside, arrive);
  print(
    `first piece, one begun every ${EVERY_MS} ms while ${STREAMS} are open with a piece every ${BETWEEN_PIECES_MS} ms, ` +
      `${name}: ${percentiles(first_ms)}`,
  );
  // A machine that is busy sends fewer than it should.
  const each = (1000 * taken) / Math.max(1, all - sent);
  print(
    `  our processor by the pieces alone ${(flow * 100).toFixed(0)} % of a core, ${each.toFixed(0)} us a piece (${all - sent} pieces)`,
  );
  print(`  our memory with them open: ${before} -> ${megabytes()} MiB, ${await live()}`);
  await sleep(1000);
  const { left_ms } = await tell(outside, { do: 'leave' });
  print(`  the provider was left after: ${percentiles(left_ms)}`);
}

async function unread({ outside, target }: Way): Promise<void> {
  const before = `${megabytes()} MiB, ${await live()}`;
  const open = {
    do: 'open',
    target: target('long'),
    count: STREAMS,
    every_ms: EVERY_MS,
    is_read: false,
  } as const;
  await tell(outside, open);
  let most = 0;
  for (let waited = 0; waited < UNREAD_MS; waited += 500) {
    await sleep(500);
    most = Math.max(most, megabytes());
  }
  const full = await live();
  // The collection above took the processor away; the leaving is measured without it.
  await sleep(1000);
  const { left_ms } = await tell(outside, { do: 'leave' });
  await sleep(5000);
  print(
    `memory, ${STREAMS} long answers that nobody reads: ${before} -> most ${most} MiB, ${full} -> ` +
      `${megabytes()} MiB, ${await live()} after them`,
  );
  print(`  the provider was left after: ${percentiles(left_ms)}`);
}

async function measure(url: Secret, outside: ChildProcess): Promise<void> {
  await migrate(url, silentLog);
  const whole = new Database({ url, log, applicationName: 'bench' });
  const users = await Promise.all(Array.from({ length: USERS }, () => makeUser(whole)));
  const db = countedDb(whole);
  const { url: base_url = '' } = await tell(outside, {
    do: 'provider',
    between_pieces_ms: BETWEEN_PIECES_MS,
  });
  const config = {
    providers: { openai: { base_url, model: 'quiet' } },
    ...{ calls_per_minute: 100_000, tokens_per_day: 1e12, own_tokens_per_day: 1e12 },
  };
  const ai = createAiParts({ config, db, clock: systemClock, log });
  const routes = llmRoutes(ai.services.llm, ai.services.proxy, ai.calls);
  const api = await createApi({ db, routes, constraints: {}, log, clock: systemClock, config: CONFIG });
  const { url: origin } = await api.listen();
  const authorizations = users.map(({ session }) => `Bearer ${session}`);
  const ways: Way[] = [
    {
      ...{ outside, db, name: 'direct' },
      target: (model) => ({ url: `${base_url}/chat/completions`, authorizations: [], model }),
    },
    {
      ...{ outside, db, name: 'through us' },
      target: (model) => ({ url: `${origin}/api/v1/llm/chat/stream`, authorizations, model }),
    },
  ];
  const wanted = process.argv.slice(2);
  const isWanted = ({ name }: { name: string }) => wanted.length === 0 || wanted.includes(name);
  for (const round of [1, 2]) {
    print(`round ${round}, ${load()}`);
    for (const part of [alone, together, flowing].filter(isWanted)) for (const way of ways) await part(way);
    const [, ours] = ways;
    if (ours && isWanted(unread)) await unread(ours);
    print(`  ${load()}`);
  }
  await api.stop();
  for (const part of ai.parts.toReversed()) await part.stop();
  await whole.stop();
}

const runDirectory = makeRunDirectory();
const outside = fork(fileURLToPath(new URL('llm-outside.ts', import.meta.url)), { execArgv: [] });
try {
  const cluster = await startIn(runDirectory, { major: 18 });
  await measure(new Secret(cluster.url), outside);
  await cluster.stop();
} finally {
  outside.disconnect();
  outside.kill();
  removeRunDirectory(runDirectory);
}
