// The writer between collector and datastore: takes outcomes at once, writes them in few statements for all servers together,
// and keeps trying while the datastore is away. Guards: adding never waits and never throws, memory is bounded, a lease that
// passed to somebody else writes nothing, and one run that the datastore refuses does not hold up the others.
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/db.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { Probe } from '../../probes/types.ts';
import { inWholeMilliseconds, storable, storableKey } from '../format/content.ts';
import type { ConnectionReport, ProbeRun, Roster } from '../layout/types.ts';
import type { SpoolHome } from '../spool/home.ts';
import { FactVersions } from './facts/fact-versions.ts';
import { isRefusal } from './refusals.ts';
import { SampleWriter } from './samples/sample-writer.ts';
import {
  type QueuedSnapshot,
  refused,
  SnapshotQueue,
  SnapshotThrottle,
  THROTTLE_SECONDS,
  toQueued,
} from './snapshots/snapshot-queue.ts';
import { WritePace } from './write-pace.ts';
import { flushReports, flushRosters, flushRuns } from './writer.queries.ts';
import type { WriterStats } from './writer-stats.ts';

export interface WriterOptions {
  db: Database;
  log: Log;
  clock: Clock;
  /** Those that keep samples or objects have their runs stored in tables of their own. */
  probes?: readonly Probe[];
  /** Told when a lease turned out to belong to somebody else. */
  onFenced?: (lease: { connection_id: number; epoch: number }) => void;
  flushMs?: number;
  /** Where what was collected lies until the datastore has it. */
  spool?: SpoolHome;
  limits?: { maxRuns: number; maxBytes: number };
}

const RUNS_AT_ONCE = { maxRuns: 500, maxBytes: 2 * 1024 * 1024 };
const CROWDED_BYTES = 32 * 1024 * 1024;
const CROWDED_FACTS_BYTES = 16 * 1024 * 1024;
const LIMITS = { maxRuns: 200_000, maxBytes: 64 * 1024 * 1024 };
const LAST_FLUSH_MS = 1000;

export class MetricsWriter implements Part {
  readonly name = 'metrics-writer';
  readonly #options: WriterOptions;
  readonly #runs: SnapshotQueue;
  readonly #throttle = new SnapshotThrottle();
  readonly #history: SampleWriter;
  /** Every change of facts; without a spool only the newest state is known once the datastore is back. */
  readonly #versions: FactVersions | undefined;
  #reports = new Map<number, ConnectionReport>();
  #rosters = new Map<number, Roster>();
  readonly #pace: WritePace;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #failures = 0;
  #awaySince = 0;
  #statements = 0;
  #droppedSaid = 0;
  #stopped = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#runs = new SnapshotQueue(options.limits ?? LIMITS);
    this.#pace = new WritePace(options.flushMs);
    const { db, log, clock, probes = [], limits, onFenced, spool } = options;
    this.#history = new SampleWriter({
      db,
      log,
      clock,
      probes,
      spool: spool?.batches,
      onFenced: (lease) => onFenced?.(lease),
      onReplayed: () => this.#waiting && this.#schedule(),
      ...(limits && { maxBytes: limits.maxBytes }),
    });
    this.#versions = spool && new FactVersions({ db, log, spool: spool.facts });
    if (spool) this.#schedule();
  }

  get stats(): WriterStats {
    return {
      waiting_runs: this.#runs.size + this.#throttle.size + this.#history.size,
      waiting_bytes: this.#runs.bytes + this.#history.bytes + (this.#versions?.bytes ?? 0),
      dropped_runs: this.#dropped,
      statements: this.#statements + this.#history.statements + (this.#versions?.statements ?? 0),
      is_behind: this.#history.isBehind,
    };
  }

  /** A datastore that is there takes less than comes in; one that is away is the spool's to bridge. */
  get isCrowded(): boolean {
    const isFull = this.#history.bytes + this.#runs.bytes > CROWDED_BYTES;
    return this.#failures === 0 && (isFull || (this.#versions?.bytes ?? 0) > CROWDED_FACTS_BYTES);
  }

  add(added: ProbeRun): void {
    const run = inWholeMilliseconds(added);
    const layout = this.#history.layout(run.probe);
    const pending = toQueued(run, layout?.keeps !== 'objects');
    const isFast = layout !== undefined && layout.busyIntervalSeconds < THROTTLE_SECONDS;
    const due = isFast ? this.#throttle.add(pending, this.#options.clock.monotonic()) : pending;
    if (due) this.#runs.put(due);
    this.#versions?.add(pending);
    this.#history.add(run);
    this.#pace.told(run.connection_id);
    this.#schedule();
  }

  /** The connection is not collected here any more. */
  leave(connectionId: number): void {
    this.#throttle.leave(connectionId);
    this.#runs.leave(connectionId);
    this.#history.queue.leave(connectionId);
    this.#versions?.leave(connectionId);
  }

  report(report: ConnectionReport): void {
    this.#reports.set(report.connection_id, { ...report, error: report.error && storable(report.error) });
    this.#schedule();
  }

  /** What waits of databases that are gone is never written: it would come after the roster that removed them. */
  roster(roster: Roster): void {
    const { connection_id } = roster;
    const databases = roster.databases.map(storableKey);
    this.#rosters.set(connection_id, { ...roster, databases });
    for (const waiting of [this.#throttle, this.#runs])
      waiting.keepDatabases(connection_id, new Set(databases));
    this.#schedule();
  }

  /** Writes what waits now. Resolves when that is done or has failed (and will be tried again). */
  async flush(): Promise<void> {
    await this.#flushing;
    this.#release(true);
    await this.#flushOnce();
  }

  #release(all = false): void {
    for (const run of this.#throttle.release(this.#options.clock.monotonic(), all)) this.#runs.put(run);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const deadline = Promise.withResolvers<void>();
    const timer = setTimeout(deadline.resolve, LAST_FLUSH_MS);
    // First what a disk can keep: the datastore may answer nothing.
    const spooled = Promise.all([this.#history.stop(), this.#versions?.spooled()]);
    await Promise.race([spooled.then(() => this.flush()), deadline.promise]);
    clearTimeout(timer);
    if (this.#history.unspooled > 0) {
      // The disk gave it up for something newer while memory had it; now it is one of the oldest like any other.
      this.#history.setAside();
      await this.#history.spool();
    }
    const runs = this.#runs.size + this.#history.unspooled;
    if (runs > 0) this.#options.log.warn({ event: 'store.left_behind', runs });
  }

  get #dropped(): number {
    return this.#runs.dropped + this.#history.queue.dropped;
  }

  get #waiting(): boolean {
    const own = this.#runs.size + this.#throttle.size + this.#reports.size + this.#rosters.size;
    return own > 0 || this.#history.isWaiting;
  }

  #schedule(): void {
    if (this.#stopped) return;
    const full = this.#failures === 0 && this.#runs.size >= RUNS_AT_ONCE.maxRuns && !this.#flushing;
    if (this.#timer !== undefined && !full) return;
    clearTimeout(this.#timer);
    const delay = full ? 0 : this.#pace.delay(this.#options.clock.monotonic(), this.#failures);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flushOnce().finally(() => this.#waiting && this.#schedule());
    }, delay);
  }

  #flushOnce(): Promise<void> {
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #write(): Promise<void> {
    const { log, clock } = this.#options;
    if (this.#runs.size + this.#throttle.size > 0) this.#pace.writes(clock.monotonic());
    try {
      await this.#history.spool();
      await this.#writeReports();
      this.#release();
      await this.#writeNewest(1);
      // Samples may take long, and memory would not hold all that is read meanwhile.
      await this.#history.flush(() => this.#writeNewest(RUNS_AT_ONCE.maxRuns));
      if (this.#failures > 0) {
        const away_ms = Math.round(clock.monotonic() - this.#awaySince);
        log.info({ event: 'store.back', failures: this.#failures, away_ms });
      }
      this.#failures = 0;
    } catch (error) {
      this.#history.setAside();
      if (this.#failures === 0) this.#awaySince = clock.monotonic();
      this.#failures += 1;
      const { waiting_runs: runs, waiting_bytes: bytes } = this.stats;
      // At the end it is said what is left behind.
      if (this.#failures === 1 && !this.#stopped)
        log.warn({ event: 'store.waiting', runs, bytes, err: error });
    }
    const dropped = this.#dropped;
    if (dropped > this.#droppedSaid) log.error({ event: 'store.dropped', runs: dropped - this.#droppedSaid });
    this.#droppedSaid = dropped;
  }

  async #writeReports(): Promise<void> {
    if (this.#reports.size === 0) return;
    const taken = this.#reports;
    this.#reports = new Map();
    try {
      this.#statements += 1;
      await this.#options.db.run(flushReports([...taken.values()]));
    } catch (error) {
      this.#reports = new Map([...taken, ...this.#reports]);
      throw error;
    }
  }

  /** Facts and runs in turns, until fewer runs wait: what memory cannot hold of one while the other is written would be given up. */
  async #writeNewest(least: number): Promise<void> {
    await this.#writeFacts();
    while (this.#runs.size >= least) {
      await this.#writeRuns(this.#runs.take(RUNS_AT_ONCE));
      await this.#writeFacts();
    }
  }

  /** A roster ends the facts of databases that are gone, so those that came before it are written first. */
  async #writeFacts(): Promise<void> {
    const taken = this.#rosters;
    this.#rosters = new Map();
    try {
      await this.#versions?.flush();
      if (taken.size === 0) return;
      this.#statements += 1;
      await this.#options.db.run(flushRosters([...taken.values()]));
    } catch (error) {
      this.#rosters = new Map([...taken, ...this.#rosters]);
      throw error;
    }
  }

  /** One statement; when the datastore refuses the data itself, halves, until the culprit stands alone. */
  async #writeRuns(runs: readonly QueuedSnapshot[]): Promise<void> {
    try {
      this.#statements += 1;
      const { db, onFenced } = this.#options;
      const inForce = await db.rows<{ connection_id: number; epoch: number }>(flushRuns(runs));
      const known = new Set(inForce.map(({ connection_id, epoch }) => `${connection_id}/${epoch}`));
      const fenced = runs.filter((run) => !known.has(`${run.connection_id}/${run.epoch}`));
      for (const run of new Map(fenced.map((one) => [one.connection_id, one])).values()) {
        this.#runs.forget({ connection_id: run.connection_id, epoch: run.epoch });
        onFenced?.({ connection_id: run.connection_id, epoch: run.epoch });
      }
    } catch (error) {
      if (!isRefusal(error)) {
        this.#runs.restore(runs);
        throw error;
      }
      await this.#split(runs, error);
    }
  }

  async #split(runs: readonly QueuedSnapshot[], error: unknown): Promise<void> {
    const [only] = runs;
    if (runs.length === 1 && only) {
      const { connection_id, probe } = only;
      this.#options.log.error({ event: 'store.refused', connection_id, probe, err: error });
      if (!only.content) return;
      return this.#writeRuns([refused(only)]);
    }
    const middle = Math.ceil(runs.length / 2);
    const halves = [runs.slice(0, middle), runs.slice(middle)];
    for (const [index, half] of halves.entries()) {
      try {
        await this.#writeRuns(half);
      } catch (failure) {
        this.#runs.restore(halves.slice(index + 1).flat());
        throw failure;
      }
    }
  }
}
