// Tables that were never analyzed: the planner guesses. Partitioned tables among them, which autovacuum never analyzes.
import { wholeNumber } from '../../kernel/shown-value.ts';
import type { Facts, Item } from './facts.ts';
import { isoOrNull, lastAnalyzeOf, ofTable, TABLE_COLUMNS, tableName } from './tables.ts';
import { defineCheck, type Problem } from './types.ts';
import { qualified } from './units.ts';

const LEAST_ROWS = 10_000;
const NOTABLE_ROWS = 1_000_000;
/** As long as autovacuum may well take after a load. */
const LEAST_HOURS = 24;

/** Neither a vacuum nor an analyze has ever counted its rows. */
const isNeverCounted = (item: Item) =>
  item.text('relkind') !== 'p' &&
  item.number('reltuples') === null &&
  item.number('analyze_threshold') !== null &&
  (item.number('n_live_tup') ?? 0) >= LEAST_ROWS;

/** For partitioned tables the server counts analyzes alone, not rows. */
const isNeverAnalyzedParent = (item: Item) =>
  item.text('relkind') === 'p' && lastAnalyzeOf(item) === null && item.number('reltuples') === null;

function foundOf(item: Item, { now, since }: { now: number; since: number | null }): Problem {
  const isParent = item.text('relkind') === 'p';
  const rows = item.number('n_live_tup') ?? 0;
  const hours = since === null ? 0 : (now - since) / 3_600_000;
  const table = tableName(item);
  return {
    ...ofTable(item),
    severity: !isParent && rows >= NOTABLE_ROWS && hours >= LEAST_HOURS ? 'warning' : 'info',
    message: isParent
      ? `Partitioned table "${table}" was never analyzed. Autovacuum analyzes only its partitions.`
      : `"${table}" was never analyzed and has about ${wholeNumber(rows)} rows.`,
    figure: null,
    evidence: {
      relkind: item.text('relkind'),
      n_live_tup: rows,
      last_analyze: isoOrNull(lastAnalyzeOf(item)),
      autovacuum_enabled: item.flag('autovacuum_enabled'),
    },
    remedy: `analyze ${qualified(item.text('schemaname'), item.text('relname'))};`,
  };
}

/** Of more partitioned tables in a database one finding tells. */
const MOST_PARENTS = 5;
const MOST_NAMED = 20;

function ofParents(database_name: string, items: readonly Item[]): Problem {
  const named = items.slice(0, MOST_NAMED);
  return {
    database_name,
    object_name: '',
    object_key: 'partitioned tables',
    severity: 'info',
    message: `${items.length} partitioned tables were never analyzed. Autovacuum analyzes only their partitions.`,
    figure: { value: items.length, unit: 'count' },
    evidence: { partitioned_tables: items.length },
    rows: named.map((item) => ({ table: tableName(item) })),
    remedy: named
      .map((item) => `analyze ${qualified(item.text('schemaname'), item.text('relname'))};`)
      .join('\n'),
  };
}

function ofDatabases(facts: Facts, items: readonly Item[]): Problem[] {
  const parents = Map.groupBy(items.filter(isNeverAnalyzedParent), (item) => item.database_name);
  const many = [...parents].filter(([, own]) => own.length > MOST_PARENTS);
  const together = new Set(many.flatMap(([, own]) => own));
  const each = items.filter((item) => !together.has(item));
  return [
    ...each.map((item) => foundOf(item, { now: facts.now, since: facts.countedSince(item.database_name) })),
    ...many.map(([database_name, own]) => ofParents(database_name, own)),
  ];
}

export const check = defineCheck({
  name: 'statistics_missing',
  category: 'vacuum',
  title: 'Never analyzed table',
  figureName: 'tables',
  meaning: 'Without statistics the planner guesses, which may cause very slow plans.',
  advice: 'Analyze the table. Analyze partitioned tables again whenever their data change much.',
  caution: 'Analyzing a partitioned table samples all of its partitions.',
  source: 'routine-vacuuming.html#VACUUM-FOR-STATISTICS',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_stat_all_tables: [
      ...TABLE_COLUMNS,
      'reltuples',
      'n_live_tup',
      'analyze_threshold',
      'last_analyze',
      'last_autoanalyze',
      'autovacuum_enabled',
    ],
  },
  judge: (facts) => ({
    found: ofDatabases(
      facts,
      facts.rows('pg_stat_all_tables').filter((item) => isNeverCounted(item) || isNeverAnalyzedParent(item)),
    ),
  }),
});
