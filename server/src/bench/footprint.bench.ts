// What watching 1, 20 and 100 connections costs, minute by minute, as the program does it by itself: processor time of
// collector, datastore and servers by the kernel's account, statements, round trips, sessions, bytes and memory. With
// the directory of another copy of the program, both are measured at the same time, each on a datastore and servers of
// its own, so that before and after stand beside each other; `whole` is the program as it is started, with all its parts, beside the
// collector alone. For a quarter of an hour a new server is judged for findings every half minute: what the whole takes all the
// time is measured with warm=960. Eight connections share a server, at least three servers
// (one for one connection), each with four databases of 25 tables, a few of which change. Prints figures, judges nothing.
// Run: npm run bench -- footprint [connections …] [seconds=60] [warm=60] [before=<directory>] [profiles=<directory>]
//      [statements]  with a table of every statement that is sent, calls and time a minute
//      [write]  of one connection, as docs/reference/statements.md
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { sleep, systemClock } from '../kernel/clock.ts';
import { greatest } from '../kernel/lists.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { type Side, type StatementUse, startSide, type Totals } from './footprint-side.ts';
import { print } from './print.ts';
import { cpuBetween } from './server-cpu.ts';
import { statementsPage, useLines } from './statement-use.ts';

const COUNTS = [1, 20, 100];
const LOOK_MS = 1000;
const PAGE = 'docs/reference/statements.md';

interface FootprintFigures {
  label: string;
  /** A minute and connection. */
  each: readonly (readonly [what: string, value: number])[];
  /** Of all together. */
  whole: readonly (readonly [what: string, value: number])[];
  use: { datastore: StatementUse[]; servers: StatementUse[] };
}

const here = path.resolve(fileURLToPath(new URL('../../..', import.meta.url)));
const asked = process.argv.slice(2);
const option = (name: string) => asked.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);

const quantile = (ascending: readonly number[], q: number) =>
  ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * q))] ?? Number.NaN;

async function watchSessions(side: Side, until: number): Promise<{ mean: number; most: number }> {
  const seen: number[] = [];
  while (systemClock.monotonic() < until) {
    seen.push(await side.sessions());
    await sleep(LOOK_MS);
  }
  return { mean: seen.reduce((total, one) => total + one, 0) / seen.length, most: greatest(seen) };
}

function rates(before: Totals, after: Totals, per: number): FootprintFigures['each'] {
  const servers = after.servers.map((reading, n) => cpuBetween(before.servers[n] ?? reading, reading));
  const rate = (read: (totals: Totals) => number) => (read(after) - read(before)) / per;
  return [
    ['program CPU, ms', rate((totals) => totals.collector_ms)],
    ['CPU on servers, ms', servers.reduce((total, one) => total + one, 0) / per],
    ['datastore CPU, ms', cpuBetween(before.datastore, after.datastore) / per],
    ['statements on servers', rate((totals) => totals.statements)],
    ['round trips', rate((totals) => totals.trips)],
    ['sessions opened', rate((totals) => totals.opened)],
    ['statements on datastore', rate((totals) => totals.kept_statements)],
    ['datastore growth, kB', rate((totals) => totals.stored_bytes / 1024)],
    ['runs of probes', rate((totals) => totals.runs)],
    ['rows read', rate((totals) => totals.rows)],
  ];
}

async function measure(
  label: string,
  side: Side,
  { count, seconds, warm }: { count: number; seconds: number; warm: number },
): Promise<FootprintFigures> {
  const began = systemClock.monotonic();
  await side.complete();
  const first = (systemClock.monotonic() - began) / 1000;
  await sleep(warm * 1000);
  await side.countFromZero();
  const before = await side.totals();
  const from = systemClock.monotonic();
  const sessions = await watchSessions(side, from + seconds * 1000);
  const after = await side.totals();
  const minutes = (systemClock.monotonic() - from) / 60_000;
  const { now_mb, most_mb } = side.memory();
  const gaps = await side.gaps();
  const responses = await side.responses(seconds);
  return {
    label,
    each: rates(before, after, minutes * count),
    whole: [
      ['sessions, mean', sessions.mean],
      ['sessions, most', sessions.most],
      ['RSS, MB', now_mb],
      ['RSS at most, MB', most_mb],
      ['30 s probe, gap p99, s', quantile(gaps, 0.99)],
      ['response time, median, ms', quantile(responses, 0.5)],
      ['response time, p99, ms', quantile(responses, 0.99)],
      ['all read after, s', first],
    ],
    use: await side.statementUse(),
  };
}

function table(title: string, sides: readonly FootprintFigures[], of: 'each' | 'whole'): void {
  print(`  ${title.padEnd(28)}${sides.map(({ label }) => label.padStart(12)).join('')}`);
  for (const [n, [what]] of (sides[0]?.[of] ?? []).entries()) {
    const values = sides.map((side) => (side[of][n]?.[1] ?? Number.NaN).toFixed(1).padStart(12));
    print(`    ${what.padEnd(26)}${values.join('')}`);
  }
}

async function compare(directory: string, count: number): Promise<void> {
  const seconds = Number(option('seconds') ?? 60);
  const warm = Number(option('warm') ?? 60);
  const [base, profiles] = [option('before'), option('profiles')];
  const roots = [
    ...(base === undefined ? [] : [['before', path.resolve(base), false] as const]),
    ['now', here, false] as const,
    ['whole', here, true] as const,
  ];
  const sides: (readonly [string, Side])[] = [];
  try {
    for (const [label, root, isWhole] of roots) {
      const wish = {
        root,
        count,
        isWhole,
        ...(profiles !== undefined && { profiles: path.join(profiles, `${label}-${count}`) }),
      };
      sides.push([label, await startSide(directory, wish)]);
    }
    const done = await Promise.all(
      sides.map(([label, side]) => measure(label, side, { count, seconds, warm })),
    );
    print(`\n${count} connection${count === 1 ? '' : 's'}, ${seconds} s`);
    table('a minute and connection', done, 'each');
    table('in all', done, 'whole');
    if (!asked.includes('statements')) return;
    for (const { label, use } of done) {
      for (const line of useLines(`on the datastore, ${label}, a minute`, use.datastore, seconds / 60))
        print(line);
      const each = (seconds / 60) * count;
      for (const line of useLines(`on the servers, ${label}, a minute and connection`, use.servers, each))
        print(line);
    }
    const now = done.find(({ label }) => label === 'now');
    if (asked.includes('write') && count === 1 && now)
      writeFileSync(path.join(here, PAGE), statementsPage(here, now.use, seconds / 60));
  } finally {
    await Promise.all(sides.map(([, side]) => side.stop()));
  }
}

/** What a copy of the program must have to be measured. */
const NEEDED = ['server/src/testing/collecting.ts', 'server/src/kernel/secret.ts', 'node_modules'];

function checkBefore(): void {
  const root = path.resolve(option('before') ?? here);
  const missing = NEEDED.find((file) => !existsSync(path.join(root, file)));
  const mending = missing === 'node_modules' ? 'Run npm ci there.' : 'Name the directory of a checkout.';
  if (missing) throw new Error(`before=${root} cannot be measured: ${missing} is not there. ${mending}`);
}

const counts = asked.map(Number).filter(Number.isInteger);
const directory = makeRunDirectory();
// Where it is interrupted, too: nothing that was started goes on.
process.once('exit', () => removeRunDirectory(directory));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  checkBefore();
  for (const count of counts.length > 0 ? counts : COUNTS) await compare(directory, count);
} catch (error) {
  print(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
