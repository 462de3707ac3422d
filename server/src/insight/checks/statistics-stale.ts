// Tables whose statistics tell of rows that are there no longer: far more changed than autovacuum waits for, and no analyze since.

import { shownTime, wholeNumber } from '../../kernel/shown-value.ts';
import { DAY_MS, MINUTE_MS } from '../../kernel/units.ts';
import type { Item } from './facts.ts';
import {
  isOfPeople,
  isoOrNull,
  lastAnalyzeOf,
  ofTable,
  TABLE_COLUMNS,
  tableName,
  tableOf,
  tablesAtWork,
} from './tables.ts';
import { defineCheck, type Problem } from './types.ts';
import { qualified } from './units.ts';

const LEAST_CHANGED = 10_000;
const LEAST_FACTOR = 3;
const LEAST_MS = DAY_MS;
/** Where most rows are new the planner knows another table, and autovacuum would have come by then. */
const LEAST_MS_OF_ANOTHER = 15 * MINUTE_MS;

function foundOf(item: Item, now: number): Problem | [] {
  const [changed, threshold] = [item.number('n_mod_since_analyze'), item.number('analyze_threshold')];
  const last = lastAnalyzeOf(item);
  if (changed === null || threshold === null || last === null) return [];
  if (changed < LEAST_CHANGED || changed < LEAST_FACTOR * threshold) return [];
  const live = item.number('n_live_tup') ?? 0;
  if (now - last < (changed > live / 2 ? LEAST_MS_OF_ANOTHER : LEAST_MS)) return [];
  return {
    ...ofTable(item),
    // More rows changed than there are: the planner knows another table.
    severity: changed > live && changed >= 1_000_000 ? 'warning' : 'info',
    message: `${wholeNumber(changed)} of ${wholeNumber(live)} rows of "${tableName(item)}" changed since its last analyze at ${shownTime(last)} (autovacuum threshold ${wholeNumber(threshold)}).`,
    figure: { value: changed, unit: 'rows' },
    evidence: {
      n_mod_since_analyze: changed,
      n_live_tup: live,
      analyze_threshold: threshold,
      last_analyze: isoOrNull(last),
      autovacuum_enabled: item.flag('autovacuum_enabled'),
    },
    remedy: `analyze ${qualified(item.text('schemaname'), item.text('relname'))};`,
  };
}

export const check = defineCheck({
  name: 'statistics_stale',
  category: 'vacuum',
  title: 'Stale table statistics',
  figureName: 'changed since analyze',
  meaning: 'The planner uses outdated statistics, which may cause slow plans.',
  advice: 'Analyze the table, and find out why autovacuum does not.',
  caution: 'Plans may change, mostly for the better.',
  source: 'routine-vacuuming.html#VACUUM-FOR-STATISTICS',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_stat_all_tables: [
      ...TABLE_COLUMNS,
      'n_mod_since_analyze',
      'n_live_tup',
      'analyze_threshold',
      'last_analyze',
      'last_autoanalyze',
      'autovacuum_enabled',
    ],
  },
  uses: { pg_stat_progress: ['command', 'relid'] },
  judge: (facts) => {
    const atWork = tablesAtWork(facts, 'ANALYZE');
    return {
      found: facts
        .rows('pg_stat_all_tables')
        .filter((item) => isOfPeople(item) && !atWork.has(item.text('relid') ?? ''))
        .flatMap((item) => foundOf(item, facts.now)),
    };
  },
  figureAfter: (facts, gone) => tableOf(facts, gone)?.number('n_mod_since_analyze') ?? null,
});
