// Databases whose transactions waited for each other, and the server ended one of them. Guards: a deadlock now and then is no finding; how
// many in which time is said, and never more than was counted.

import { rule } from '../../alerting/rules/deadlocks-detected.ts';
import { wholeNumber } from '../../kernel/shown-value.ts';
import { DAY_MS } from '../../kernel/units.ts';
import {
  type Counted,
  countedBriefly,
  countedFrom,
  countedWords,
  isCountedBriefly,
  rateIn,
  SINCE_UNKNOWN,
} from './counted.ts';
import type { Facts, Item } from './facts.ts';
import { byReload } from './remedies.ts';
import { defineCheck, type Problem, type Unknown } from './types.ts';

const LEAST_DAILY = 1;
/** One an hour, and enough of them to be no chance. */
const NOTABLE_DAILY = 24;
const NOTABLE = 10;

interface Counts {
  readonly count: number;
  readonly counted: Counted;
}

function foundOf(facts: Facts, database_name: string, { count, counted }: Counts): Problem {
  const daily = rateIn(count, counted, DAY_MS);
  const isNotable = count >= NOTABLE && daily >= NOTABLE_DAILY;
  return {
    database_name,
    object_name: '',
    severity: isNotable ? 'warning' : 'info',
    message: `${wholeNumber(count)} ${count === 1 ? 'deadlock' : 'deadlocks'} ${countedWords(counted)}. PostgreSQL cancelled one transaction of each with an error.`,
    // Of a day, or of what there is of it.
    figure: { value: Math.min(count, daily), unit: 'count' },
    evidence: {
      deadlocks: count,
      deadlocks_per_hour: Math.round(100 * rateIn(count, counted, DAY_MS / 24)) / 100,
      log_lock_waits: facts.setting('log_lock_waits') ?? null,
    },
    remedy: [
      "-- The server log has the statements of each. Search it for 'deadlock detected'.",
      ...(facts.isOn('log_lock_waits') ? [] : [byReload('log_lock_waits', 'on')]),
    ].join('\n'),
    since: counted.since,
  };
}

function judgeOne(facts: Facts, row: Item): { found?: Problem; unknown?: Unknown } {
  const [database_name, count] = [row.text('datname'), row.number('deadlocks')];
  if (database_name === null || count === null) return {};
  const since = facts.countedSince(database_name);
  if (since === null) return { unknown: { because: SINCE_UNKNOWN, mend: null, database_name } };
  const counted = countedFrom(since, facts.now);
  if (count > 0 && rateIn(count, counted, DAY_MS) >= LEAST_DAILY)
    return { found: foundOf(facts, database_name, { count, counted }) };
  return isCountedBriefly(counted)
    ? { unknown: { ...countedBriefly('Deadlocks', counted), database_name } }
    : {};
}

export const check = defineCheck({
  name: 'deadlocks',
  category: 'statements',
  title: 'Deadlocks',
  figureName: 'deadlocks within a day',
  meaning: rule.meaning,
  advice: rule.remedy,
  caution:
    'Applications that retry the transaction lose only time. Logging lock waits writes one line for each wait beyond deadlock_timeout.',
  source: 'explicit-locking.html#LOCKING-DEADLOCKS',
  proof: 'measured',
  reads: {
    pg_stat_database: ['datname', 'deadlocks', 'stats_reset'],
    pg_settings: ['name', 'setting'],
  },
  judge: (facts) => {
    const judged = facts.rows('pg_stat_database').map((row) => judgeOne(facts, row));
    return {
      found: judged.flatMap(({ found }) => found ?? []),
      unknown: judged.flatMap(({ unknown }) => unknown ?? []),
    };
  },
});
