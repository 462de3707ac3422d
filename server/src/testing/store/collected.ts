// Data as the collector leaves it, written through the store's own writer.
import { systemClock } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { probes } from '../../probes/catalog.gen.ts';
import type { Probe } from '../../probes/types.ts';
import type { Row } from '../../store/layout/types.ts';
import { MetricsWriter } from '../../store/write/writer.ts';

export interface CollectedRun {
  connection_id: number;
  probe: string;
  database_name?: string;
  /** Milliseconds since the epoch; now when absent. */
  at?: number;
  took_ms?: number;
  /** Absent for a run that failed or was skipped. */
  rows?: readonly Row[];
  /** Change-tracked probes: the columns that name an item. */
  history_by?: readonly string[];
  skipped?: {
    reason: string;
    mend: string | null;
    cause?: 'missing_extension' | 'missing_grant' | 'not_applicable' | 'disabled';
  };
  /** Read, but with values hidden from our role. */
  hidden?: { cause: 'missing_grant' | 'masked' | 'incomplete'; note: string; mend: string };
  failed?: string;
}

const EPOCH = 1;

async function lease(db: Database, connectionId: number): Promise<void> {
  await db.run(sql`/* test.lease */
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    values (${connectionId}, 'test', ${EPOCH}, now() + interval '1 hour')
    on conflict do nothing`);
}

function outcomeOf({ rows, history_by, skipped, failed, hidden }: CollectedRun, at: number) {
  if (skipped) return { kind: 'skipped' as const, ...skipped };
  if (failed !== undefined) return { kind: 'failed' as const, reason: failed };
  return { kind: 'ran' as const, collected_at: at, rows: rows ?? [], history_by, ...hidden };
}

/** Writes the runs one after the other; an error of the connection's session is reported by `failing`. */
export const collected = (db: Database, ...runs: readonly CollectedRun[]): Promise<void> =>
  writeAll(db, runs, []);

/** The same, and the samples and objects of their probes are kept as well, as histories to read. */
export function collectedHistory(db: Database, runs: readonly CollectedRun[]): Promise<void> {
  const names = new Set(runs.map(({ probe }) => probe));
  return writeAll(
    db,
    runs,
    probes.filter(({ name }) => names.has(name)),
  );
}

async function add(db: Database, writer: MetricsWriter, runs: readonly CollectedRun[]): Promise<void> {
  for (const run of runs) {
    const { connection_id, probe, database_name = '', took_ms = 1 } = run;
    await lease(db, connection_id);
    const at = run.at ?? systemClock.now();
    const outcome = outcomeOf(run, at);
    writer.add({ connection_id, epoch: EPOCH, probe, database_name, attempted_at: at, took_ms, outcome });
  }
  // Its end waits for a datastore no longer than a second, which a busy machine may take.
  while (writer.stats.waiting_runs > 0) await writer.flush();
}

async function writeAll(db: Database, runs: readonly CollectedRun[], kept: readonly Probe[]): Promise<void> {
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock, probes: kept });
  await add(db, writer, runs);
  await writer.stop();
}

/** A writer that goes on, as a collector has it: `add` has written its runs when it is done. */
export function startWriter(db: Database) {
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock, probes });
  return { add: (runs: readonly CollectedRun[]) => add(db, writer, runs), stop: () => writer.stop() };
}

/** What the collector's session on the connection met last; null: it works. */
export async function reported(db: Database, connection_id: number, error: string | null): Promise<void> {
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock });
  await lease(db, connection_id);
  const consecutive_failures = error === null ? 0 : 1;
  writer.report({ connection_id, epoch: EPOCH, at: systemClock.now(), error, consecutive_failures });
  await writer.stop();
}
