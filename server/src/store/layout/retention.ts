// How long each connection keeps each probe, and what follows for the tables: a partition goes as a whole once it is
// older than anybody keeps it; rows that only some connections keep longer are trimmed (upkeep/trim.ts).
// Guards: nothing goes before the policy of its own connection says so, whatever that is now.

import type { Db } from '../../kernel/db.ts';
import { greatest } from '../../kernel/lists.ts';
import { DAY_MS } from '../../kernel/units.ts';
import type { Partition } from './engine/types.ts';
import { type RetentionClass, retentionClasses } from './retention.queries.ts';

/**
 * What is kept for a day only is there for half a day more: rollups of a day may be made when it is over, and begin with what was
 * known before it.
 */
export const SAMPLES_LEAST_DAYS = 1.5;

/** One table: at least so long, whatever its probe is set to (rollups outlive what they were made of). */
export interface Kept {
  table_name: string;
  probe: string;
  /** As declared, for probes that nobody has settings of. */
  retention_days: number;
  /** Not less than this; of rollups their own. */
  least_days: number;
}

export class Retentions {
  readonly #classes: ReadonlyMap<string, readonly RetentionClass[]>;

  constructor(classes: readonly RetentionClass[]) {
    this.#classes = Map.groupBy(classes, ({ probe }) => probe);
  }

  /** The longest that any connection keeps it. */
  longest({ probe, retention_days, least_days }: Omit<Kept, 'table_name'>): number {
    const days = this.#classes.get(probe)?.map((one) => one.retention_days) ?? [retention_days];
    return greatest(days, least_days);
  }

  /** How long that connection keeps it. */
  of(connectionId: number, kept: { probe: string; retention_days: number }): number {
    const own = this.#classes
      .get(kept.probe)
      ?.find(({ connection_ids }) => connection_ids.includes(connectionId));
    return own?.retention_days ?? kept.retention_days;
  }

  /** Connections that keep it for less than the longest, by days. */
  shorter(kept: Omit<Kept, 'table_name'>): { days: number; connection_ids: number[] }[] {
    const longest = this.longest(kept);
    return (this.#classes.get(kept.probe) ?? [])
      .map(({ retention_days, connection_ids }) => ({
        days: Math.max(retention_days, kept.least_days),
        connection_ids,
      }))
      .filter(({ days }) => days < longest);
  }

  /** Changes when anybody's retention does. */
  get mark(): string {
    return JSON.stringify([...this.#classes.values()].flat());
  }
}

export const readRetentions = async (db: Db): Promise<Retentions> =>
  new Retentions(await db.rows<RetentionClass>(retentionClasses));

export const isOlder = ({ until }: Partition, days: number, now: number) => until <= now - days * DAY_MS;

/** Partitions that nobody keeps any more. */
export const expired = (partitions: readonly Partition[], days: number, now: number): Partition[] =>
  partitions.filter((partition) => isOlder(partition, days, now));
