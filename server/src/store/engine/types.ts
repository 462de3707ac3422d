// What an engine does for the store: makes tables of samples, adds columns, makes and drops their daily partitions,
// and deletes what belongs to one connection. Invariant: nothing outside this folder knows how the tables lie on
// disk, so that another engine (distributed, or with chunks of its own) is one more file here.
import type { Database, Db } from '../../kernel/db.ts';
import type { MetricTable, TableColumn } from '../shapes.ts';

export const DAY_MS = 86_400_000;

/** One day (UTC) of one table; one month of a rollup that is kept for long. */
export interface Partition {
  readonly table: string;
  readonly name: string;
  /** Milliseconds since the epoch at which it begins. */
  readonly day: number;
}

export interface PartitionSize extends Partition {
  /** With indexes and out-of-line values. */
  readonly size_bytes: number;
  /** As the server estimates it; null when it never looked. */
  readonly rows: number | null;
}

export interface Engine {
  readonly name: string;
  createTable(db: Db, table: MetricTable): Promise<void>;
  /** Adds columns; in rows that are there already they are unknown. */
  addColumns(db: Db, table: MetricTable, columns: readonly TableColumn[]): Promise<void>;
  partitions(db: Db, tables: readonly string[]): Promise<Partition[]>;
  /** Makes the table's day or month that holds this moment (ms since the epoch) unless it is there. */
  makePartition(db: Db, table: MetricTable['name'], day: number): Promise<void>;
  dropPartition(db: Db, partition: Partition): Promise<void>;
  sizes(db: Db, tables: readonly string[]): Promise<PartitionSize[]>;
  /** Deletes a connection's rows of that day. Answers how many. */
  deleteConnection(db: Db, partition: Partition, connectionId: number): Promise<number>;
  /** Gives back the space of what was deleted from a day that is over. Somebody in the way is no error: not this time. */
  shrink(db: Database, partition: Partition): Promise<void>;
}

/** Midnight UTC before or at that moment. */
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

/** Rollups of 15 minutes and more are kept for so long that days would be too many. */
const isMonthly = (table: string) => /__(m15|h1)p?$/.test(table);

/** Where the partition that holds this moment begins and ends. */
export function boundsOf(table: string, ms: number): { from: number; to: number } {
  if (!isMonthly(table)) return { from: dayOf(ms), to: dayOf(ms) + DAY_MS };
  const date = new Date(ms);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) };
}
