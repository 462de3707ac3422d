// Sessions that did not end as they should: the client went away, or an error ended them.
import { shownValue } from '../../kernel/shown-value.ts';
import type { Facts, Item } from './facts.ts';
import { byReload } from './remedies.ts';
import { defineCheck, type Problem } from './types.ts';

const LEAST_SESSIONS = 1000;
const NOTABLE_PERCENT = 5;
const HIGH_PERCENT = 25;

function foundIn(row: Item, facts: Facts): Problem[] {
  const sessions = row.number('sessions');
  const abandoned = row.number('sessions_abandoned');
  const fatal = row.number('sessions_fatal');
  if (sessions === null || abandoned === null || fatal === null || sessions < LEAST_SESSIONS) return [];
  const lost = abandoned + fatal;
  const percent = (100 * lost) / sessions;
  if (percent < NOTABLE_PERCENT) return [];
  const since = facts.countedSince(row.database_name);
  return [
    {
      database_name: row.database_name,
      object_name: '',
      severity: percent >= HIGH_PERCENT ? 'warning' : 'info',
      message: `${shownValue(lost, 'count')} of ${shownValue(sessions, 'count')} sessions (${shownValue(percent, 'percent')}) ended abnormally. Lost clients: ${shownValue(abandoned, 'count')}. Fatal errors: ${shownValue(fatal, 'count')}.`,
      figure: { value: percent, unit: 'percent' },
      evidence: {
        sessions,
        sessions_abandoned: abandoned,
        sessions_fatal: fatal,
        sessions_killed: row.number('sessions_killed'),
      },
      // The log then says which clients they are.
      remedy: byReload('log_disconnections', 'on'),
      ...(since !== null && { since }),
    },
  ];
}

export const check = defineCheck({
  name: 'lost_sessions',
  category: 'connections',
  title: 'Abnormally ended sessions',
  figureName: 'of all sessions',
  meaning:
    'Clients crash, or the network or a firewall drops connections. Their open transactions are rolled back.',
  advice: 'Log disconnections to find the clients. Check timeouts of pools, load balancers and firewalls.',
  caution: 'Some drivers never close their connections properly. Each such session then adds one log line.',
  source: 'monitoring-stats.html#MONITORING-PG-STAT-DATABASE-VIEW',
  proof: 'measured',
  reads: {
    pg_stat_database: [
      'datname',
      'sessions',
      'sessions_abandoned',
      'sessions_fatal',
      'sessions_killed',
      'stats_reset',
    ],
  },
  judge: (facts) => ({ found: facts.rows('pg_stat_database').flatMap((row) => foundIn(row, facts)) }),
});
