// The collector: holds leases on its share of the connections and runs one task for each. Guards: a connection is
// read by whoever holds its lease and nobody else; changes of connections take effect within a second; a datastore
// that is away stops nothing but the handing over of leases.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { within } from '../kernel/clock.ts';
import type { FigureSource } from '../kernel/figures.ts';
import { type Hints, listenForHints } from '../kernel/hints.ts';
import type { Part } from '../kernel/lifecycle.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import type { SpoolHome } from '../store/spool/home.ts';
import { purgeDeleted } from '../store/upkeep/purge.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { collectorFigures } from './collector-figures.ts';
import { DatastoreClock, TELL_MS } from './datastore-clock.ts';
import { flushCosts } from './flush-costs.ts';
import * as queries from './leases.queries.ts';
import { tidyLogs } from './logs/line-merges.ts';
import { type Presence, showThatWeLive } from './presence.ts';
import { SettingsReader } from './probe-settings.ts';
import { ServerTask } from './server-task.ts';
import { type CollectorOptions, sharedOf } from './shared.ts';
import type { LoadedTarget, Shared } from './types.ts';

export interface Collector extends Part {
  /** Connections this collector holds now, ascending. */
  readonly holding: readonly number[];
  /** Distinguishes this collector from all others. */
  readonly owner: string;
  readonly writer: MetricsWriter;
  readonly figures: FigureSource;
}

const POLL_MS = 1000;
/** The same for one that is alone, while changes are told as they come. */
const HINTED_POLL_MS = 3000;
const BEAT_MS = 3000;
/** How often it is said that we live while no session shows it: others wait longer than that for a word. */
const UNSEEN_MS = 300;
const PURGE_MS = 300_000;
const WRITE_DOWN_MS = 60_000;
const CLAIM_AT_ONCE = 200;
/** A connection, or what its probes are set to, was changed. */
const CHANNELS = ['matriarch_connections', 'matriarch_collectors'];

function spoolState(spool: SpoolHome | string | undefined): queries.SpoolState {
  if (typeof spool !== 'object') return { bytes: null, problem: spool ?? null };
  return { bytes: spool.batches.stats.bytes + spool.facts.stats.bytes, problem: null };
}

class Leases implements Collector {
  readonly name = 'collector';
  readonly owner = `${hostname()}/${process.pid}/${randomUUID()}`;
  readonly writer: MetricsWriter;
  readonly #options: CollectorOptions;
  readonly #clock: DatastoreClock;
  readonly #presence: Presence;
  readonly #shared: Shared;
  readonly #tasks = new Map<number, ServerTask>();
  /** Connections whose secret does not open, with the revision that was tried. */
  readonly #broken = new Map<number, number>();
  readonly #settings: SettingsReader;
  readonly #stopping = new AbortController();
  readonly #hints: Hints;
  readonly #done: Promise<unknown>;
  #wake = new AbortController();
  #beatAt = Number.NEGATIVE_INFINITY;
  #away = false;
  #isAlone = false;

  constructor(options: CollectorOptions) {
    const { db, log, url, probes = catalog } = options;
    const clock = new DatastoreClock(options.clock);
    this.#options = options;
    this.#clock = clock;
    this.#settings = new SettingsReader(db);
    const spool: { spool?: SpoolHome } = typeof options.spool === 'object' ? { spool: options.spool } : {};
    this.writer = new MetricsWriter({ db, clock, log, probes, onFenced: () => this.#poke(), ...spool });
    this.#shared = sharedOf(options, { clock, writer: this.writer });
    const onChange = () => this.#poke();
    const before = spool.spool?.succeed(this.owner);
    this.#presence = showThatWeLive({ url, owner: this.owner, before, clock, log, onChange });
    this.#hints = listenForHints({ url, channels: CHANNELS, onHint: onChange });
    this.#done = Promise.all([this.#poll(), this.#purge(), this.#flushCosts()]);
  }

  get holding(): readonly number[] {
    return [...this.#tasks.keys()].sort((a, b) => a - b);
  }

  readonly figures = () =>
    collectorFigures({
      servers: this.#tasks.size,
      offsetMs: this.#clock.offsetMs,
      spool: this.#options.spool,
    });

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#poke();
    const tasks = [...this.#tasks.values()];
    // A stop never hangs on a datastore or a server that does.
    await within(1200, [this.#done, this.#hints.stop(), ...tasks.map((task) => task.stop())]);
    this.#tasks.clear();
    await this.#shared.parser.stop();
    await this.writer.stop();
    await within(500, [this.#writeNow(tasks)]);
    await within(1000, [this.#leave()]);
  }

  /** Nobody may take us for dead before everything is written. */
  async #leave(): Promise<void> {
    try {
      await this.#options.db.run(queries.leave(this.owner));
    } finally {
      await this.#presence.stop();
    }
  }

  /** There is a datastore, and nobody can see there that we live. */
  get #isUnseen(): boolean {
    return !this.#away && !this.#presence.isShown;
  }

  get #pollMs(): number {
    if (this.#isUnseen) return UNSEEN_MS;
    return this.#isAlone && this.#hints.isListening && !this.#away ? HINTED_POLL_MS : POLL_MS;
  }

  #poke(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const woken = this.#wake.signal;
      try {
        await this.#look();
        if (this.#away) this.#options.log.info({ event: 'collector.datastore_back' });
        this.#away = false;
      } catch (error) {
        if (!this.#away) this.#options.log.warn({ event: 'collector.datastore_away', err: error });
        this.#away = true;
      }
      if (!signal.aborted) await this.#clock.sleep(this.#pollMs, woken);
    }
  }

  async #purge(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#clock.sleep(PURGE_MS, signal);
      if (signal.aborted) return;
      const { db, log } = this.#options;
      try {
        const rows = (await purgeDeleted({ db, signal })) + (await tidyLogs(db, signal));
        if (rows > 0) log.info({ event: 'store.purged', rows });
      } catch (error) {
        log.warn({ event: 'store.purge_failed', err: error });
      }
    }
  }

  async #flushCosts(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#clock.sleep(this.#options.writeDownMs ?? WRITE_DOWN_MS, signal);
      if (!signal.aborted) await this.#writeNow([...this.#tasks.values()]);
    }
  }

  async #writeNow(servers: readonly ServerTask[]): Promise<void> {
    const { db, log } = this.#options;
    try {
      await flushCosts({ db, clock: this.#clock, ledger: this.#shared.ledger, servers });
    } catch (error) {
      log.warn({ event: 'collector.costs_waiting', err: error });
    }
  }

  async #look(): Promise<void> {
    const seen = await this.#see();
    await this.#dropLost(seen);
    const share = Math.ceil(seen.monitored / Math.max(1, seen.collectors));
    await this.#giveBack(seen, share);
    for (const id of await this.#settings.look(seen)) this.#tasks.get(id)?.adjust(this.#settings.of(id));
    await this.#follow(seen);
    for (const [id, , , retest, , , tail] of seen.mine) this.#tasks.get(id)?.asked(retest, tail);
    await this.#take(seen, share);
  }

  async #see(): Promise<queries.View> {
    const { db, log, spool } = this.#options;
    const asked = this.#clock.monotonic();
    const isBeat = asked - this.#beatAt >= (this.#isUnseen ? UNSEEN_MS : BEAT_MS);
    const seen = await db.one<queries.View>(
      isBeat ? queries.beat(this.owner, spoolState(spool)) : queries.view(this.owner),
    );
    if (isBeat) this.#beatAt = asked;
    this.#isAlone = seen.collectors === 1;
    if (!this.#isAlone) this.#presence.lookAround();
    const isNews = this.#clock.learn(seen.now, asked) && Math.abs(this.#clock.offsetMs) >= TELL_MS;
    if (isNews) log.warn({ event: 'collector.clock_differs', datastore_ahead_ms: this.#clock.offsetMs });
    return seen;
  }

  /** Tasks whose lease is no longer ours end; what they still bring in is fenced off. */
  async #dropLost(seen: queries.View): Promise<void> {
    const epochs = new Map(seen.mine.map(([id, epoch]) => [id, epoch]));
    for (const id of this.#broken.keys()) if (!epochs.has(id)) this.#broken.delete(id);
    const lost = [...this.#tasks.values()].filter((task) => epochs.get(task.connection_id) !== task.epoch);
    await this.#end(lost);
  }

  async #end(tasks: readonly ServerTask[]): Promise<void> {
    for (const { connection_id } of tasks) this.#tasks.delete(connection_id);
    await Promise.all(tasks.map((task) => task.stop()));
    for (const { connection_id } of tasks) this.writer.leave(connection_id);
  }

  /** Connections that are not to be read any more, and what exceeds the fair share. */
  async #giveBack(seen: queries.View, share: number): Promise<void> {
    const over = seen.mine.filter(([, , revision]) => revision === null).map(([id]) => id);
    const wanted = seen.mine.filter(([, , revision]) => revision !== null).map(([id]) => id);
    const back = [...over, ...wanted.sort((a, b) => a - b).slice(share)];
    if (back.length === 0) return;
    await this.#end(back.flatMap((id) => this.#tasks.get(id) ?? []));
    await this.writer.flush();
    await this.#options.db.run(queries.release(this.owner, back));
    seen.mine = seen.mine.filter(([id]) => !back.includes(id));
  }

  /** Edited connections, and leases without a task. */
  async #follow(seen: queries.View): Promise<void> {
    const known = (id: number) => this.#tasks.get(id)?.revision ?? this.#broken.get(id);
    const changed = seen.mine.filter(([id, , revision]) => known(id) !== revision);
    // What did not open until now was never read.
    const leases = changed.map(([connection_id, epoch]) => ({
      ...{ connection_id, epoch },
      is_new: this.#broken.has(connection_id),
    }));
    await this.#start(leases);
  }

  async #take(seen: queries.View, share: number): Promise<void> {
    const most = Math.min(seen.free, share - seen.mine.length, CLAIM_AT_ONCE);
    if (most <= 0 || this.#stopping.signal.aborted) return;
    const { ended } = await this.#options.db.one<{ ended: number }>(queries.endFrozen());
    if (ended > 0) this.#options.log.warn({ event: 'collector.frozen_ended', sessions: ended });
    const taken = await this.#options.db.rows<queries.Claimed>(queries.claim(this.owner, most));
    await this.#start(taken);
    if (taken.length === most && seen.free > most) this.#poke();
  }

  async #start(leases: readonly queries.Claimed[]): Promise<void> {
    if (leases.length === 0) return;
    const ids = leases.map(({ connection_id }) => connection_id);
    const [targets] = await Promise.all([this.#options.targets.load(ids), this.#settings.take(ids)]);
    if (this.#stopping.signal.aborted) return;
    const byId = new Map(targets.map((target) => [target.connection_id, target]));
    for (const lease of leases) {
      const target = byId.get(lease.connection_id);
      if (target) await this.#run(target, lease);
    }
  }

  async #run(target: LoadedTarget, { epoch, is_new: isNew }: queries.Claimed): Promise<void> {
    const { connection_id, revision, settings, problem } = target;
    const task = this.#tasks.get(connection_id);
    if (settings) {
      this.#broken.delete(connection_id);
      if (task) task.reconfigure({ ...target, settings });
      else {
        const set = this.#settings.of(connection_id);
        const lease = { target: { ...target, settings }, epoch, settings: set, isNew };
        this.#tasks.set(connection_id, new ServerTask(this.#shared, lease));
      }
      return;
    }
    if (task) await this.#end([task]);
    this.#broken.set(connection_id, revision);
    const at = this.#clock.now();
    const error = problem ?? 'The connection cannot be opened.';
    this.writer.report({ connection_id, epoch, at, error, consecutive_failures: 1 });
  }
}

/** Starts collecting at once and in the background. */
export function startCollector(options: CollectorOptions): Collector {
  return new Leases(options);
}
