// How every read of the API grows with the server that it is about: an ordinary small server beside one of 3,000 tables, one of 12,000,
// one of 300 databases and one of 5,000 statements, all in one estate. Prints for each read how long it takes on the small and on the
// large one, the exponent of its growth, the bytes of the answer and how long it holds the event loop; then what pages ask at once; then
// the reads that grow faster than what they answer, take longer than a page may, or hold the event loop. Judges nothing.
// Run: npm run bench -- reads [hours] [part of the names of reads]
// MATRIARCH_BENCH_KEEP keeps what was made for the next run, whose clock then shows the time of the end of it.

import { loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { operations } from '../api/operations.gen.ts';
import { type Api, createApi } from '../api/server.ts';
import { allConstraints, allRoutes } from '../app/routes.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { greatest, least } from '../kernel/lists.ts';
import { silentLog } from '../kernel/log.ts';
import type { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { DAY_MS } from '../kernel/units.ts';
import { probes } from '../probes/catalog.gen.ts';
import { ensureTables } from '../store/layout/tables.ts';
import { makeSession } from '../testing/access/actors.ts';
import { testParts } from '../testing/rooms/parts.ts';
import { wholeServices } from '../testing/rooms/whole.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { filledBefore, noteFilled, withBenchDatastore } from './bench-datastore.ts';
import { print } from './print.ts';
import { type Ask, asksOf, pagesOf } from './reads-asked.ts';
import { fillReads, findAll, STEP_MS } from './reads-fill.ts';
import type { Size } from './reads-rows.ts';

const HOURS = Number(process.argv[2] ?? 3);
const ONLY = process.argv[3];
const ROUNDS = 5;
/** What a read of a page, a page as a whole and a hold of the event loop may take, in milliseconds. */
const LIMITS = { read: 300, page: 500, hold: 50 };

const SMALL: Size = { name: 'small', tables: 75, databases: 5, statements: 100 };
const SIZES: readonly Size[] = [
  SMALL,
  { ...SMALL, name: '3,000 tables', tables: 3000 },
  { ...SMALL, name: '12,000 tables', tables: 12_000 },
  { ...SMALL, name: '300 databases', databases: 300 },
  { ...SMALL, name: '5,000 statements', statements: 5000 },
];
/** How many times as large as the small one. */
const timesOf = (size: Size) =>
  Math.max(size.tables / SMALL.tables, size.databases / SMALL.databases, size.statements / SMALL.statements);

interface ReadTimes {
  /** The quickest: what a machine that does other work as well says last of all. */
  best: number;
  /** Of our own processor, in the round that took least of it. */
  cpu: number;
  /** The slowest, the first one included. */
  worst: number;
  /** Longest hold of the event loop, in the round that held it least. */
  hold: number;
  bytes: number;
  status: number;
}

interface Asker {
  api: Api;
  headers: { authorization: string };
}

const ask = async ({ api, headers }: Asker, url: string) => {
  const { statusCode, rawPayload } = await api.inject({ method: 'GET', url, headers });
  return { status: statusCode, bytes: rawPayload.length, text: rawPayload };
};

async function measure(asker: Asker, paths: readonly string[]): Promise<ReadTimes> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const [times, holds, costs]: [number[], number[], number[]] = [[], [], []];
  let last = { status: 0, bytes: 0 };
  delays.enable();
  for (let round = 0; round < ROUNDS; round += 1) {
    delays.reset();
    const [began, before] = [systemClock.monotonic(), process.cpuUsage()];
    const replies = await Promise.all(paths.map((path) => ask(asker, path)));
    times.push(systemClock.monotonic() - began);
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / 1000);
    await new Promise((resolve) => setTimeout(resolve, 5));
    holds.push(delays.max / 1e6);
    last = {
      status: greatest(replies.map(({ status }) => status)),
      bytes: replies.reduce((sum, { bytes }) => sum + bytes, 0),
    };
    if ((times[0] ?? 0) > 5000 && round >= 1) break;
  }
  delays.disable();
  return {
    ...{
      best: least(times),
      worst: greatest(times),
      hold: least(holds),
      cpu: least(costs),
    },
    ...last,
  };
}

interface Grown {
  name: string;
  small: ReadTimes;
  large: ReadTimes;
  of: string;
  exponent: number;
  answerExponent: number;
}

const ms = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0));
const exponent = (times: number, small: number, large: number) =>
  large <= 0 || small <= 0 ? 0 : Math.log(large / small) / Math.log(times);

/** The large server on which it grew the most. */
async function growth(asker: Asker, { name, path }: Ask): Promise<Grown[]> {
  const on = (id: number) => measure(asker, [path.replaceAll(':c', String(id))]);
  const small = await on(1);
  if (!path.includes(':c'))
    return [{ name, small, large: small, of: 'the estate', exponent: 0, answerExponent: 0 }];
  const found: Grown[] = [];
  for (const [index, size] of SIZES.entries()) {
    if (index === 0) continue;
    const large = await on(index + 1);
    const times = timesOf(size);
    found.push({
      ...{ name, small, large, of: size.name },
      exponent: exponent(times, small.best, large.best),
      answerExponent: exponent(times, small.bytes, large.bytes),
    });
  }
  return found;
}

function line({ name, small, large, of, exponent: grows }: Grown): string {
  const status = large.status === 200 ? '' : ` status ${large.status}`;
  return [
    `${ms(small.best).padStart(6)} → ${ms(large.best).padStart(6)} ms (worst ${ms(large.worst).padStart(6)}, our processor ${ms(large.cpu).padStart(5)})`,
    `exponent ${grows.toFixed(2).padStart(5)}`,
    `${(large.bytes / 1024).toFixed(0).padStart(5)} kB`,
    `hold ${ms(large.hold).padStart(5)} ms`,
    `${of.padEnd(16)} ${name}${status}`,
  ].join('  ');
}

/** Why somebody should look at it; undefined: all is well. */
function complaint({ small, large, exponent: grows, answerExponent }: Grown): string | undefined {
  const reasons = [
    ...(large.status >= 400 ? [`answers ${large.status}`] : []),
    ...(grows > 1 ? ['grows faster than the server'] : []),
    ...(large.best > 20 && large.best > 2 * small.best && grows > answerExponent + 0.3
      ? ['grows faster than its answer']
      : []),
    ...(large.best > LIMITS.read ? [`takes more than ${LIMITS.read} ms`] : []),
    ...(large.hold >= LIMITS.hold ? ['holds the event loop'] : []),
  ];
  return reasons.length > 0 ? reasons.join(', ') : undefined;
}

async function walk(asker: Asker, to: number): Promise<void> {
  const { asks, left } = asksOf(operations, { from: to - DAY_MS, to });
  const all: Grown[] = [];
  for (const one of asks) {
    if (ONLY !== undefined && !one.name.includes(ONLY)) continue;
    const found = await growth(asker, one);
    all.push(...found);
    const worst = found.toSorted((a, b) => b.large.best - a.large.best)[0];
    if (worst) print(line(worst));
  }
  print(
    `Not asked, since nothing here has their ids, they are streams, or they ask elsewhere: ${left.join(', ')}`,
  );
  print(`Load of the machine over five minutes: ${(loadavg()[1] ?? 0).toFixed(1)}`);
  print('To look at:');
  for (const one of all) {
    const why = complaint(one);
    if (why !== undefined) print(`  ${line(one)}: ${why}`);
  }
}

async function pages(asker: Asker, to: number): Promise<void> {
  for (const { name, paths } of pagesOf({ from: to - DAY_MS, to })) {
    if (ONLY !== undefined && !name.includes(ONLY)) continue;
    for (const [index, size] of SIZES.entries()) {
      const own = paths.map((path) => path.replaceAll(':c', String(index + 1)));
      if (index > 0 && own.every((path, n) => path === paths[n])) continue;
      const { best, worst, cpu, hold, status } = await measure(asker, own);
      const late = best > LIMITS.page ? `: more than ${LIMITS.page} ms` : '';
      print(
        `${name} (${paths.length} at once), ${size.name}: best ${ms(best)} ms, worst ${ms(worst)} ms, our processor ${ms(cpu)} ms, hold ${ms(hold)} ms${status === 200 ? '' : `, status ${status}`}${late}`,
      );
    }
  }
}

/** Of data that was made a while ago the clock of the API shows the end. */
const clockAt = (end: number): Clock => {
  const behind = systemClock.now() - end;
  return behind < STEP_MS ? systemClock : { ...systemClock, now: () => systemClock.now() - behind };
};

async function run(db: Database, url: Secret): Promise<void> {
  const began = systemClock.monotonic();
  const kept = await filledBefore(db);
  const end = kept ?? Math.floor(systemClock.now() / STEP_MS) * STEP_MS;
  if (kept === undefined) {
    await fillReads(db, { sizes: SIZES, hours: HOURS, end });
    await findAll(db);
    await noteFilled(db, end);
  }
  print(
    `${HOURS} h of ${SIZES.length} servers made in ${((systemClock.monotonic() - began) / 1000).toFixed(0)} s`,
  );
  const clock = clockAt(end);
  // What was kept was sealed with the key of another run, and holds no secret that anybody needs.
  if (kept !== undefined) await db.run(sql`delete from matriarch.data_keys`);
  await ensureTables(db, probes);
  const parts = testParts({ db, url, clock, log: silentLog, directory });
  const api = await createApi({
    ...{ db, clock, log: silentLog, constraints: allConstraints },
    routes: allRoutes(await wholeServices(parts)),
    config: {
      ...{ host: '127.0.0.1', port: 0, trustedProxies: [], allowedOrigins: [], webRoot: undefined },
      ...{
        logRequests: false,
        requestTimeoutMs: 60_000,
        bodyLimitBytes: 1_048_576,
        sharedAccess: 'read_write',
      },
    },
  });
  const asker = { api, headers: { authorization: `Bearer ${await makeSession(db, 1)}` } };
  const to = kept === undefined ? systemClock.now() : end;
  try {
    await walk(asker, to);
    await pages(asker, to);
  } finally {
    await api.stop();
    await parts.close();
  }
}

const directory = makeRunDirectory();
try {
  await withBenchDatastore(directory, undefined, run);
} finally {
  removeRunDirectory(directory);
}
