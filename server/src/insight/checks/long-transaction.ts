// Transactions that have been at work for long.

import { rule } from '../../alerting/rules/long-running-transaction.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import type { Item } from './facts.ts';
import { endSession } from './remedies.ts';
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

const DAY = 86_400;
/** They read all of a database in one transaction, which may well take hours. */
const DUMPS = new Set(['pg_dump', 'pg_dumpall']);

function severityOf(row: Item, seconds: number): Problem['severity'] {
  if (seconds > DAY) return 'critical';
  return DUMPS.has(row.text('application_name') ?? '') ? 'info' : 'warning';
}

export const check = defineCheck({
  name: 'long_transaction',
  category: 'connections',
  title: 'Long-running transaction',
  figureName: 'transaction duration',
  meaning:
    'Vacuum cannot remove rows deleted since it began. On a standby, it may delay replay instead. It may also hold locks.',
  advice: 'Let its application commit sooner, or cancel its statement.',
  caution: 'Its work so far is rolled back.',
  source: 'routine-vacuuming.html#VACUUM-BASICS',
  proof: 'stated',
  reads: { pg_stat_activity: SESSION_COLUMNS },
  judge: (facts) => ({
    found: clientSessions(facts)
      // Those that idle are the matter of another check, and a vacuum keeps no dead rows.
      .filter((row) => !isIdleInTransaction(row) && row.flag('is_vacuum') !== true)
      .map((row) => [row, secondsSince(row, 'xact_start', facts.now)] as const)
      .filter(([, seconds]) => seconds > rule.threshold)
      .map(([row, seconds]) => ({
        database_name: row.text('datname') ?? '',
        object_name: nameOfSession(row),
        object_key: keyOfSession(row),
        severity: severityOf(row, seconds),
        message: `A transaction of ${whose(row)} has been open for ${shownValue(seconds, 'seconds')}.`,
        figure: { value: seconds, unit: 'seconds' },
        evidence: evidenceOf(row),
        remedy: endSession('cancel', row.number('pid'), beganThere(row, facts)),
      })),
    unknown: hiddenSessions(facts),
  }),
});
