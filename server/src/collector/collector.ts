// The collector: holds leases on its share of the connections and runs one task for each. Guards: a connection is
// read by whoever holds its lease and nobody else; changes of connections take effect within a second; a datastore
// that is away stops nothing but the handing over of leases.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { collectHost, HOST_INTERVAL_SECONDS, HOST_PROBE } from '../hosts/collect.ts';
import { type Clock, sleep } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { listenForHints } from '../kernel/hints.ts';
import type { Part } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import type { Secret } from '../kernel/secret.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import type { Probe } from '../probes/types.ts';
import { purgeDeleted } from '../store/purge.ts';
import type { SpoolHome } from '../store/spool/home.ts';
import { StatementLedger } from '../store/statement-ledger.ts';
import { MetricsWriter } from '../store/writer.ts';
import { ConnectGate, Places, ServerSessions } from './gates.ts';
import { SettingsReader } from './in-force.ts';
import { beat, claim, leave, release, type SpoolState, type View, view } from './leases.queries.ts';
import { ServerTask } from './server-task.ts';
import { StatementTexts } from './statement-texts.ts';
import type { CollectorConfig, HostCollector, LoadedTarget, Shared, TargetSource } from './types.ts';
import { writeDown } from './write-down.ts';

export interface CollectorOptions {
  db: Database;
  clock: Clock;
  log: Log;
  config: CollectorConfig;
  /** The datastore, for hints. */
  url: Secret;
  targets: TargetSource;
  /** Instead of the sources of this house; null for none. */
  hosts?: HostCollector | null;
  /** Where what was collected lies until the datastore has it, or the sentence that says why there is none. */
  spool?: SpoolHome | string;
  /** Instead of the catalog. */
  probes?: readonly Probe[];
  /** How often costs and statements are written down; a minute when absent. */
  writeDownMs?: number;
  /** Over which the load on a server is judged; five minutes when absent. */
  budgetWindowMs?: number;
}

export interface Collector extends Part {
  /** Connections this collector holds now, ascending. */
  readonly holding: readonly number[];
  /** Distinguishes this collector from all others. */
  readonly owner: string;
  readonly writer: MetricsWriter;
}

const POLL_MS = 1000;
const BEAT_MS = 2500;
const PURGE_MS = 60_000;
const WRITE_DOWN_MS = 60_000;
const CLAIM_AT_ONCE = 200;
/** A sweep that takes longer gives its place on, so that slow servers hold up others for at most so long. */
const PLACE_MS = 1000;

const HOSTS: HostCollector = {
  probe: HOST_PROBE,
  interval_seconds: HOST_INTERVAL_SECONDS,
  collect: collectHost,
};

interface Lease {
  connection_id: number;
  epoch: number;
}

/** Waits for all of them, but not longer: a stop never hangs on a datastore or a server that does. */
async function within(ms: number, work: readonly Promise<unknown>[]): Promise<void> {
  const done = new AbortController();
  const all = Promise.allSettled(work).then(() => done.abort());
  await Promise.race([all, sleep(ms, done.signal)]);
}

function spoolState(spool: SpoolHome | string | undefined): SpoolState {
  if (typeof spool !== 'object') return { bytes: null, problem: spool ?? null };
  return { bytes: spool.batches.stats.bytes + spool.facts.stats.bytes, problem: null };
}

class Leases implements Collector {
  readonly name = 'collector';
  readonly owner = `${hostname()}/${process.pid}/${randomUUID()}`;
  readonly writer: MetricsWriter;
  readonly #options: CollectorOptions;
  readonly #shared: Shared;
  readonly #tasks = new Map<number, ServerTask>();
  /** Connections whose secret does not open, with the revision that was tried. */
  readonly #broken = new Map<number, number>();
  readonly #settings: SettingsReader;
  readonly #stopping = new AbortController();
  readonly #hints: Part;
  readonly #done: Promise<unknown>;
  #wake = new AbortController();
  #beatAt = Number.NEGATIVE_INFINITY;
  #away = false;

  constructor(options: CollectorOptions) {
    const { db, clock, log, config, hosts = HOSTS, probes = catalog } = options;
    this.#options = options;
    this.#settings = new SettingsReader(db);
    const spool = typeof options.spool === 'object' ? { spool: options.spool } : {};
    this.writer = new MetricsWriter({ db, clock, log, probes, onFenced: () => this.#poke(), ...spool });
    this.#shared = {
      probes,
      hosts,
      writer: this.writer,
      texts: new StatementTexts({ db, clock, log }),
      ledger: new StatementLedger(),
      budget: {
        budgetPercent: config.budget_percent,
        ...(options.budgetWindowMs !== undefined && { windowMs: options.budgetWindowMs }),
      },
      clock,
      log,
      connectTimeoutMs: config.connect_timeout_seconds * 1000,
      connects: new ConnectGate({ perSecond: config.connects_per_second, clock }),
      places: new Places(config.concurrency, PLACE_MS),
      sessions: new ServerSessions(),
    };
    this.#hints = listenForHints({
      url: options.url,
      channels: ['matriarch_connections'],
      onHint: () => this.#poke(),
    });
    this.#done = Promise.all([this.#poll(), this.#purge(), this.#writeDown()]);
  }

  get holding(): readonly number[] {
    return [...this.#tasks.keys()].sort((a, b) => a - b);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#poke();
    const tasks = [...this.#tasks.values()];
    await within(1200, [this.#done, this.#hints.stop(), ...tasks.map((task) => task.stop())]);
    this.#tasks.clear();
    await this.writer.stop();
    await within(500, [this.#writeNow(tasks)]);
    await within(700, [this.#options.db.run(leave(this.owner))]);
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
      if (!signal.aborted) await sleep(POLL_MS, woken);
    }
  }

  async #purge(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleep(PURGE_MS, signal);
      if (signal.aborted) return;
      const { db, log } = this.#options;
      try {
        const rows = await purgeDeleted({ db, signal });
        if (rows > 0) log.info({ event: 'store.purged', rows });
      } catch (error) {
        log.warn({ event: 'store.purge_failed', err: error });
      }
    }
  }

  async #writeDown(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleep(this.#options.writeDownMs ?? WRITE_DOWN_MS, signal);
      if (!signal.aborted) await this.#writeNow([...this.#tasks.values()]);
    }
  }

  async #writeNow(servers: readonly ServerTask[]): Promise<void> {
    const { db, clock, log } = this.#options;
    try {
      await writeDown({ db, clock, ledger: this.#shared.ledger, servers });
    } catch (error) {
      log.warn({ event: 'collector.costs_waiting', err: error });
    }
  }

  async #look(): Promise<void> {
    const { db, clock } = this.#options;
    const now = clock.monotonic();
    if (now - this.#beatAt >= BEAT_MS) {
      await db.run(beat(this.owner, spoolState(this.#options.spool)));
      this.#beatAt = now;
    }
    const seen = await db.one<View>(view(this.owner));
    await this.#dropLost(seen);
    const share = Math.ceil(seen.monitored / Math.max(1, seen.collectors));
    await this.#giveBack(seen, share);
    for (const id of await this.#settings.look(seen)) this.#tasks.get(id)?.adjust(this.#settings.of(id));
    await this.#follow(seen);
    for (const [id, , , retest] of seen.mine) if (retest !== null) this.#tasks.get(id)?.retest(retest);
    await this.#take(seen, share);
  }

  /** Tasks whose lease is no longer ours end; what they still bring in is fenced off. */
  async #dropLost(seen: View): Promise<void> {
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
  async #giveBack(seen: View, share: number): Promise<void> {
    const over = seen.mine.filter(([, , revision]) => revision === null).map(([id]) => id);
    const wanted = seen.mine.filter(([, , revision]) => revision !== null).map(([id]) => id);
    const back = [...over, ...wanted.sort((a, b) => a - b).slice(share)];
    if (back.length === 0) return;
    await this.#end(back.flatMap((id) => this.#tasks.get(id) ?? []));
    await this.writer.flush();
    await this.#options.db.run(release(this.owner, back));
    seen.mine = seen.mine.filter(([id]) => !back.includes(id));
  }

  /** Edited connections, and leases without a task. */
  async #follow(seen: View): Promise<void> {
    const known = (id: number) => this.#tasks.get(id)?.revision ?? this.#broken.get(id);
    const changed = seen.mine.filter(([id, , revision]) => known(id) !== revision);
    await this.#start(changed.map(([connection_id, epoch]) => ({ connection_id, epoch })));
  }

  async #take(seen: View, share: number): Promise<void> {
    const most = Math.min(seen.free, share - seen.mine.length, CLAIM_AT_ONCE);
    if (most <= 0 || this.#stopping.signal.aborted) return;
    const taken = await this.#options.db.rows<Lease>(claim(this.owner, most));
    await this.#start(taken);
    if (taken.length === most && seen.free > most) this.#poke();
  }

  async #start(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0) return;
    const ids = leases.map(({ connection_id }) => connection_id);
    const [targets] = await Promise.all([this.#options.targets.load(ids), this.#settings.take(ids)]);
    if (this.#stopping.signal.aborted) return;
    const byId = new Map(targets.map((target) => [target.connection_id, target]));
    for (const lease of leases) {
      const target = byId.get(lease.connection_id);
      if (target) await this.#run(target, lease.epoch);
    }
  }

  async #run(target: LoadedTarget, epoch: number): Promise<void> {
    const { connection_id, revision, settings, problem } = target;
    const task = this.#tasks.get(connection_id);
    if (settings) {
      this.#broken.delete(connection_id);
      if (task) task.reconfigure({ ...target, settings });
      else {
        const lease = { target: { ...target, settings }, epoch, settings: this.#settings.of(connection_id) };
        this.#tasks.set(connection_id, new ServerTask(this.#shared, lease));
      }
      return;
    }
    if (task) await this.#end([task]);
    this.#broken.set(connection_id, revision);
    const at = this.#options.clock.now();
    const error = problem ?? 'The connection cannot be opened.';
    this.writer.report({ connection_id, epoch, at, error, consecutive_failures: 1 });
  }
}

/** Starts collecting at once and in the background. */
export function startCollector(options: CollectorOptions): Collector {
  return new Leases(options);
}
