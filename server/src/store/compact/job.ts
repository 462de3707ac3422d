// The compaction job: one process at a time, when it is due, until there is nothing left to do. Guards: what was
// begun is finished or undone, so a stop in between loses nothing; what failed is said and tried again.

import { randomUUID } from 'node:crypto';
import type { Database } from '../../kernel/db.ts';
import { claimJob, finishJob } from '../../kernel/jobs.queries.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import { append } from '../../kernel/lists.ts';
import type { Log } from '../../kernel/log.ts';
import { NOT_NOTED, noteReport, type PartNotes } from '../../kernel/part-states.ts';
import { startRounds } from '../../kernel/rounds.ts';
import type { Probe } from '../../probes/types.ts';
import type { Engine } from '../layout/engine/types.ts';
import { ensureTables } from '../layout/tables.ts';
import { runCompaction } from './compact.ts';
import { SeenDays } from './pack-days.ts';
import type { CompactionReport } from './run.ts';

const COMPACTION_JOB = 'store-compaction';
const EVERY_SECONDS = 600;
const LOOK_MS = 60_000;

export interface CompactionOptions {
  db: Database;
  log: Log;
  probes: readonly Probe[];
  engine?: Engine;
  /** The collector of this process. */
  owner?: string;
  signal?: AbortSignal;
  /** What this process saw in its runs before. */
  seenDays?: SeenDays;
  /** Told whether the work goes on; not noted when absent. */
  parts?: PartNotes;
}

/** Packs what is closed, of all probes, whether it is due or not. */
export async function compactNow(options: Omit<CompactionOptions, 'log'>): Promise<CompactionReport> {
  const { db, probes, engine, signal, seenDays } = options;
  const { layouts, problems } = await ensureTables(db, probes, engine);
  const more = { ...(engine && { engine }), ...(signal && { signal }), ...(seenDays && { seenDays }) };
  const report = await runCompaction({ db, layouts: [...layouts.values()], ...more });
  append(report.problems, problems.values());
  return report;
}

/** Runs the job if it is due and nobody else does it; answers what it did. */
async function compactIfDue(options: CompactionOptions): Promise<CompactionReport | undefined> {
  const { db, log, owner = randomUUID() } = options;
  const job = { name: COMPACTION_JOB, owner, every_seconds: EVERY_SECONDS };
  const taken = await db.maybe<{ epoch: number }>(claimJob(job));
  if (!taken) return undefined;
  const { epoch } = taken;
  try {
    const report = await compactNow(options);
    await db.run(finishJob({ name: COMPACTION_JOB, epoch, report }));
    const isWhole = report.problems.length === 0;
    if (isWhole) log.info({ event: 'store.compacted', ...report });
    else log.warn({ event: 'store.compaction_incomplete', ...report });
    return report;
  } catch (error) {
    await db.run(finishJob({ name: COMPACTION_JOB, epoch, report: null })).catch(() => undefined);
    throw error;
  }
}

/** Looks every minute whether the job is due. */
export function startCompaction(options: Omit<CompactionOptions, 'signal'>): Part {
  const { parts = NOT_NOTED } = options;
  const seenDays = new SeenDays();
  return startRounds<CompactionReport | undefined>({
    name: 'store-compaction',
    pauseMs: LOOK_MS,
    noted: { part: 'compaction', parts, note: (report) => noteReport(parts, 'compaction', report) },
    onFailure: (error) => options.log.warn({ event: 'store.compaction_failed', err: error }),
    begin: (signal) => ({ round: () => compactIfDue({ ...options, signal, seenDays }) }),
  });
}
