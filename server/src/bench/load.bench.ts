// P8 and P9: how long the load of a server takes over 1 h, 24 h and all that was made, by class of wait and by statement, and
// one moment of it, raw and packed, with 200 sessions. On a store that the writer and compaction made of samples of every
// second. Prints figures, judges nothing.
// Run: npm run bench -- load [hours]
import process from 'node:process';
import { activeSessions } from '../history/performance/active-sessions.ts';
import { ASKED } from '../insight/moment/moment-probes.ts';
import { momentOf } from '../insight/moment/stored-moment.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { HOUR_MS } from '../kernel/units.ts';
import { probe as active } from '../probes/pg-active-sessions.ts';
import { probe as sessions } from '../probes/pg-stat-activity.ts';
import type { Probe } from '../probes/types.ts';
import { runCompaction } from '../store/compact/compact.ts';
import { layoutOf } from '../store/layout/table-layout.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { keptRun } from '../testing/store/kept-probes.ts';
import { withBenchDatastore } from './bench-datastore.ts';
import { print } from './print.ts';

const HOURS = Number(process.argv[2] ?? 24);
const WORKING = 20;
const SESSIONS = 200;
const STATEMENTS = 500;
const READS = 20;
const probes: Probe[] = [active, sessions];

/** The same numbers in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

const draw = random(7);
const WAITS = [null, null, 'IO', 'LWLock', 'Lock', 'Client'] as const;

const combination = () => ({
  state: 'active',
  wait_event_type: WAITS[draw(WAITS.length)] ?? null,
  wait_event: null,
  datname: 'shop',
  usename: 'app',
  application_name: `app ${draw(5)}`,
  client_addr: `10.0.0.${draw(8)}`,
  backend_type: 'client backend',
  // Few statements are most of the load.
  query_id: String(Math.floor((draw(1000) / 1000) ** 3 * STATEMENTS)),
  is_rest: false,
  sessions: 1,
  oldest_xact_seconds: 0,
  oldest_query_seconds: 0,
});

const session = (n: number, at: number) => ({
  pid: 1000 + n,
  datname: 'shop',
  usename: 'app',
  application_name: `app ${n % 5}`,
  client_addr: `10.0.0.${n % 8}`,
  backend_type: 'client backend',
  state: n % 5 === 0 ? 'active' : 'idle',
  query: `select * from orders where customer_id = $1 and page = ${n}`,
  query_start: new Date(at - n * 1000).toISOString(),
  xact_start: null,
});

async function fill(db: Database, begin: number, end: number): Promise<void> {
  await db.run(sql`insert into matriarch.users (id, username) values (1, 'owner')`);
  await db.run(sql`
    insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored)
    values (1, 1, 'c1', 'h', 5432, 'd', 'u', true)`);
  await db.run(sql`
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    values (1, 'bench', 1, now() + interval '1 day')`);
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock, probes });
  const working = Array.from({ length: WORKING }, combination);
  for (let at = begin, n = 0; at <= end; at += 1000, n += 1) {
    for (let index = 0; index < WORKING; index += 1) if (draw(100) < 20) working[index] = combination();
    const rows = [...new Map(working.map((row) => [JSON.stringify(row), row])).values()];
    writer.add(keptRun(active, { connection_id: 1, at, rows }));
    if (n % 60 !== 0) continue;
    const all = Array.from({ length: SESSIONS }, (_none, index) => session(index, at));
    writer.add(keptRun(sessions, { connection_id: 1, at, rows: all }));
    await writer.flush();
  }
  await writer.stop();
}

async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let n = 0; n < READS; n += 1) {
    const began = systemClock.monotonic();
    await work();
    times.push(systemClock.monotonic() - began);
  }
  const { user, system } = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1);
  const cpu = ((user + system) / 1000 / READS).toFixed(1);
  print(
    `  ${name.padEnd(36)} p50 ${at(0.5).padStart(7)} ms, p99 ${at(0.99).padStart(7)} ms, our processor ${cpu.padStart(6)} ms`,
  );
}

async function run(db: Database): Promise<void> {
  const end = Math.floor(systemClock.now() / 1000) * 1000;
  const began = systemClock.monotonic();
  await fill(db, end - HOURS * HOUR_MS, end);
  const report = await runCompaction({ db, layouts: probes.flatMap((probe) => layoutOf(probe) ?? []) });
  if (report.problems.length > 0) throw new Error(report.problems.join(' '));
  await db.run(sql`analyze`);
  print(
    `${HOURS} h of ${WORKING} active of ${SESSIONS} sessions made in ${((systemClock.monotonic() - began) / 1000).toFixed(0)} s`,
  );
  for (const hours of [1, 24, HOURS].filter((one, n, all) => one <= HOURS && all.indexOf(one) === n)) {
    const window = { connection_id: 1, from: end - hours * HOUR_MS, to: end, buckets: 120 };
    await timed(`load over ${hours} h by class of wait`, () => activeSessions(db, window));
    if (hours > 24) continue;
    await timed(`load over ${hours} h by statement`, () =>
      activeSessions(db, { ...window, split: 'statement' }),
    );
  }
  for (const [name, at] of [
    ['now', end],
    ['half of the time ago', end - (HOURS / 2) * HOUR_MS],
  ] as const)
    await timed(`moment ${name}`, () => momentOf(db, { connection_id: 1, at, now: end, asked: ASKED }));
}

const directory = makeRunDirectory();
try {
  await withBenchDatastore(directory, undefined, run);
} finally {
  removeRunDirectory(directory);
}
