// P10: how long a round of the alerter takes over a thousand servers: all rules at once, as after a start; what is new of a
// twentieth of them; nothing new; and a disk that fills up everywhere. Data are as the collector and the writer leave them.
// Prints figures, judges nothing.
// Run: npm run bench -- alerter [servers]
import process from 'node:process';
import { knownRules } from '../alerting/alert-rules/known-rules.service.ts';
import { ALERTER_JOB } from '../alerting/alerter/alerter.ts';
import { evaluate, PROBES } from '../alerting/alerter/evaluate.ts';
import { Memory } from '../alerting/alerter/memory.ts';
import { type RecentRun, recentRunsOf } from '../alerting/alerter/runs.queries.ts';
import { systemPrincipal } from '../identity/audit/audit.service.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database, Db } from '../kernel/db.ts';
import { claimJob } from '../kernel/jobs.queries.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { countedDb } from '../testing/store/counted-db.ts';
import { DATABASES, makeEstate, SESSIONS, STATEMENTS, TABLES } from './alerter-estate.ts';
import { filledBefore, noteFilled, withBenchDatastore } from './bench-datastore.ts';
import { print } from './print.ts';

const SERVERS = Number(process.argv[2] ?? 1000);
const ROUNDS = 5;

interface Rounds {
  epoch: number;
  memory: Memory;
}

async function timed(
  db: Database,
  name: string,
  { rounds, before }: { rounds: Rounds; before: () => Promise<unknown> },
): Promise<void> {
  const counted = countedDb(db);
  const times: number[] = [];
  const cpu: number[] = [];
  let told = '';
  for (let n = 0; n < ROUNDS; n += 1) {
    await before();
    counted.reset();
    const began = systemClock.monotonic();
    const cpuBefore = process.cpuUsage();
    const { rules, readings, fired, cleared } = await round(counted, rounds);
    times.push(systemClock.monotonic() - began);
    const { user, system } = process.cpuUsage(cpuBefore);
    cpu.push((user + system) / 1000);
    told = `${rules} rules, ${readings} values that may matter, ${fired} fired, ${cleared} cleared`;
  }
  const middle = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const [p50, own] = [middle(times), middle(cpu)].map((ms) => ms.toFixed(0).padStart(6));
  const most = (times.at(-1) ?? 0).toFixed(0).padStart(6);
  print(
    `  ${name.padEnd(34)} p50 ${p50} ms, most ${most} ms, CPU of this process ${own} ms, ${counted.sent.length} statements; ${told}`,
  );
}

async function round(db: Db, { epoch, memory }: Rounds) {
  const now = systemClock.now();
  const runs = await db.rows<RecentRun>(recentRunsOf({ probes: PROBES, from: memory.lookFrom(now) }));
  return evaluate(
    {
      db,
      log: silentLog,
      clock: systemClock,
      signal: new AbortController().signal,
      principal: systemPrincipal('server'),
    },
    {
      memory,
      lease: { name: ALERTER_JOB, epoch },
      blackouts: { covers: () => undefined },
      ...{ now, runs },
    },
  );
}

/** As if every n-th server had brought new samples just now. */
const renew = (db: Database, share: number) =>
  db.run(sql`/* bench.renew */
    update metrics.current_snapshots set collected_at = collected_at + interval '1 millisecond'
    where connection_id % ${share}::int = 0`);

async function run(db: Database): Promise<void> {
  const kept = await filledBefore(db);
  if (kept === undefined) {
    await makeEstate(db, SERVERS);
    await noteFilled(db, Date.now());
  }
  await db.run(sql`/* bench.let_go */ delete from matriarch.jobs where name = ${ALERTER_JOB}`);
  const claim = { name: ALERTER_JOB, owner: 'bench', every_seconds: 0, lease_seconds: 3600 };
  const { epoch } = await db.one<{ epoch: number }>(claimJob(claim));
  const rounds: Rounds = { epoch, memory: new Memory() };
  const forget = async () => {
    rounds.memory = new Memory();
  };
  print(
    `${SERVERS} servers of ${DATABASES} databases with ${TABLES} tables and ${STATEMENTS} statements each, ${SESSIONS} sessions; ${knownRules.size} rules; ${ROUNDS} rounds`,
  );
  await timed(db, 'all rules, all servers', { rounds, before: forget });
  await timed(db, 'a twentieth of the servers is new', { rounds, before: () => renew(db, 20) });
  await timed(db, 'nothing is new', { rounds, before: async () => undefined });
  await db.run(sql`/* bench.fill */
    update metrics.current_snapshots
    set rows = jsonb_set(rows, '{0,used_space}', '90'), collected_at = collected_at + interval '10 milliseconds'
    where probe = 'pg_sys_disk_info'`);
  await timed(db, 'a disk fills up on every server', {
    rounds,
    before: async () => {
      await db.run(sql`/* bench.clear */ delete from matriarch.alerts`);
      await forget();
    },
  });
}

const directory = makeRunDirectory();
try {
  await withBenchDatastore(directory, { shared_buffers: '256MB' }, run);
} finally {
  removeRunDirectory(directory);
}
