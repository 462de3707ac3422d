// Servers whose pg_stat_statements is too small: statements are thrown out with what they have cost.

import { shownCount, wholeNumber } from '../../kernel/shown-value.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { countedBriefly, countedFrom, countedWords, isCountedBriefly, rateIn } from './counted.ts';
import type { Facts } from './facts.ts';
import { defineCheck, NOTHING, type Problem, unknown } from './types.ts';

const LEAST_EVICTIONS = 10;
/** Each eviction throws out a twentieth of all statements. */
const LEAST_PER_DAY = 4;
const NOTABLE_PER_DAY = 100;
const MOST_ENTRIES = 50_000;

function foundOf(facts: Facts, { dealloc, since }: { dealloc: number; since: number }): Problem {
  const counted = countedFrom(since, facts.now);
  const per_day = rateIn(dealloc, counted, DAY_MS);
  const max = facts.settingNumber('pg_stat_statements.max') ?? 5000;
  const isLarge = 2 * max > MOST_ENTRIES;
  return {
    database_name: '',
    object_name: 'pg_stat_statements.max',
    severity: per_day >= NOTABLE_PER_DAY ? 'warning' : 'info',
    message: `pg_stat_statements has evicted statements ${shownCount(dealloc, 'time')} ${countedWords(counted)} (pg_stat_statements.max ${wholeNumber(max)}).`,
    // Of a day, or of what there is of it.
    figure: { value: Math.min(dealloc, per_day), unit: 'count' },
    evidence: {
      dealloc,
      stats_reset: new Date(since).toISOString(),
      'pg_stat_statements.max': max,
      'pg_stat_statements.track_utility': facts.setting('pg_stat_statements.track_utility') ?? null,
    },
    remedy: isLarge
      ? '-- It is large already. Reduce distinct statements, for example with = any ($1) instead of lists of many lengths.\nalter system set pg_stat_statements.track_utility = off;\nselect pg_reload_conf();'
      : `alter system set pg_stat_statements.max = ${2 * max};\n-- Restart the server afterwards.`,
    since,
  };
}

export const check = defineCheck({
  name: 'statements_evicted',
  category: 'statements',
  title: 'pg_stat_statements.max too small',
  figureName: 'evictions within a day',
  meaning: 'Statement costs are discarded before they are read, so the top lists have gaps.',
  advice: 'Raise pg_stat_statements.max.',
  caution: 'Each entry takes a few kilobytes of shared memory, and a file keeps the texts.',
  source: 'pgstatstatements.html#PGSTATSTATEMENTS-PG-STAT-STATEMENTS-INFO',
  proof: 'measured',
  reads: { pg_stat_statements_info: ['dealloc', 'stats_reset'], pg_settings: ['name', 'setting'] },
  judge: (facts) => {
    const item = facts.row('pg_stat_statements_info');
    const [dealloc, since] = [item?.number('dealloc') ?? null, item?.time('stats_reset') ?? null];
    if (dealloc === null || since === null) return unknown('The last reset of the statements is unknown.');
    const counted = countedFrom(since, facts.now);
    if (dealloc < LEAST_EVICTIONS)
      return isCountedBriefly(counted)
        ? { found: [], unknown: [countedBriefly('Statement evictions', counted)] }
        : NOTHING;
    const found = foundOf(facts, { dealloc, since });
    return (found.figure?.value ?? 0) >= LEAST_PER_DAY ? { found: [found] } : NOTHING;
  },
});
