// WAL that a standby has not replayed yet.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'replication_lag_bytes',
  category: 'replication',
  metric: 'pg_stat_replication.lag_bytes',
  operator: '>',
  threshold: 104_857_600,
  severity: 'warning',
  followsFromUpstream: true,
  followsFromMember: true,
  allowsDelay: true,
  title: 'A standby is behind',
  meaning:
    'What a standby has not replayed is not seen by its readers, and is lost in a failover when it has not been received either.',
  remedy:
    'Look at the network and the disk of the standby, and for a long query there that holds replay back. A standby that waits on purpose (recovery_min_apply_delay) is left out where it is monitored too.',
  evidence: {
    sql: `select application_name, client_addr, state, sync_state,
      pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn() else pg_current_wal_lsn() end, replay_lsn) as lag_bytes, replay_lag
    from pg_stat_replication
    order by lag_bytes desc nulls last`,
  },
});
