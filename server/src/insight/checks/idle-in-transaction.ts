// Sessions that began a transaction and then do nothing.

import { rule } from '../../alerting/rules/idle-in-transaction.ts';
import { rule as long } from '../../alerting/rules/long-running-transaction.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import type { Facts, Item } from './facts.ts';
import { byReload, endSession } from './remedies.ts';
import {
  beganThere,
  clientSessions,
  evidenceOf,
  hiddenSessions,
  isIdleInTransaction,
  keyOfSession,
  nameOfSession,
  SESSION_COLUMNS,
  secondsSince,
  whose,
} from './sessions.ts';
import { defineCheck, type Problem } from './types.ts';

function foundOf(row: Item, seconds: number, facts: Facts): Problem {
  const end = endSession('terminate', row.number('pid'), beganThere(row, facts));
  const isBound = facts.setting('idle_in_transaction_session_timeout') !== '0';
  return {
    database_name: row.text('datname') ?? '',
    object_name: nameOfSession(row),
    object_key: keyOfSession(row),
    severity: seconds > long.threshold ? 'critical' : 'warning',
    message: `A session of ${whose(row)} has been idle in transaction for ${shownValue(seconds, 'seconds')}.`,
    figure: { value: seconds, unit: 'seconds' },
    evidence: evidenceOf(row),
    remedy: isBound
      ? end
      : `${end}\n${byReload('idle_in_transaction_session_timeout', `'${rule.threshold}s'`)}`,
  };
}

export const check = defineCheck({
  name: 'idle_in_transaction',
  category: 'connections',
  title: 'Session idle in transaction',
  figureName: 'idle in transaction',
  meaning: 'It keeps its locks and keeps vacuum from removing dead tuples.',
  advice: 'End the session, fix the application, and set idle_in_transaction_session_timeout.',
  caution: 'The transaction is rolled back, and its client gets an error.',
  source: 'runtime-config-client.html#GUC-IDLE-IN-TRANSACTION-SESSION-TIMEOUT',
  proof: 'stated',
  reads: { pg_stat_activity: SESSION_COLUMNS },
  uses: { pg_settings: ['name', 'setting'] },
  judge: (facts) => ({
    found: clientSessions(facts)
      .filter(isIdleInTransaction)
      .map((row) => [row, secondsSince(row, 'state_change', facts.now)] as const)
      .filter(([, seconds]) => seconds > rule.threshold)
      .map(([row, seconds]) => foundOf(row, seconds, facts)),
    unknown: hiddenSessions(facts),
  }),
});
