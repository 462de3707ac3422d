// The writer's half for probes that keep samples or objects. Runs wait in a queue, go to the local spool in batches, and
// from there to the datastore, one COPY a table for all servers (decision 008). Guards: what was collected lies on the
// disk within a second, whatever the datastore does; while it is away memory holds only what no disk took; what is left
// from an outage or a crash is replayed behind live data; what had to be given up is a known gap.
import { randomUUID } from 'node:crypto';
import { type Clock, sleep } from '../../../kernel/clock.ts';
import type { Database } from '../../../kernel/db.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Probe } from '../../../probes/types.ts';
import type { Engine } from '../../layout/engine/types.ts';
import type { TableLayout } from '../../layout/table-layout.ts';
import type { ProbeRun } from '../../layout/types.ts';
import { noteGaps } from '../../spool/gaps.queries.ts';
import { type Gap, GapLog } from '../../spool/gaps.ts';
import { replay } from '../../spool/replay.ts';
import type { Spool, Spooled, SpooledBatch } from '../../spool/types.ts';
import type { Lease } from '../fence.queries.ts';
import type { Group } from './batch.ts';
import { BatchStore, pendingWrite } from './batch-store.ts';
import { aboutOf, bytesOf, type Joint, joined, type Open, runsOf } from './open-batches.ts';
import { recall } from './recall.ts';
import { type Entry, SampleQueue } from './sample-queue.ts';
import type { Batch } from './sample-writer.queries.ts';
import { decodeEntries, encodeEntries } from './spool-codec.ts';

export interface SampleWriterOptions {
  db: Database;
  log: Log;
  clock: Clock;
  probes: readonly Probe[];
  /** Told when a lease turned out to belong to somebody else. */
  onFenced: (lease: Lease) => void;
  /** Told when a replay has ended: something may have come that it did not read. */
  onReplayed?: () => void;
  maxBytes?: number;
  engine?: Engine;
  /** Without one, what waits is in memory alone. */
  spool?: Spool | undefined;
}

const MAX_BYTES = 64 * 1024 * 1024;
/** Small enough that turning it into text holds up nobody. */
const BATCH = { maxRuns: 5000, maxBytes: 4 * 1024 * 1024 };
/** Batches of a slow datastore that stay in memory although they are spooled. */
const MOST_OPEN_BYTES = 16 * 1024 * 1024;
const SPOOL_MS = 250;
const SPOOL_AWAY_MS = 500;

export class SampleWriter {
  readonly queue: SampleQueue;
  readonly #options: SampleWriterOptions;
  readonly #store: BatchStore;
  /** Who writes what no disk took. */
  readonly #memory = { collector: randomUUID(), epoch: 1 };
  readonly #stopping = new AbortController();
  readonly #gaps = new GapLog();
  #seq = 0;
  #gapSeq = 0;
  /** Batches whose fate is open, oldest first. */
  #open: Open[] = [];
  /** Those of them that are being written together, until their fate is known. */
  #joint: Joint | undefined;
  /** Entries on the way to the disk. */
  #moving = 0;
  #away = false;
  #droppedSeen = 0;
  /** The spool holds what memory does not. */
  #behind: boolean;
  #spooling: Promise<void> | undefined;
  #replaying: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SampleWriterOptions) {
    this.#options = options;
    const { db, log, probes, engine, maxBytes = MAX_BYTES, spool } = options;
    this.queue = new SampleQueue(maxBytes, (entries) => this.#lost(entries));
    const onRefused = (entries: readonly Entry[]) => this.queue.restart(entries);
    this.#store = new BatchStore({ db, log, probes, engine, onRefused });
    this.#behind = spool !== undefined;
    spool?.beforeGivingUp((seq) => this.#takeBack(seq));
  }

  get statements(): number {
    return this.#store.statements;
  }

  get size(): number {
    return this.queue.size + this.#moving + runsOf(this.#open);
  }

  get bytes(): number {
    return this.queue.bytes + bytesOf(this.#open);
  }

  /** Runs that end with the process. */
  get unspooled(): number {
    return this.queue.size + this.#moving + runsOf(this.#open.filter(({ seq }) => seq === 0));
  }

  /** The spool holds what neither memory nor the datastore has. */
  get isBehind(): boolean {
    return this.#isDue || this.#replaying !== undefined;
  }

  /** There is something to replay: records, or gaps, which come also while a replay runs or the datastore is there. */
  get #isDue(): boolean {
    return this.#behind || (this.#options.spool?.stats.gaps ?? 0) > 0;
  }

  /** Whether a flush would find something to do. */
  get isWaiting(): boolean {
    const hasOwn = this.size > 0 || this.#gaps.size > 0 || this.queue.first > 0;
    return hasOwn || (this.#isDue && this.#replaying === undefined);
  }

  layout(probe: string): TableLayout | undefined {
    return this.#store.layouts.get(probe);
  }

  add(run: ProbeRun): void {
    const layout = this.layout(run.probe);
    if (!layout) return;
    this.queue.add(layout, run);
    if (!this.#options.spool || this.#stopping.signal.aborted) return;
    this.#timer ??= setTimeout(() => void this.spool(), this.#away ? SPOOL_AWAY_MS : SPOOL_MS);
  }

  /** Puts what waits on the disk, as far as there is one. */
  spool(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#spooling ??= this.#drain().finally(() => {
      this.#spooling = undefined;
    });
    return this.#spooling;
  }

  async #drain(): Promise<void> {
    const unspooled = () => this.#open.filter(({ seq }) => seq === 0);
    for (const one of this.#away ? unspooled() : []) await this.#spoolAgain(one);
    // What no disk takes waits in the queue, which is bounded.
    while (this.queue.size > 0 && bytesOf(unspooled()) < BATCH.maxBytes) {
      const entries = this.queue.take(BATCH);
      this.#moving += entries.length;
      const seq = await this.#append(entries);
      this.#moving -= entries.length;
      const bytes = entries.reduce((total, entry) => total + entry.bytes, 0);
      const isSpare = seq > 0 && (this.#away || bytesOf(this.#open) + bytes > MOST_OPEN_BYTES);
      if (isSpare) this.#leave(entries);
      else this.#open.push({ batch: this.#number(seq), entries, bytes, seq });
    }
  }

  /** They lie on the disk alone from now on. */
  #leave(entries: readonly Entry[]): void {
    this.#behind = true;
    this.queue.setAside(entries);
  }

  /** The disk takes something again. What was tried from memory may be there, which a replay is prepared for. */
  async #spoolAgain(one: Open): Promise<void> {
    if ((await this.#append(one.entries)) === 0) return;
    this.#open = this.#open.filter((other) => other !== one);
    this.#leave(one.entries);
  }

  async #append(entries: readonly Entry[]): Promise<number> {
    const { spool, log } = this.#options;
    if (!spool) return 0;
    try {
      const seq = await spool.append(encodeEntries(entries), aboutOf(entries));
      const { dropped } = spool.stats;
      // Increases that follow a loss lead nowhere: the next readings are keyframes.
      if (dropped > this.#droppedSeen) this.queue.restartAll();
      this.#droppedSeen = dropped;
      return seq;
    } catch (error) {
      log.error({ event: 'spool.refused', runs: entries.length, err: error });
      return 0;
    }
  }

  /** The disk gives up a record whose batch is still in memory, so nothing of it is lost. */
  #takeBack(seq: number): boolean {
    const open = this.#open.find((one) => one.seq === seq);
    if (open) open.seq = 0;
    return open !== undefined;
  }

  #number(seq: number): Batch {
    const { spool } = this.#options;
    if (seq > 0 && spool) return { collector: spool.collector, epoch: spool.epoch, seq };
    this.#seq += 1;
    return { ...this.#memory, seq: this.#seq };
  }

  /** The datastore is away: what lies on the disk leaves memory. */
  setAside(): void {
    this.#away = true;
    this.#joint = undefined;
    const [kept, left] = [this.#open.filter(({ seq }) => seq === 0), this.#open.filter(({ seq }) => seq > 0)];
    for (const { entries } of left) this.#leave(entries);
    this.#open = kept;
  }

  /**
   * Writes what waits; `between` is called after each batch. Rejects while the datastore is away; what was begun is tried
   * again at the next call.
   */
  async flush(between: () => Promise<void>): Promise<void> {
    if (!this.isWaiting) return;
    await this.spool();
    await this.#store.ready();
    do {
      while (this.#open.length > 0) {
        await this.#writeNext();
        await between();
      }
      // What is replayed later comes before first readings.
      if (!this.isBehind) await recall(this.#options.db, this.queue);
      await this.spool();
    } while (this.#open.length > 0);
    await this.#writeGaps();
    this.#away = false;
    this.#catchUp();
  }

  /** The oldest ones in one transaction. Each keeps its own number, so whatever becomes of it none is written twice. */
  async #writeNext(): Promise<void> {
    const joint = this.#joint ?? joined(this.#open, BATCH);
    this.#joint = joint;
    const passed = await this.#store.write(joint.pending);
    this.#joint = undefined;
    this.#open = this.#open.filter((one) => !joint.batches.includes(one));
    for (const { seq } of joint.batches) if (seq > 0) this.#options.spool?.acknowledge(seq);
    for (const { connection_id, epoch } of passed) this.#options.onFenced({ connection_id, epoch });
  }

  #lost(entries: readonly Entry[]): void {
    this.#gapSeq += 1;
    this.#gaps.add('memory', { seq: this.#gapSeq, ...aboutOf(entries) });
  }

  async #writeGaps(): Promise<void> {
    if (this.#gaps.size === 0) return;
    await this.#note(this.#gaps.list());
    this.#gaps.clear();
  }

  async #note(gaps: readonly Gap[]): Promise<void> {
    if (gaps.length > 0) await this.#options.db.run(noteGaps(gaps));
  }

  #catchUp(): void {
    const { spool, clock, log } = this.#options;
    const { signal } = this.#stopping;
    if (!spool || !this.#isDue || this.#replaying || signal.aborted) return;
    this.#behind = false;
    const liveIsStored = async () => {
      while (this.#open.length > 0 && !signal.aborted) await sleep(20, signal);
    };
    const store = (records: readonly Spooled[]) => this.#restore(records);
    this.#replaying = replay({ spool, clock, log, signal, liveIsStored, store })
      .then(() => undefined)
      .catch((error: unknown) => {
        this.#behind = true;
        log.error({ event: 'spool.replay_failed', err: error });
      })
      .finally(() => {
        this.#replaying = undefined;
        this.#options.onReplayed?.();
      });
  }

  async #restore(records: readonly Spooled[]): Promise<void> {
    const groups: Group[] = [];
    for (const record of records) {
      if (record.kind === 'gaps') await this.#note(record.gaps);
      else {
        const { collector, epoch, seq } = record;
        const entries = decodeEntries(record.payload, this.#store.layouts);
        if (entries) groups.push({ batch: { collector, epoch, seq }, entries });
        else await this.#unreadable(record);
      }
    }
    await this.#store.write(pendingWrite(groups, true));
    for (const { entries } of groups) this.queue.learn(entries);
  }

  async #unreadable({ seq, connections, from, to }: SpooledBatch): Promise<void> {
    this.#options.log.error({ event: 'spool.unreadable', seq, from, to });
    await this.#note(connections.map((connection_id) => ({ connection_id, from, to, reason: 'damaged' })));
  }

  /** What waits goes to the disk; whoever opens the spool next goes on with it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.spool();
  }
}
