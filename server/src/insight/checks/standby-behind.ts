// Standbys and subscribers that are far behind, as the server sees it that they stream from, and as a standby sees it itself.

import { rule } from '../../alerting/rules/replication-lag-bytes.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { lateOnPurpose } from '../../probes/late-standby.ts';
import type { Facts, Item } from './facts.ts';
import { placeOf } from './replicas.ts';
import { defineCheck, type Problem } from './types.ts';

const replication = (facts: Facts) => facts.rows('pg_stat_replication');

/** How the row is called: what the other end calls itself, or this server on a standby. */
const isHere = (row: Item) => row.text('role') === 'standby';
const nameOf = (row: Item) => (isHere(row) ? 'This standby' : `"${row.text('application_name') ?? ''}"`);
const keyOf = (row: Item) => (isHere(row) ? 'standby' : placeOf(row));

const replayingOf = (row: Item) => ({
  row,
  role: row.text('role'),
  replay_lsn: row.text('replay_lsn'),
  is_on_time: row.flag('is_on_time'),
});

/** As the alert rule judges: whatever is behind, from either end, but for what waits on purpose. */
function judged(facts: Facts): Item[] {
  const mates = facts.members.flatMap((member) => replication(member).map(replayingOf));
  const own = replication(facts).map(replayingOf);
  const intended = lateOnPurpose(own, mates);
  return own.flatMap((one) => (intended.has(one) ? [] : [one.row]));
}

function foundOf(row: Item, bytes: number): Problem {
  const name = nameOf(row);
  const lag = row.number('replay_lag');
  const late = lag === null ? '' : `, ${shownValue(lag, 'seconds')}`;
  return {
    database_name: '',
    object_name: isHere(row) ? 'standby' : (row.text('application_name') ?? ''),
    object_key: keyOf(row),
    // As the alert of the same fact: the WAL that it makes the primary keep is judged by the rules and checks of slots.
    severity: rule.severity,
    message: `${name} is ${shownValue(bytes, 'bytes')} of WAL behind${late}.`,
    figure: { value: bytes, unit: 'bytes' },
    evidence: {
      client_addr: row.text('client_addr'),
      state: row.text('state'),
      sync_state: row.text('sync_state'),
      lag_bytes: bytes,
      replay_lag: lag,
    },
    remedy: `-- On the standby: whether replay is paused, and which queries may delay it.
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
  title: 'Replication lag',
  figureName: 'WAL behind',
  meaning: 'Its queries return outdated data. A failover takes longer or loses unreceived changes.',
  advice: 'Check for paused replay, long queries that delay it, and its disk and network.',
  caution:
    'After a bulk load or a restart, it may catch up by itself. A monitored standby with recovery_min_apply_delay is left out.',
  source: 'monitoring-stats.html#MONITORING-PG-STAT-REPLICATION-VIEW',
  proof: 'stated',
  comparesMembers: true,
  reads: {
    pg_stat_replication: [
      'role',
      'replay_lsn',
      'is_on_time',
      'application_name',
      'client_addr',
      'state',
      'sync_state',
      'lag_bytes',
      'replay_lag',
    ],
  },
  judge: (facts) => {
    const rows = judged(facts);
    const hidden = rows.some((row) => !isHere(row) && row.text('state') === null);
    return {
      found: rows.flatMap((row) => {
        const bytes = row.number('lag_bytes');
        return bytes !== null && bytes > rule.threshold ? [foundOf(row, bytes)] : [];
      }),
      unknown: hidden
        ? [
            {
              because: 'The monitoring role lacks permission to see replication lag.',
              mend: 'grant pg_read_all_stats to it',
            },
          ]
        : [],
    };
  },
  figureAfter: (facts, { object_key }) =>
    replication(facts)
      .find((row) => keyOf(row) === object_key)
      ?.number('lag_bytes') ?? null,
});
