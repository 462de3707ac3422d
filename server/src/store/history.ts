// The writer's half for probes that keep samples or objects: queues their runs and writes them in batches, one COPY a
// table for all servers. Guards: a batch stays the same, under the same number, until the datastore has it or has
// refused it; what one probe cannot store never holds up the others.
import { randomUUID } from 'node:crypto';
import { type Database, errorCode } from '../kernel/db.ts';
import { Fault } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Probe } from '../probes/types.ts';
import { writeBatch } from './batch.ts';
import { Days } from './days.ts';
import { plain } from './engine/plain.ts';
import type { Engine } from './engine/types.ts';
import { type Entry, HistoryQueue } from './history-queue.ts';
import { type Shape, ShapeProblem, shapeOf } from './shapes.ts';
import { ensureTables } from './tables.ts';
import type { ProbeRun } from './types.ts';

export interface HistoryOptions {
  db: Database;
  log: Log;
  probes: readonly Probe[];
  /** Told when a lease turned out to belong to somebody else. */
  onFenced: (lease: { connection_id: number; epoch: number }) => void;
  maxBytes?: number;
  engine?: Engine;
  /** Who writes, for the ledger of batches. */
  collector?: string;
}

const MAX_BYTES = 64 * 1024 * 1024;
const BATCH = { maxRuns: 5000, maxBytes: 8 * 1024 * 1024 };
const DUPLICATE = '23505';
const NO_PARTITION = '23514';
/** undefined_table, undefined_column: somebody dropped what was there. */
const UNDEFINED = new Set(['42P01', '42703']);
/** Data the datastore refuses: trying the same again would never help. */
const REFUSED = /^(21|22|23|54)/;

interface Attempt {
  seq: number;
  entries: readonly Entry[];
  careful: boolean;
  /** Tables or partitions were made for it already. */
  mended: boolean;
}

export class History {
  readonly queue: HistoryQueue;
  readonly #options: HistoryOptions;
  readonly #collector: string;
  readonly #engine: Engine;
  readonly #days: Days;
  #shapes: ReadonlyMap<string, Shape>;
  #ready = false;
  #seq = 0;
  /** Batches that were begun and whose fate is open, oldest first. */
  #open: Attempt[] = [];
  statements = 0;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#collector = options.collector ?? randomUUID();
    this.#engine = options.engine ?? plain;
    this.#days = new Days(options.db, this.#engine);
    this.#shapes = declared(options.probes);
    this.queue = new HistoryQueue(options.maxBytes ?? MAX_BYTES);
  }

  get size(): number {
    return this.queue.size + this.#open.reduce((sum, { entries }) => sum + entries.length, 0);
  }

  shape(probe: string): Shape | undefined {
    return this.#shapes.get(probe);
  }

  add(run: ProbeRun): void {
    const shape = this.#shapes.get(run.probe);
    if (shape) this.queue.add(shape, run);
  }

  forget(lease: { connection_id: number; epoch: number }): void {
    this.queue.forget(lease);
  }

  /** Writes what waits. Rejects while the datastore is away; what was begun is tried again at the next call. */
  async flush(): Promise<void> {
    if (this.size === 0) return;
    if (!this.#ready) await this.#ensure();
    while (this.#open.length > 0 || this.queue.size > 0) {
      const attempt = this.#open[0] ?? this.#begin(this.queue.take(BATCH));
      await this.#write(attempt);
    }
  }

  #begin(entries: readonly Entry[], careful = false): Attempt {
    this.#seq += 1;
    const attempt = { seq: this.#seq, entries, careful, mended: false };
    this.#open.unshift(attempt);
    return attempt;
  }

  #done(attempt: Attempt): void {
    this.#open = this.#open.filter((one) => one !== attempt);
  }

  /** Tables for all declared probes. One that cannot be stored is said once, and its runs are not kept. */
  async #ensure(): Promise<void> {
    const { db, probes, log } = this.#options;
    const { shapes, problems } = await ensureTables(db, probes, this.#engine);
    for (const [probe, reason] of problems) log.error({ event: 'store.shape_refused', probe, reason });
    this.#shapes = shapes;
    this.#ready = true;
  }

  async #write(attempt: Attempt): Promise<void> {
    const { db, log, onFenced } = this.#options;
    try {
      const kept = attempt.entries.filter(({ shape }) => this.#shapes.has(shape.probe));
      const entries = await this.#days.ensure(kept);
      if (entries.length < kept.length)
        log.error({ event: 'store.out_of_range', runs: kept.length - entries.length });
      if (entries.length > 0) {
        const batch = { collector: this.#collector, epoch: 1, seq: attempt.seq };
        const written = await db.withClient((client) =>
          writeBatch(client, { batch, entries, careful: attempt.careful }),
        );
        this.statements += written.statements;
        const fenced = new Map(written.fenced.map((one) => [one.connection_id, one.epoch]));
        for (const [connection_id, epoch] of fenced) {
          this.queue.forget({ connection_id, epoch });
          onFenced({ connection_id, epoch });
        }
      }
      this.#done(attempt);
    } catch (error) {
      await this.#mend(attempt, error);
    }
  }

  /** Decides what an error means for the batch; rejects when it is one of the datastore as a whole. */
  async #mend(attempt: Attempt, error: unknown): Promise<void> {
    const code = errorCode(error) ?? '';
    if (error instanceof Fault) throw error;
    if (code === DUPLICATE && !attempt.careful) {
      this.#done(attempt);
      this.#begin(attempt.entries, true);
    } else if ((UNDEFINED.has(code) || code === NO_PARTITION) && !attempt.mended) {
      this.#days.forget();
      if (code !== NO_PARTITION) await this.#ensure();
      attempt.mended = true;
    } else if (REFUSED.test(code) || error instanceof ShapeProblem) this.#split(attempt, error);
    else throw error;
  }

  /** Halves, until the culprit stands alone and is given up. */
  #split(attempt: Attempt, error: unknown): void {
    this.#done(attempt);
    const { entries, careful } = attempt;
    const [only] = entries;
    if (entries.length === 1 && only) {
      const { connection_id, shape } = only;
      this.#options.log.error({ event: 'store.refused', connection_id, probe: shape.probe, err: error });
      this.queue.restart(entries);
      return;
    }
    const middle = Math.ceil(entries.length / 2);
    this.#begin(entries.slice(middle), careful);
    this.#begin(entries.slice(0, middle), careful);
  }
}

/** What can be stored of the declarations, before the datastore has seen them. */
function declared(probes: readonly Probe[]): ReadonlyMap<string, Shape> {
  const shapes = new Map<string, Shape>();
  for (const probe of probes) {
    try {
      const shape = shapeOf(probe);
      if (shape) shapes.set(probe.name, shape);
    } catch (error) {
      if (!(error instanceof ShapeProblem)) throw error;
    }
  }
  return shapes;
}
