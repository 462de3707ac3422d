// Standbys and subscribers that are far behind, as the server sees it that they stream from.

import { rule } from '../../alerting/rules/replication-lag-bytes.ts';
import { rule as veryMuch } from '../../alerting/rules/replication-slot-retention-high.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import type { Item } from './facts.ts';
import { placeOf, senders } from './replicas.ts';
import { defineCheck, type Problem } from './types.ts';

function foundOf(row: Item, bytes: number): Problem {
  const name = row.text('application_name') ?? '';
  const lag = row.number('replay_lag');
  const late = lag === null ? '' : ` and ${shownValue(lag, 'seconds')}`;
  return {
    database_name: '',
    object_name: name,
    object_key: placeOf(row),
    severity: bytes >= veryMuch.threshold ? 'critical' : 'warning',
    message: `${name} is ${shownValue(bytes, 'bytes')} of WAL${late} behind.`,
    figure: { value: bytes, unit: 'bytes' },
    evidence: {
      client_addr: row.text('client_addr'),
      state: row.text('state'),
      sync_state: row.text('sync_state'),
      lag_bytes: bytes,
      replay_lag: lag,
    },
    remedy: `-- On that server: whether replay is paused, and which queries may hold it back.
select pg_get_wal_replay_pause_state();
select pid, usename, application_name, now() - xact_start as age, left(query, 100) as query
from pg_stat_activity
where xact_start is not null
order by xact_start;`,
  };
}

export const check = defineCheck({
  name: 'standby_behind',
  category: 'replication',
  title: 'Standby or subscriber far behind',
  meaning: 'Its readers see old data, and a failover to it takes longer or loses what it has not received.',
  advice: 'Look there for paused replay, for long queries that hold it back, and at its disk and network.',
  caution: 'After a large load or a restart it may catch up by itself; a standby may be late on purpose.',
  source: 'monitoring-stats.html#MONITORING-PG-STAT-REPLICATION-VIEW',
  proof: 'stated',
  reads: {
    pg_stat_replication: [
      'role',
      'application_name',
      'client_addr',
      'state',
      'sync_state',
      'lag_bytes',
      'replay_lag',
    ],
  },
  judge: (facts) => {
    const rows = senders(facts);
    const hidden = rows.some((row) => row.text('state') === null);
    return {
      found: rows.flatMap((row) => {
        const bytes = row.number('lag_bytes');
        return bytes !== null && bytes > rule.threshold ? [foundOf(row, bytes)] : [];
      }),
      unknown: hidden
        ? [{ because: 'Our role may not see how far standbys are.', mend: 'grant pg_read_all_stats to it' }]
        : [],
    };
  },
  figureAfter: (facts, { object_key }) =>
    senders(facts)
      .find((row) => placeOf(row) === object_key)
      ?.number('lag_bytes') ?? null,
});
