// The store on PostgreSQL as it comes: tables partitioned by range of collected_at, one partition a day or month.
import { sql } from '../../../kernel/sql.ts';
import { addColumns, createTable, pack } from './ddl.ts';
import { shrink } from './locks.ts';
import { databaseSize, tableSizes } from './one-server.ts';
import {
  BY_TIME,
  bucket,
  deleteConnections,
  dropIfEmpty,
  dropPartition,
  makePartition,
  partitions,
  sizesBy,
} from './partitions.ts';
import type { Engine } from './types.ts';

export const plain: Engine = {
  name: 'plain',
  relkind: 'p',
  makesAhead: true,
  prepare: async () => undefined,
  createTable: (db, table) => createTable(db, table, BY_TIME),
  async addColumns(db, table, columns) {
    await addColumns(db, table, columns);
    if (table.packed) await pack(db, table.name, columns);
  },
  partitions,
  makePartition,
  dropPartition,
  dropIfEmpty,
  sizes: (db, tables) =>
    sizesBy(db, tables, {
      size: sql`pg_catalog.pg_total_relation_size(c.oid)`,
      rows: sql`pg_catalog.pg_relation_size(c.oid)`,
    }),
  tableSizes,
  databaseSize,
  silent: async () => [],
  deleteConnections,
  shrink,
  bucket,
};
