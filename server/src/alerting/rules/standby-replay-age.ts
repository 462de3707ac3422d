// How old the data of a standby are.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'standby_replay_age',
  category: 'replication',
  metric: 'pg_stat_replication.replay_age_seconds',
  operator: '>',
  threshold: 300,
  severity: 'warning',
  followsFromUpstream: true,
  lastsSeconds: 60,
  isOfServer: true,
  saysWhere: { column: 'replay_pause_state', is: 'paused', words: 'WAL replay is paused' },
  title: 'High replay lag',
  reading: 'Last replayed transaction is {value} old',
  meaning: 'Queries on the standby return outdated data, and a failover takes longer.',
  remedy:
    'Look for queries that delay replay and for a slow disk. If replay is paused, run select pg_wal_replay_resume().',
  evidence: {
    sql: `select pg_is_in_recovery() as is_standby, pg_last_wal_receive_lsn() as received, pg_last_wal_replay_lsn() as replayed,
      now() - pg_last_xact_replay_timestamp() as age_of_last_transaction,
      case when pg_is_in_recovery() then pg_get_wal_replay_pause_state() end as pause_state`,
  },
  isOurs: true,
});
