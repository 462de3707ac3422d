// Tables that autovacuum should have vacuumed: dead rows far beyond its own threshold, and no vacuum at work. Guards: a bulk
// change a moment ago is no neglect, so a table counts only when its last vacuum, or the statistics, are older than that.

import { rule as bloatRule } from '../../alerting/rules/table-bloat-ratio.ts';
import { shownTime, wholeNumber } from '../../kernel/shown-value.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { countedFrom, countedWords, LEAST_COUNTED_MS } from './counted.ts';
import type { Facts, Item } from './facts.ts';
import {
  countedSinceOf,
  isoOrNull,
  lastVacuumOf,
  ofTable,
  TABLE_COLUMNS,
  tableName,
  tableOf,
  tablesAtWork,
} from './tables.ts';
import { defineCheck, type Problem } from './types.ts';
import { qualified } from './units.ts';

const LEAST_DEAD = 10_000;
const LEAST_FACTOR = 2;
const NOTABLE_DEAD = 1_000_000;
/** As long as autovacuum may well take to get to it. */
const LEAST_HOURS = 6;

/** Since when it was not vacuumed, as far as that is known. */
function unvacuumedSince(facts: Facts, item: Item): number | null {
  return lastVacuumOf(item) ?? countedSinceOf(facts, item);
}

function foundOf(facts: Facts, item: Item): Problem | [] {
  const [dead, threshold] = [item.number('n_dead_tup'), item.number('vacuum_threshold')];
  if (dead === null || threshold === null) return [];
  if (dead < LEAST_DEAD || dead < LEAST_FACTOR * threshold) return [];
  const since = unvacuumedSince(facts, item);
  if (since === null || facts.now - since < LEAST_COUNTED_MS) return [];
  const isLong = facts.now - since >= LEAST_HOURS * HOUR_MS;
  if (!isLong && lastVacuumOf(item) !== null) return [];
  const live = item.number('n_live_tup') ?? 0;
  const percent = Math.round((100 * dead) / Math.max(live, 1));
  const isMuch = isLong && dead >= NOTABLE_DEAD && percent > bloatRule.threshold;
  const last = lastVacuumOf(item);
  const when =
    last === null
      ? `It was not vacuumed ${countedWords(countedFrom(since, facts.now))}`
      : `Its last vacuum was at ${shownTime(last)}`;
  return {
    ...ofTable(item),
    severity: isMuch ? 'warning' : 'info',
    message: `"${tableName(item)}" has ${wholeNumber(dead)} dead tuples and ${wholeNumber(live)} live tuples (autovacuum threshold ${wholeNumber(threshold)}). ${when}.`,
    figure: { value: dead, unit: 'rows' },
    evidence: {
      n_dead_tup: dead,
      n_live_tup: live,
      vacuum_threshold: threshold,
      last_vacuum: isoOrNull(last),
      autovacuum_count: item.number('autovacuum_count'),
    },
    remedy: `vacuum (analyze, verbose) ${qualified(item.text('schemaname'), item.text('relname'))};`,
  };
}

export const check = defineCheck({
  name: 'dead_rows',
  category: 'vacuum',
  title: 'Too many dead tuples',
  figureName: 'dead tuples',
  meaning: 'Queries read past dead tuples, and the table and its indexes bloat.',
  advice: 'Vacuum the table, and find out why autovacuum does not.',
  caution:
    'Vacuum cannot remove tuples that an old transaction, replication slot or standby may still need. Fix that first.',
  source: 'routine-vacuuming.html#AUTOVACUUM',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_stat_all_tables: [
      ...TABLE_COLUMNS,
      'n_dead_tup',
      'n_live_tup',
      'vacuum_threshold',
      'last_vacuum',
      'last_autovacuum',
      'autovacuum_count',
      'autovacuum_enabled',
      'stats_reset',
    ],
    pg_stat_database: ['datname', 'stats_reset'],
  },
  uses: { pg_stat_progress: ['command', 'relid'] },
  judge: (facts) => {
    const atWork = tablesAtWork(facts, 'VACUUM');
    return {
      found: facts
        .rows('pg_stat_all_tables')
        // Those for which it is off are found as that.
        .filter((item) => item.flag('autovacuum_enabled') !== false && !atWork.has(item.text('relid') ?? ''))
        .flatMap((item) => foundOf(facts, item)),
    };
  },
  figureAfter: (facts, gone) => tableOf(facts, gone)?.number('n_dead_tup') ?? null,
});
