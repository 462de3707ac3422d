// The store's housekeeping, done by one process at a time: tables as declared, partitions made ahead, old ones dropped
// by the retention of their probe, the dictionary and the batch ledger trimmed. Guards: the time of the last run is stored,
// so a restart never resets it; what could not be done is reported, and never stops the rest.

import { hash, randomUUID } from 'node:crypto';
import type { Database } from '../../kernel/db.ts';
import { claimJob, finishJob, type JobRow, readJob } from '../../kernel/jobs.queries.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import { append } from '../../kernel/lists.ts';
import type { Log } from '../../kernel/log.ts';
import { NOT_NOTED, noteReport, type PartNotes } from '../../kernel/part-states.ts';
import { startRounds } from '../../kernel/rounds.ts';
import { DAY_MS } from '../../kernel/units.ts';
import type { Probe } from '../../probes/types.ts';
import { engineOf } from '../layout/engine/open.ts';
import { dayOf, type Engine, type Partition } from '../layout/engine/types.ts';
import { type Policy, policies } from '../layout/policies.queries.ts';
import { datastoreNow, forgetIntervals, noteLongest } from '../layout/retention.queries.ts';
import {
  expired,
  type Kept,
  type Retentions,
  readRetentions,
  SAMPLES_LEAST_DAYS,
} from '../layout/retention.ts';
import { ensureTables } from '../layout/tables.ts';
import { type TierTable, tierTables } from '../layout/tier-tables.queries.ts';
import { forgetGaps } from '../spool/gaps.queries.ts';
import { forgetBatches, forgetObjects } from './maintenance.queries.ts';
import { trim } from './trim.ts';

export const MAINTENANCE_JOB = 'store-maintenance';
const EVERY_SECONDS = 3600;
const LOOK_MS = 60_000;
const AHEAD_DAYS = 3;
const OBJECTS_SLICE = 20_000;
/** More of them wait for the next run. */
const MOST_SLICES = 25;

export interface MaintenanceReport {
  made: number;
  dropped: number;
  /** Rows that went although others keep the rest of their day. */
  trimmed: number;
  /** What the retention of all connections was, when everything was trimmed to it. */
  retention_mark: string | null;
  /** Partitions past their retention that could not be dropped. */
  overdue: string[];
  /** What else could not be done. */
  problems: string[];
}

export interface MaintenanceRun {
  db: Database;
  probes: readonly Probe[];
  engine?: Engine;
  /** Instead of the datastore's time, in milliseconds since the epoch. */
  now?: number;
  /** Ends the run between two tables; whoever looks next begins anew. */
  signal?: AbortSignal;
}

const words = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 300);

async function rotate(
  { db, engine }: { db: Database; engine: Engine },
  {
    policy,
    days,
    longest,
    now,
  }: { policy: Policy; days: readonly Partition[]; longest: number; now: number },
  report: MaintenanceReport,
): Promise<void> {
  const known = new Set(days.map(({ day }) => day));
  for (let ahead = 0; engine.makesAhead && ahead <= AHEAD_DAYS; ahead += 1) {
    const day = dayOf(now) + ahead * DAY_MS;
    if (known.has(day)) continue;
    try {
      await engine.makePartition(db, policy.table_name, day);
      report.made += 1;
    } catch (error) {
      report.problems.push(`${policy.table_name}: ${words(error)}`);
    }
  }
  for (const partition of expired(days, longest, now)) {
    try {
      await engine.dropPartition(db, partition);
      report.dropped += 1;
    } catch (error) {
      report.overdue.push(partition.name);
      report.problems.push(`${partition.name}: ${words(error)}`);
    }
  }
}

interface TrimAll {
  db: Database;
  engine: Engine;
  retentions: Retentions;
  now: number;
  policies: readonly Policy[];
  signal: AbortSignal | undefined;
}

/** Raw, packed and rolled-up rows of connections that keep them for less than others do. */
async function trimAll(of: TrimAll, report: MaintenanceReport): Promise<void> {
  const { db, engine, retentions, now } = of;
  const tiers = await db.rows<TierTable>(tierTables);
  const tables: Kept[] = [
    ...of.policies.map((policy) => ({ ...policy, least_days: SAMPLES_LEAST_DAYS })),
    ...tiers.map((tier) => ({
      ...tier,
      least_days: tier.tier === 'packed' ? SAMPLES_LEAST_DAYS : tier.retention_days,
    })),
  ];
  const job = await db.maybe<JobRow>(readJob(MAINTENANCE_JOB));
  const mark = hash('sha256', retentions.mark);
  const thorough = job?.report?.retention_mark !== mark;
  const names = tables.map(({ table_name }) => table_name);
  const all = Map.groupBy(await engine.partitions(db, names), ({ table }) => table);
  for (const kept of tables) {
    of.signal?.throwIfAborted();
    try {
      const partitions = all.get(kept.table_name) ?? [];
      report.trimmed += await trim(db, engine, { kept, partitions, retentions, now, thorough });
    } catch (error) {
      report.problems.push(`${kept.table_name}: ${words(error)}`);
    }
  }
  if (report.problems.length === 0) report.retention_mark = mark;
}

/** One run of the job, whoever holds its lease. Rejects only when the datastore is away or the signal says so. */
export async function runMaintenance(options: MaintenanceRun): Promise<MaintenanceReport> {
  const { db, probes, engine = engineOf(options.db), signal } = options;
  const report: MaintenanceReport = {
    made: 0,
    dropped: 0,
    trimmed: 0,
    retention_mark: null,
    overdue: [],
    problems: [],
  };
  const { problems } = await ensureTables(db, probes, engine);
  append(report.problems, problems.values());
  const now = options.now ?? (await db.one<{ now: number }>(datastoreNow)).now;
  const all = await db.rows<Policy>(policies);
  const retentions = await readRetentions(db);
  const partitions = await engine.partitions(
    db,
    all.map(({ table_name }) => table_name),
  );
  for (const policy of all) {
    signal?.throwIfAborted();
    const days = partitions.filter(({ table }) => table === policy.table_name);
    const longest = retentions.longest({ ...policy, least_days: SAMPLES_LEAST_DAYS });
    await rotate({ db, engine }, { policy, days, longest, now }, report);
  }
  await db.run(
    noteLongest(
      all.map((policy) => ({ probe: policy.probe, days: retentions.longest({ ...policy, least_days: 0 }) })),
    ),
  );
  await trimAll({ db, engine, retentions, now, policies: all, signal }, report);
  await db.run(forgetIntervals);
  await db.run(forgetBatches);
  await db.run(forgetGaps);
  for (let n = 0, gone = OBJECTS_SLICE; n < MOST_SLICES && gone === OBJECTS_SLICE; n += 1)
    gone = await db.run(forgetObjects(OBJECTS_SLICE));
  return report;
}

export interface MaintenanceOptions {
  db: Database;
  log: Log;
  probes: readonly Probe[];
  engine?: Engine;
  /** The collector of this process. */
  owner?: string;
  signal?: AbortSignal;
  /** Told whether the work goes on; not noted when absent. */
  parts?: PartNotes;
}

/** Runs the job if it is due and nobody else does it; answers what it did. */
export async function maintainIfDue(options: MaintenanceOptions): Promise<MaintenanceReport | undefined> {
  const { db, log, owner = randomUUID() } = options;
  const job = { name: MAINTENANCE_JOB, owner, every_seconds: EVERY_SECONDS };
  const taken = await db.maybe<{ epoch: number }>(claimJob(job));
  if (!taken) return undefined;
  const { epoch } = taken;
  try {
    const report = await runMaintenance(options);
    await db.run(finishJob({ name: MAINTENANCE_JOB, epoch, report }));
    if (report.problems.length === 0) log.info({ event: 'store.maintained', ...report });
    else log.warn({ event: 'store.maintenance_incomplete', ...report });
    return report;
  } catch (error) {
    const retry_seconds = options.signal?.aborted ? 0 : 60;
    await db
      .run(finishJob({ name: MAINTENANCE_JOB, epoch, report: null, retry_seconds }))
      .catch(() => undefined);
    throw error;
  }
}

/** Looks every minute whether the job is due, until it is stopped or `signal` says that everything is about to be. */
export function startMaintenance(options: MaintenanceOptions): Part {
  const { parts = NOT_NOTED } = options;
  return startRounds<MaintenanceReport | undefined>({
    name: 'store-maintenance',
    pauseMs: LOOK_MS,
    noted: { part: 'maintenance', parts, note: (report) => noteReport(parts, 'maintenance', report) },
    onFailure: (error) => options.log.warn({ event: 'store.maintenance_failed', err: error }),
    begin: (signal) => ({ round: () => maintainIfDue({ ...options, signal }) }),
    signal: options.signal,
  });
}
