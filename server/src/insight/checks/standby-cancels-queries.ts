// Standbys that cancel queries because recovery has to go on. Guards: conflicts with vacuum count only while hot_standby_feedback is
// off, since they are history once it is on; a few a day are how a standby works.

import { shownCount, wholeNumber } from '../../kernel/shown-value.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { countedFrom, countedWords, rateIn, SINCE_UNKNOWN } from './counted.ts';
import type { Facts, Item } from './facts.ts';
import { byReload } from './remedies.ts';
import { defineCheck, type Problem, type Unknown } from './types.ts';

const LEAST = 10;
const LEAST_DAILY = 10;
const NOTABLE_DAILY = 1000;

/** What the feedback of a standby prevents. */
const OF_VACUUM = ['confl_snapshot', 'confl_bufferpin'] as const;
const OF_OTHERS = ['confl_lock', 'confl_deadlock', 'confl_tablespace'] as const;

const sum = (row: Item, names: readonly string[]) =>
  names.reduce((all, name) => all + (row.number(name) ?? 0), 0);

const cancelled = (facts: Facts, row: Item) =>
  sum(row, facts.isOn('hot_standby_feedback') ? OF_OTHERS : [...OF_VACUUM, ...OF_OTHERS]);

function remedyOf(facts: Facts, row: Item): string {
  return !facts.isOn('hot_standby_feedback') && sum(row, OF_VACUUM) >= sum(row, OF_OTHERS)
    ? byReload('hot_standby_feedback', 'on')
    : byReload('max_standby_streaming_delay', '5min');
}

function judgeOne(facts: Facts, row: Item): { found?: Problem; unknown?: Unknown } {
  const count = cancelled(facts, row);
  if (count < LEAST) return {};
  const { database_name } = row;
  const since = facts.countedSince(database_name);
  if (since === null) return { unknown: { because: SINCE_UNKNOWN, mend: null, database_name } };
  const counted = countedFrom(since, facts.now);
  const daily = rateIn(count, counted, DAY_MS);
  if (daily < LEAST_DAILY) return {};
  const found: Problem = {
    database_name,
    object_name: '',
    severity: daily >= NOTABLE_DAILY ? 'warning' : 'info',
    message: `${shownCount(count, 'query was', 'queries were')} cancelled by recovery ${countedWords(counted)}. Of these, ${wholeNumber(sum(row, ['confl_snapshot']))} needed rows that vacuum removed on the primary.`,
    // Of a day, or of what there is of it.
    figure: { value: Math.min(count, daily), unit: 'count' },
    evidence: {
      ...Object.fromEntries([...OF_VACUUM, ...OF_OTHERS].map((name) => [name, row.number(name)])),
      hot_standby_feedback: facts.setting('hot_standby_feedback') ?? null,
      max_standby_streaming_delay: facts.setting('max_standby_streaming_delay') ?? null,
    },
    remedy: remedyOf(facts, row),
    since,
  };
  return { found };
}

export const check = defineCheck({
  name: 'standby_cancels_queries',
  category: 'replication',
  title: 'Cancelled queries on a standby',
  figureName: 'cancelled within a day',
  meaning: 'Long queries on this standby fail and must be retried.',
  advice: 'Turn on hot_standby_feedback, or raise max_standby_streaming_delay.',
  caution:
    'With feedback, vacuum on the primary keeps dead tuples that queries here need. With a longer delay, the standby falls behind.',
  source: 'hot-standby.html#HOT-STANDBY-CONFLICT',
  proof: 'measured',
  where: 'standby',
  reads: {
    pg_stat_database_conflicts: [...OF_VACUUM, ...OF_OTHERS],
    pg_settings: ['name', 'setting'],
    pg_stat_database: ['datname', 'stats_reset'],
  },
  judge: (facts) => {
    const judged = facts.rows('pg_stat_database_conflicts').map((row) => judgeOne(facts, row));
    return {
      found: judged.flatMap(({ found }) => found ?? []),
      unknown: judged.flatMap(({ unknown }) => unknown ?? []),
    };
  },
});
