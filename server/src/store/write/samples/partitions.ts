// The partitions that a batch needs, made on demand when the maintenance job has not been there. Guards: an insert
// never fails for a missing partition, and a collector whose clock is wrong makes no flood of them.
import type { Db } from '../../../kernel/db.ts';
import { DAY_MS } from '../../../kernel/units.ts';
import { dayOf, type Engine } from '../../layout/engine/types.ts';
import { datastoreNow, type KeptTable, keptFor } from '../../layout/retention.queries.ts';
import type { TableLayout } from '../../layout/table-layout.ts';

const AHEAD_DAYS = 2;

export interface PartitionRequest {
  readonly layout: TableLayout;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export class Partitions {
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

const keyOf = ({ layout, at }: PartitionRequest) => `${layout.table.name} ${dayOf(at)}`;
