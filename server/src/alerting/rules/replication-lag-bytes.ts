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
  title: 'Replication lag',
  joins: 'of',
  reading: 'Replication lag is {value}',
  meaning:
    'Queries on the standby return outdated data. A failover loses changes that the standby has not received.',
  remedy:
    'Check the network and the disk of the standby. Look for a long query there that delays replay. A monitored standby with recovery_min_apply_delay is left out.',
  evidence: {
    sql: `select application_name, client_addr, state, sync_state,
      pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn() else pg_current_wal_lsn() end, replay_lsn) as lag_bytes, replay_lag
    from pg_stat_replication
    order by lag_bytes desc nulls last`,
  },
});
