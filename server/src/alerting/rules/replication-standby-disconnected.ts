// A standby without a WAL receiver.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'replication_standby_disconnected',
  category: 'replication',
  metric: 'pg_stat_replication.standby_disconnected',
  operator: '==',
  threshold: 1,
  severity: 'critical',
  // After a failover it finds its new primary within seconds.
  lastsSeconds: 30,
  followsFromUpstream: true,
  isOfServer: true,
  title: 'Standby disconnected from its primary',
  meaning: 'The standby receives no WAL. Its data become outdated, and a failover loses changes made since.',
  remedy:
    'Check that the primary is running and reachable. Check primary_conninfo and the log of the standby.',
  evidence: {
    sql: `select pg_is_in_recovery() as is_standby, pg_last_wal_receive_lsn(), pg_last_xact_replay_timestamp(),
      (select count(*) from pg_stat_wal_receiver where (status in ('connecting', 'waiting')) is not true) as receivers`,
  },
});
