// Databases whose clients connect anew for a few statements each time. Guards: where nobody knows over how long the counters counted
// it is unknown.
import { shownValue } from '../../kernel/shown-value.ts';
import { SINCE_UNKNOWN } from './counted.ts';
import type { Facts, Item } from './facts.ts';
import { defineCheck, type Problem, type Unknown } from './types.ts';

const LEAST_SESSIONS = 10_000;
/** A rate is over an hour at least. */
const LEAST_SECONDS = 3600;
/** Sessions a second from which the forks are worth a pooler, and from which they hurt. */
const NOTABLE_RATE = 1;
const HIGH_RATE = 20;
const SHORT_SECONDS = 1;

function foundOf(row: Item, of: { sessions: number; mean: number; seconds: number }): Problem {
  const { sessions, mean, seconds } = of;
  const rate = sessions / seconds;
  const often = `${shownValue(rate, 'count')} per second`;
  return {
    database_name: row.database_name,
    object_name: '',
    severity: rate >= HIGH_RATE ? 'warning' : 'info',
    message: `${shownValue(sessions, 'count')} sessions were opened, ${often}, with a mean duration of ${shownValue(mean, 'seconds')}.`,
    figure: { value: rate, unit: 'count' },
    evidence: { sessions, mean_session_seconds: mean, sessions_per_second: rate },
    remedy: `# PgBouncer in front of the server, for example; clients then connect to port 6432:
[databases]
* = host=127.0.0.1 port=5432
[pgbouncer]
listen_port = 6432
pool_mode = transaction`,
  };
}

function judgeOne(row: Item, facts: Facts): { found?: Problem; unknown?: Unknown } {
  const sessions = row.number('sessions');
  const time = row.number('session_time');
  if (sessions === null || time === null || sessions < LEAST_SESSIONS) return {};
  const mean = time / 1000 / sessions;
  const since = facts.countedSince(row.database_name);
  if (mean >= SHORT_SECONDS) return {};
  if (since === null) {
    return { unknown: { because: SINCE_UNKNOWN, mend: null, database_name: row.database_name } };
  }
  const seconds = Math.max(LEAST_SECONDS, (facts.now - since) / 1000);
  if (sessions / seconds < NOTABLE_RATE) return {};
  return { found: { ...foundOf(row, { sessions, mean, seconds }), since } };
}

export const check = defineCheck({
  name: 'short_sessions',
  category: 'connections',
  title: 'High connection churn',
  figureName: 'sessions per second',
  meaning: 'Each session starts a process and loads the catalogs, which costs more than its work.',
  advice: 'Keep connections open in an application pool or a pooler such as PgBouncer.',
  caution: 'In transaction mode, a pooler keeps no session state: temporary tables, SET, LISTEN.',
  source: 'monitoring-stats.html#MONITORING-PG-STAT-DATABASE-VIEW',
  proof: 'measured',
  reads: { pg_stat_database: ['datname', 'sessions', 'session_time', 'stats_reset'] },
  judge: (facts) => {
    const judged = facts.rows('pg_stat_database').map((row) => judgeOne(row, facts));
    return {
      found: judged.flatMap(({ found }) => found ?? []),
      unknown: judged.flatMap(({ unknown }) => unknown ?? []),
    };
  },
});
