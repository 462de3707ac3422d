// What becomes of a batch of entries in the datastore, however often it has to be tried. Guards: a batch keeps its
// number until its fate is known; what the datastore refuses is halved until the culprit stands alone and is given up,
// so one bad value never holds up the rest; days and tables that are missing are made.

import type { Database, Db } from '../../../kernel/db.ts';
import { Fault } from '../../../kernel/errors.ts';
import { append } from '../../../kernel/lists.ts';
import type { Log } from '../../../kernel/log.ts';
import { DAY_MS } from '../../../kernel/units.ts';
import type { Probe } from '../../../probes/types.ts';
import { engineOf } from '../../layout/engine/open.ts';
import { dayOf, type Engine } from '../../layout/engine/types.ts';
import { datastoreNow, type KeptTable, keptFor } from '../../layout/retention.queries.ts';
import { LayoutProblem, layoutOf, type TableLayout } from '../../layout/table-layout.ts';
import { ensureTables } from '../../layout/tables.ts';
import { isRefusal, stateOf } from '../refusals.ts';
import { type Group, type Written, writeBatch } from './batch.ts';
import type { Entry } from './sample-queue.ts';

const DUPLICATE = '23505';
const NO_PARTITION = '23514';
/** undefined_table, undefined_column: somebody dropped what was there. */
const UNDEFINED = new Set(['42P01', '42703']);

/** What a batch may take; one that takes longer has met a datastore that answers nothing. */
const BATCH_MS = 35_000;

interface Part {
  /** Halves of batches have no number: they are written carefully, as often as need be. */
  readonly groups: readonly Group[];
  skipExisting: boolean;
  /** Tables or partitions were made for it already. */
  tablesEnsured: boolean;
}

/** Batches on their way; one that failed goes on where it was. */
export interface PendingWrite {
  /** Newer rows may be there already. */
  readonly late: boolean;
  parts: Part[];
}

export function pendingWrite(groups: readonly Group[], late = false): PendingWrite {
  return { late, parts: [{ groups, skipExisting: late, tablesEnsured: false }] };
}

/** A collector whose clock is wrong makes no flood of partitions. */
const AHEAD_DAYS = 2;

interface PartitionRequest {
  readonly layout: TableLayout;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const keyOf = ({ layout, at }: PartitionRequest) => `${layout.table.name} ${dayOf(at)}`;

/** The partitions that a batch needs, made on demand where the maintenance job has not been there. */
class Partitions {
  readonly #db: Db;
  readonly #engine: Engine;
  readonly #known = new Set<string>();

  constructor(db: Db, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /** What is known may have been dropped meanwhile. */
  forget(): void {
    this.#known.clear();
  }

  /** Answers the wanted ones that have a place now; the rest lie beyond retention or too far ahead. */
  async ensure<T extends PartitionRequest>(wanted: readonly T[]): Promise<T[]> {
    const missing = wanted.filter((one) => !this.#known.has(keyOf(one)));
    if (missing.length > 0) await this.#make(missing);
    return wanted.filter((one) => this.#known.has(keyOf(one)));
  }

  async #make(missing: readonly PartitionRequest[]): Promise<void> {
    const { now } = await this.#db.one<{ now: number }>(datastoreNow);
    const tables = [...new Set(missing.map(({ layout }) => layout.table.name))];
    for (const { table, day } of await this.#engine.partitions(this.#db, tables))
      this.#known.add(`${table} ${day}`);
    const kept = new Map(
      (await this.#db.rows<KeptTable>(keptFor(tables))).map((one) => [one.table_name, one.retention_days]),
    );
    for (const one of missing) {
      const day = dayOf(one.at);
      if (this.#known.has(keyOf(one))) continue;
      const days = kept.get(one.layout.table.name) ?? one.layout.retentionDays;
      const oldest = dayOf(now) - days * DAY_MS;
      if (day < oldest || day > dayOf(now) + AHEAD_DAYS * DAY_MS) continue;
      await this.#engine.makePartition(this.#db, one.layout.table.name, day);
      this.#known.add(keyOf(one));
    }
  }
}

export interface BatchStoreOptions {
  db: Database;
  log: Log;
  probes: readonly Probe[];
  engine?: Engine | undefined;
  /** Told what was given up because the datastore refuses it. */
  onRefused(entries: readonly Entry[]): void;
}

export class BatchStore {
  readonly #options: BatchStoreOptions;
  readonly #engine: Engine;
  readonly #partitions: Partitions;
  #layouts: ReadonlyMap<string, TableLayout>;
  #ready: Promise<void> | undefined;
  statements = 0;

  constructor(options: BatchStoreOptions) {
    this.#options = options;
    this.#engine = options.engine ?? engineOf(options.db);
    this.#partitions = new Partitions(options.db, this.#engine);
    this.#layouts = declared(options.probes);
  }

  get layouts(): ReadonlyMap<string, TableLayout> {
    return this.#layouts;
  }

  /** Makes the tables, once. Rejects while the datastore is away. */
  async ready(): Promise<void> {
    this.#ready ??= this.#ensure();
    try {
      await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }

  /** Tables for all declared probes. One that cannot be stored is said once, and its runs are not kept. */
  async #ensure(): Promise<void> {
    const { db, probes, log } = this.#options;
    const { layouts, problems } = await ensureTables(db, probes, this.#engine);
    for (const [probe, reason] of problems) log.error({ event: 'store.table_refused', probe, reason });
    this.#layouts = layouts;
  }

  /**
   * Resolves when the datastore has all of it that it takes, with the leases that have passed on. Rejects with its
   * error while it is away, and when nobody knows.
   */
  async write(pending: PendingWrite): Promise<Written['passed']> {
    const passed: Written['passed'] = [];
    for (let [part] = pending.parts; part; [part] = pending.parts) {
      try {
        append(passed, await this.#writePart(pending, part));
        pending.parts.shift();
      } catch (error) {
        await this.#mend(pending, part, error);
      }
    }
    return passed;
  }

  async #writePart({ late }: PendingWrite, part: Part): Promise<Written['passed']> {
    const { db, log } = this.#options;
    const { skipExisting } = part;
    const entries = part.groups.flatMap((group) => group.entries);
    const kept = entries.filter(({ layout }) => this.#layouts.has(layout.probe));
    const placed = new Set(await this.#partitions.ensure(kept));
    if (placed.size < kept.length)
      log.error({ event: 'store.out_of_range', runs: kept.length - placed.size });
    if (placed.size === 0) return [];
    const groups = part.groups.map((group) => ({
      batch: group.batch,
      entries: group.entries.filter((entry) => placed.has(entry)),
    }));
    const written = await db.withClient(
      (client) => writeBatch(client, { groups, skipExisting, late }),
      BATCH_MS,
    );
    this.statements += written.statements;
    if (written.refused > 0) log.warn({ event: 'store.fenced', runs: written.refused });
    return written.passed;
  }

  /** Decides what an error means for that part; rejects when it is one of the datastore as a whole. */
  async #mend(pending: PendingWrite, part: Part, error: unknown): Promise<void> {
    const code = stateOf(error) ?? '';
    if (error instanceof Fault) throw error;
    if (code === DUPLICATE && !part.skipExisting) part.skipExisting = true;
    // Carefully, it is a new object that somebody else has named at the same moment.
    else if (code === DUPLICATE && !part.tablesEnsured) part.tablesEnsured = true;
    else if ((UNDEFINED.has(code) || code === NO_PARTITION) && !part.tablesEnsured) {
      this.#partitions.forget();
      if (code !== NO_PARTITION) await this.#ensure();
      part.tablesEnsured = true;
    } else if (isRefusal(error) || error instanceof LayoutProblem) this.#split(pending, part, error);
    else throw error;
  }

  /** Halves, until the culprit stands alone and is given up. */
  #split(pending: PendingWrite, part: Part, error: unknown): void {
    const entries = part.groups.flatMap((group) => group.entries);
    const [only] = entries;
    pending.parts = pending.parts.filter((one) => one !== part);
    if (entries.length === 1 && only) {
      const { connection_id, layout } = only;
      this.#options.log.error({ event: 'store.refused', connection_id, probe: layout.probe, err: error });
      this.#options.onRefused(entries);
      return;
    }
    const middle = Math.ceil(entries.length / 2);
    const halves = [entries.slice(0, middle), entries.slice(middle)];
    const parts = halves.map((half) => ({
      groups: [{ batch: null, entries: half }],
      skipExisting: true,
      tablesEnsured: false,
    }));
    pending.parts = [...parts, ...pending.parts];
  }
}

/** What can be stored of the declarations, before the datastore has seen them. */
function declared(probes: readonly Probe[]): ReadonlyMap<string, TableLayout> {
  const layouts = new Map<string, TableLayout>();
  for (const probe of probes) {
    try {
      const layout = layoutOf(probe);
      if (layout) layouts.set(probe.name, layout);
    } catch (error) {
      if (!(error instanceof LayoutProblem)) throw error;
    }
  }
  return layouts;
}
