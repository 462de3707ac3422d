// How long each connection keeps each probe, and what follows for the tables: a partition goes as a whole once it is
// older than anybody keeps it; of what only some keep longer, the rows of the others are deleted when their time comes,
// and the space given back. Guards: nothing goes before the policy of its own connection says so, whatever that is now.
import type { Database, Db } from '../kernel/db.ts';
import { DAY_MS, type Engine, type Partition } from './engine/types.ts';
import { type RetentionClass, retentionClasses } from './retention.queries.ts';

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
    return Math.max(least_days, ...days);
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

/** What came due in the last runs; a thorough run catches the rest. */
const SLACK_DAYS = 3;

const isOlder = ({ until }: Partition, days: number, now: number) => until <= now - days * DAY_MS;

/** Partitions that nobody keeps any more. */
export const expired = (partitions: readonly Partition[], days: number, now: number): Partition[] =>
  partitions.filter((partition) => isOlder(partition, days, now));

export interface Trim {
  kept: Kept;
  partitions: readonly Partition[];
  retentions: Retentions;
  now: number;
  /** Looks at all partitions, not only at those whose time has come since two days. */
  thorough: boolean;
}

/** Deletes what single connections keep no longer; answers how many rows. */
export async function trim(db: Database, engine: Engine, of: Trim): Promise<number> {
  const { kept, partitions, retentions, now, thorough } = of;
  const classes = retentions.shorter(kept);
  if (classes.length === 0) return 0;
  const longest = retentions.longest(kept);
  let trimmed = 0;
  for (const partition of partitions) {
    if (isOlder(partition, longest, now)) continue;
    const over = classes.filter(
      ({ days }) =>
        isOlder(partition, days, now) && (thorough || !isOlder(partition, days + SLACK_DAYS, now)),
    );
    if (over.length === 0) continue;
    const ids = over.flatMap(({ connection_ids }) => connection_ids);
    const gone = await engine.deleteConnections(db, partition, ids);
    trimmed += gone;
    if (gone > 0) await engine.shrink(db, partition);
  }
  return trimmed;
}
