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
  title: 'The standby receives no WAL',
  meaning:
    'The standby has no connection to its primary: its data grow older, and a failover to it would lose what was written since.',
  remedy:
    "Check that the primary runs and can be reached, that primary_conninfo is right, and what the standby's log says.",
  evidence: {
    sql: `select pg_is_in_recovery() as is_standby, pg_last_wal_receive_lsn(), pg_last_xact_replay_timestamp(),
      (select count(*) from pg_stat_wal_receiver) as receivers`,
  },
});
