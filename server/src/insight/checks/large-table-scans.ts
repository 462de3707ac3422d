// Large tables that are read whole again and again. Guards: backups, reports and vacuums read tables whole as well, so it takes many
// readings, which began lately, and a good share of all rows that the database read.
import { shownValue, wholeNumber } from '../../kernel/shown-value.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { type Counted, countedFrom, countedWords, rateIn } from './counted.ts';
import type { Facts, Item } from './facts.ts';
import { countedSinceOf, isOfPeople, ofTable, TABLE_COLUMNS, tableName } from './tables.ts';
import { defineCheck, type Problem } from './types.ts';
import { literal } from './units.ts';

const LEAST_BYTES = 10 * 1024 ** 2;
/** As often as it was read whole; parallel workers count as scans of their own, so rows tell. */
const LEAST_TIMES = 200;
const LEAST_SHARE = 0.05;
/** Read whole, in each second. */
const NOTABLE_RATE = 8 * 1024 ** 2;
const NOTABLE_SHARE = 0.3;
/** Each scan reads at least that much of the table, so that a limit does not end it early. */
const LEAST_PART = 0.1;

export const SCAN_COLUMNS = [
  ...TABLE_COLUMNS,
  'table_size',
  'reltuples',
  'seq_scan',
  'seq_tup_read',
  'idx_scan',
  'last_seq_scan',
  'stats_reset',
] as const;

interface Reads {
  times: number;
  share: number | null;
}

function readsOf(facts: Facts, item: Item): Reads | null {
  const [rows, read, scans] = [
    item.number('reltuples'),
    item.number('seq_tup_read'),
    item.number('seq_scan'),
  ];
  if (rows === null || rows < 1 || read === null || scans === null || scans === 0) return null;
  if (read / scans < LEAST_PART * rows) return null;
  const database = facts
    .rows('pg_stat_database')
    .find((one) => one.text('datname') === item.database_name)
    ?.number('tup_returned');
  return { times: read / rows, share: database ? Math.min(1, read / database) : null };
}

const isLoad = (bytes: number, counted: Counted | null) =>
  counted !== null && rateIn(bytes, counted, 1000) >= NOTABLE_RATE;

function foundOf(facts: Facts, item: Item): Problem | [] {
  const size = item.number('table_size') ?? 0;
  const last = item.time('last_seq_scan');
  if (size < LEAST_BYTES || (last !== null && facts.now - last > DAY_MS)) return [];
  const reads = readsOf(facts, item);
  if (!reads || reads.times < LEAST_TIMES || reads.share === null || reads.share < LEAST_SHARE) return [];
  const since = countedSinceOf(facts, item);
  const counted = since === null ? null : countedFrom(since, facts.now);
  const isMuch = reads.share >= NOTABLE_SHARE && isLoad(size * reads.times, counted);
  const times = Math.floor(reads.times);
  const table = tableName(item);
  return {
    ...ofTable(item),
    severity: isMuch ? 'warning' : 'info',
    message: `"${table}" (${shownValue(size, 'bytes')}) had ${wholeNumber(times)} sequential scans${counted === null ? '' : ` ${countedWords(counted)}`}. They read ${shownValue(100 * reads.share, 'percent')} of all rows read in its database.`,
    figure: { value: times, unit: 'count' },
    evidence: {
      table_size: size,
      seq_scan: item.number('seq_scan'),
      seq_tup_read: item.number('seq_tup_read'),
      idx_scan: item.number('idx_scan'),
      reltuples: item.number('reltuples'),
      percent_of_rows_read: Math.round(100 * reads.share),
    },
    remedy: [
      '-- Statements that use the table, most expensive first. Check their plans, then create the missing index:',
      'select queryid, calls, mean_exec_time, rows, query',
      'from pg_stat_statements',
      `where query ilike ${literal(`%${(item.text('relname') ?? '').replace(/[\\%_]/g, '\\$&')}%`)}`,
      'order by total_exec_time desc',
      'limit 20;',
      `select attname, n_distinct, null_frac from pg_stats where schemaname = ${literal(item.text('schemaname') ?? '')} and tablename = ${literal(item.text('relname') ?? '')};`,
      `select indexdef from pg_indexes where schemaname = ${literal(item.text('schemaname') ?? '')} and tablename = ${literal(item.text('relname') ?? '')};`,
    ].join('\n'),
    ...(since !== null && { since }),
  };
}

/** Large tables of a database that take a good part of all rows that it reads, by name. */
export const tablesReadWhole = (facts: Facts, database_name: string): string[] =>
  facts
    .rows('pg_stat_all_tables')
    .filter((item) => item.database_name === database_name && isOfPeople(item))
    .flatMap((item) => foundOf(facts, item))
    .filter(({ evidence }) => Number(evidence.percent_of_rows_read) >= 100 * NOTABLE_SHARE)
    .map(({ object_name }) => object_name);

export const check = defineCheck({
  name: 'large_table_scans',
  category: 'indexes',
  title: 'Frequent sequential scans of a large table',
  figureName: 'sequential scans',
  meaning: 'Statements read all rows to find a few, which costs disk, CPU and cache.',
  advice: 'Find the statements and create the missing index.',
  caution: 'If statements need most of the rows, as reports do, an index does not help.',
  source: 'monitoring-stats.html#MONITORING-PG-STAT-ALL-TABLES-VIEW',
  proof: 'measured',
  reads: {
    pg_stat_all_tables: SCAN_COLUMNS,
    pg_stat_database: ['datname', 'tup_returned', 'stats_reset'],
  },
  judge: (facts) => ({
    found: facts
      .rows('pg_stat_all_tables')
      .filter(isOfPeople)
      .flatMap((item) => foundOf(facts, item)),
  }),
});
