// Tables that are written much and have many indexes, each of which every write may have to keep up.
import { shownValue, wholeNumber } from '../../kernel/shown-value.ts';
import type { Facts, Item } from './facts.ts';
import { countedSinceOf, isOfPeople, ofTable, TABLE_COLUMNS, tableName } from './tables.ts';
import { defineCheck, type Problem } from './types.ts';
import { named, qualified } from './units.ts';

const LEAST_INDEXES = 10;
const NOTABLE_INDEXES = 25;
const LEAST_WRITES = 100_000;
/** With fewer nobody can tell which of them are wanted. */
const LEAST_SCANS = 1000;
const NOTABLE_BYTES = 10 * 1024 ** 3;
/** Below that an index is one of those that are hardly used. */
const RARELY_SHARE = 0.001;

/** What is unknown is not little. */
const isAtMost = (known: number | null, most: number) => known !== null && known <= most;

const sumOf = (items: readonly Item[], column: string) =>
  items.reduce((sum, one) => sum + (one.number(column) ?? 0), 0);

const place = (item: Item) => `${item.database_name}\n${item.text('relid')}`;

/** Updates that touched no index are left out. */
const writesOf = (item: Item) =>
  (item.number('n_tup_ins') ?? 0) +
  Math.max(0, (item.number('n_tup_upd') ?? 0) - (item.number('n_tup_hot_upd') ?? 0));

function foundOf(facts: Facts, item: Item, indexes: readonly Item[]): Problem | [] {
  const writes = writesOf(item);
  if (indexes.length < LEAST_INDEXES || writes < LEAST_WRITES) return [];
  // Of what is known of them, which is the least that they can be.
  const size = sumOf(indexes, 'index_size');
  const scans = sumOf(indexes, 'idx_scan');
  if (scans < LEAST_SCANS) return [];
  const rarely = indexes
    .filter(
      (one) => one.flag('is_needed') === false && isAtMost(one.number('idx_scan'), RARELY_SHARE * scans),
    )
    .toSorted((a, b) => (b.number('index_size') ?? 0) - (a.number('index_size') ?? 0));
  if (rarely.length === 0) return [];
  const since = countedSinceOf(facts, item);
  const tableSize = item.number('table_size');
  const isMuch =
    indexes.length >= NOTABLE_INDEXES && size >= NOTABLE_BYTES && tableSize !== null && size > tableSize;
  const isKnown = (column: string) => indexes.every((one) => one.number(column) !== null);
  const least = isKnown('index_size') ? '' : 'at least ';
  return {
    ...ofTable(item),
    severity: isMuch ? 'warning' : 'info',
    message: `"${tableName(item)}" has ${indexes.length} indexes of ${least}${shownValue(size, 'bytes')} in total, maintained by ${wholeNumber(writes)} writes. ${rarely.length} of them serve under 0.1 % of its index scans.`,
    figure: { value: indexes.length, unit: 'count', promised: indexes.length - rarely.length },
    evidence: {
      indexes: indexes.length,
      index_size: isKnown('index_size') ? size : null,
      table_size: tableSize,
      writes,
      idx_scan: isKnown('idx_scan') ? scans : null,
    },
    rows: rarely.map((one) => ({
      index: named(one.text('schemaname'), one.text('indexrelname')),
      idx_scan: one.number('idx_scan'),
      index_size: one.number('index_size'),
    })),
    remedy: [
      '-- Those that are no longer needed, one at a time:',
      ...rarely
        .slice(0, 20)
        .map(
          (one) => `drop index concurrently ${qualified(one.text('schemaname'), one.text('indexrelname'))};`,
        ),
    ].join('\n'),
    ...(since !== null && { since }),
  };
}

export const check = defineCheck({
  name: 'many_indexes',
  category: 'indexes',
  title: 'Too many indexes on a write-heavy table',
  figureName: 'indexes',
  meaning: 'Every new row is written to each index, which costs time, WAL and memory.',
  advice: 'Drop rarely used indexes.',
  caution: 'Standbys and rare reports may use them. Keep their definitions to recreate them if needed.',
  source: 'indexes-intro.html',
  proof: 'measured',
  where: 'primary',
  reads: {
    pg_stat_all_tables: [
      ...TABLE_COLUMNS,
      'table_size',
      'n_tup_ins',
      'n_tup_upd',
      'n_tup_hot_upd',
      'stats_reset',
    ],
    pg_stat_all_indexes: ['relid', 'schemaname', 'indexrelname', 'idx_scan', 'index_size', 'is_needed'],
    pg_stat_database: ['datname', 'stats_reset'],
  },
  judge: (facts) => {
    const indexes = Map.groupBy(facts.rows('pg_stat_all_indexes'), place);
    return {
      found: facts
        .rows('pg_stat_all_tables')
        .filter(isOfPeople)
        .flatMap((item) => foundOf(facts, item, indexes.get(place(item)) ?? [])),
    };
  },
  figureAfter: (facts, { database_name, object_key }) =>
    facts.databasesRead('pg_stat_all_indexes').has(database_name)
      ? facts
          .rows('pg_stat_all_indexes')
          .filter((one) => one.database_name === database_name && one.text('relid') === object_key).length
      : null,
});
