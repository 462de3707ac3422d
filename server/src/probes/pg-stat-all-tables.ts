// Use, upkeep, blocks and size of tables, system tables and TOAST included. Guards: nothing here waits for a lock, so
// sizes come from the catalog (as of the last vacuum or analyze, whose time goes with them) and not from the files; a table
// never looked at has no size rather than 0. The thresholds are those that autovacuum itself goes by.

import { CLASS } from './autovacuum-thresholds.ts';
import type { Floor } from './metric-types.ts';
import { MOST_OBJECTS } from './most-important.ts';
import { IO_VIEW, ofCatalog, ofIoView, ofView, VIEW } from './table-columns.ts';
import { allTables, mostImportantTables } from './table-statement.ts';
import { defineProbe } from './types.ts';

/** A table of a few pages is read in no time, however many of its rows are dead. */
const HARMLESS: readonly Floor[] = [
  { column: 'n_dead_tup', least: 1000 },
  { column: 'table_size', least: 131_072 },
];

export const probe = defineProbe({
  name: 'pg_stat_all_tables',
  description: 'Use, upkeep, blocks and size of each table; temporary ones are left out.',
  level: 'D',
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'objects',
  views: [VIEW, IO_VIEW, CLASS],
  settings: ['track_counts'],
  // Catalogs that all databases share have ids below this one.
  births: { sharedBelow: 16_384, startsFromNull: true },
  columns: [...ofView, ...ofIoView, ...ofCatalog],
  metrics: [
    {
      name: 'dead_tuple_ratio',
      unit: 'percent',
      description: 'Dead rows of all rows; 0 without rows.',
      combine: 'avg',
      worse: 'more',
      value: {
        kind: 'ratio of gauges',
        of: ['n_dead_tup'],
        to: ['n_live_tup', 'n_dead_tup'],
        scale: 100,
        empty: 0,
      },
    },
    {
      name: 'dead_tuple_percent',
      unit: 'percent',
      description:
        'Dead rows of all rows; unknown below 1,000 rows, and for rules 0 below 1,000 dead rows or 128 kB.',
      combine: 'avg',
      worse: 'more',
      value: {
        kind: 'ratio of gauges',
        of: ['n_dead_tup'],
        to: ['n_live_tup', 'n_dead_tup'],
        scale: 100,
        least: 1000,
        floors: HARMLESS,
      },
    },
    {
      name: 'table_bloat_ratio',
      wireName: 'table_bloat_ratio',
      unit: 'percent',
      description:
        'Dead rows against live rows; unknown below 1,000 live rows, and for rules 0 below 1,000 dead rows or 128 kB.',
      combine: 'avg',
      worse: 'more',
      // A handful of rows says nothing: the catalogs of a fresh database would all be bloated.
      value: {
        kind: 'ratio of gauges',
        of: ['n_dead_tup'],
        to: ['n_live_tup'],
        scale: 100,
        least: 1000,
        floors: HARMLESS,
      },
    },
    {
      name: 'table_last_autovacuum_hours',
      wireName: 'table_last_autovacuum_hours',
      unit: '',
      description: 'Hours since a table passed its autovacuum threshold without having been vacuumed.',
      combine: 'max',
      worse: 'more',
      value: {
        kind: 'hours above',
        pairs: [
          ['n_dead_tup', 'vacuum_threshold'],
          ['n_ins_since_vacuum', 'insert_vacuum_threshold'],
        ],
      },
    },
  ],
  unwatched: {
    objects: 'tables',
    by: 'dead rows, size, writes, reads and age',
    shares: ['the dead rows', 'the size'],
  },
  caps: { maxRows: MOST_OBJECTS, maxText: 256, timeoutMs: 15_000 },
  sql: allTables,
  mostImportant: mostImportantTables,
});
