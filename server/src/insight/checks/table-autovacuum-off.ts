// Tables for which autovacuum was switched off, and which change all the same.
import { shownCount } from '../../kernel/shown-value.ts';
import type { Item } from './facts.ts';
import { isOfPeople, ofTable, TABLE_COLUMNS, tableName, tableOf } from './tables.ts';
import { defineCheck, NOTHING, type Problem } from './types.ts';
import { qualified } from './units.ts';

/** Fewer dead rows than that do no harm. */
const LEAST_DEAD = 1000;
const NOTABLE_DEAD = 100_000;

function foundOf(item: Item): Problem | [] {
  const dead = item.number('n_dead_tup') ?? 0;
  const changed = item.number('n_mod_since_analyze') ?? 0;
  const [dead_most, changed_most] = [item.number('vacuum_threshold'), item.number('analyze_threshold')];
  const isDue = dead_most !== null && dead > Math.max(dead_most, LEAST_DEAD);
  const isStale = changed_most !== null && changed > Math.max(changed_most, LEAST_DEAD);
  if (!isDue && !isStale) return [];
  const table = tableName(item);
  return {
    ...ofTable(item),
    severity: isDue && dead >= NOTABLE_DEAD && dead > (item.number('n_live_tup') ?? 0) ? 'warning' : 'info',
    message: `Autovacuum is off for "${table}", with ${shownCount(dead, 'dead tuple')} and ${shownCount(changed, 'row')} changed since its last analyze.`,
    figure: { value: dead + changed, unit: 'rows' },
    evidence: {
      autovacuum_enabled: false,
      n_dead_tup: dead,
      n_mod_since_analyze: changed,
      vacuum_threshold: dead_most,
      analyze_threshold: changed_most,
    },
    remedy: [
      `alter table ${qualified(item.text('schemaname'), item.text('relname'))} reset (autovacuum_enabled);`,
      `vacuum (analyze) ${qualified(item.text('schemaname'), item.text('relname'))};`,
    ].join('\n'),
  };
}

export const check = defineCheck({
  name: 'table_autovacuum_off',
  category: 'vacuum',
  title: 'Autovacuum disabled for a table',
  figureName: 'dead and changed rows',
  meaning: 'Its dead tuples stay and its statistics become stale, unless a job vacuums it.',
  advice: 'Enable autovacuum for the table again.',
  caution: 'A job that vacuums it off-peak may be the reason.',
  source: 'sql-createtable.html#RELOPTION-AUTOVACUUM-ENABLED',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_stat_all_tables: [
      ...TABLE_COLUMNS,
      'autovacuum_enabled',
      'n_dead_tup',
      'n_live_tup',
      'n_mod_since_analyze',
      'vacuum_threshold',
      'analyze_threshold',
    ],
    pg_settings: ['name', 'setting'],
  },
  judge: (facts) => {
    // Off for all of them is a finding of its own.
    if (facts.setting('autovacuum') === 'off') return NOTHING;
    return {
      found: facts
        .rows('pg_stat_all_tables')
        .filter((item) => isOfPeople(item) && item.flag('autovacuum_enabled') === false)
        .flatMap(foundOf),
    };
  },
  figureAfter: (facts, gone) => {
    const item = tableOf(facts, gone);
    const [dead, changed] = [item?.number('n_dead_tup'), item?.number('n_mod_since_analyze')];
    return dead === null || dead === undefined ? null : dead + (changed ?? 0);
  },
});
