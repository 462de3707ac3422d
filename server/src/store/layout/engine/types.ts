// What an engine does for the store: makes tables of samples, adds columns, makes and drops their partitions, deletes
// what belongs to single connections, and says how time is cut. Invariant: nothing outside this folder knows how the
// tables lie on disk, so that another engine (distributed, or with chunks of its own) is one more file here.
import type { Database, Db } from '../../../kernel/db.ts';
import type { Sql } from '../../../kernel/sql.ts';
import type { StoreEngine } from '../../../kernel/store-settings.ts';
import { DAY_MS } from '../../../kernel/units.ts';
import type { MetricTable, TableColumn } from '../table-layout.ts';

export type EngineName = Exclude<StoreEngine, 'auto'>;

/** One day (UTC) of one table; about one month of a rollup that is kept for long. */
export interface Partition {
  readonly table: string;
  /** Where its rows lie. */
  readonly schema: string;
  readonly name: string;
  /** Milliseconds since the epoch at which it begins. */
  readonly day: number;
  /** And at which it has ended. */
  readonly until: number;
}

export interface PartitionSize extends Partition {
  /** With indexes and out-of-line values. */
  readonly size_bytes: number;
  /** As the servers estimate it; null when none of them ever looked. */
  readonly rows: number | null;
  /** No page of rows, whatever its indexes take. */
  readonly is_empty: boolean;
}

/** A table that no engine cuts by time. */
export interface TableSize {
  /** With its schema. */
  name: string;
  /** With indexes and out-of-line values; every copy of it. */
  size_bytes: number;
  /** As the servers estimate it, once however many copies there are; null when none of them ever looked. */
  rows: number | null;
}

export interface Engine {
  readonly name: EngineName;
  /** What its tables are in the catalog (pg_class.relkind). */
  readonly relkind: 'p' | 'r';
  /** Partitions are made before the rows come. Otherwise they come into being with them. */
  readonly makesAhead: boolean;
  /** Once at start, before the first table: what the engine wants of the tables beside those of samples. */
  prepare(db: Db): Promise<void>;
  createTable(db: Db, table: MetricTable): Promise<void>;
  /** Adds columns; in rows that are there already they are unknown. */
  addColumns(db: Db, table: MetricTable, columns: readonly TableColumn[]): Promise<void>;
  /** By table and time. */
  partitions(db: Db, tables: readonly string[]): Promise<Partition[]>;
  /** Makes the table's day or month that holds this moment (ms since the epoch) unless it is there. */
  makePartition(db: Db, table: MetricTable['name'], day: number): Promise<void>;
  dropPartition(db: Db, partition: Partition): Promise<void>;
  /** Drops it when nothing is in it, whoever writes meanwhile. False: there is something, or somebody is in the way. */
  dropIfEmpty(db: Database, partition: Partition): Promise<boolean>;
  sizes(db: Db, tables: readonly string[]): Promise<PartitionSize[]>;
  /** Of the tables beside those of samples, named with their schema; the largest first. */
  tableSizes(db: Db, tables: readonly string[]): Promise<TableSize[]>;
  /** The whole database, on every server that keeps a part of it. */
  databaseSize(db: Db): Promise<number>;
  /** Which of these connections have their samples on a node that does not answer now. */
  silent(db: Db, connectionIds: readonly number[]): Promise<number[]>;
  /** Deletes the rows that these connections have in it. Answers how many. */
  deleteConnections(db: Db, partition: Partition, connectionIds: readonly number[]): Promise<number>;
  /** Gives back the space of what was deleted from a day that is over. Somebody in the way is no error: not this time. */
  shrink(db: Database, partition: Partition): Promise<void>;
  /** The hour or day (UTC) in which that moment lies. */
  bucket(width: 'hour' | 'day', at: Sql): Sql;
}

/** Midnight UTC before or at that moment. */
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

/** Rollups of 15 minutes and more are kept for so long that days would be too many. */
export const isMonthly = (table: string) => /__(m15|h1)p?$/.test(table);

/** Where the partition that holds this moment begins and ends, where we say so (an engine may cut otherwise). */
export function boundsOf(table: string, ms: number): { from: number; to: number } {
  if (!isMonthly(table)) return { from: dayOf(ms), to: dayOf(ms) + DAY_MS };
  const date = new Date(ms);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) };
}
