// A standby against the other standbys of its primary.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'standby_behind_peers',
  category: 'replication',
  metric: 'pg_stat_replication.behind_peers_bytes',
  operator: '>',
  threshold: 33554432,
  severity: 'warning',
  lastsSeconds: 300,
  followsFrom: ['replication_lag_bytes'],
  followsFromMember: true,
  allowsDelay: true,
  title: 'Standby behind the other standbys',
  joins: ':',
  reading: 'Lag behind the most advanced standby is {value}',
  meaning: 'The cause is this standby or its network, not the primary.',
  remedy:
    'Check its disk, its network and queries that delay replay. A monitored standby with recovery_min_apply_delay is left out.',
  evidence: {
    sql: `select application_name, client_addr, state, pg_wal_lsn_diff(max(replay_lsn) over (), replay_lsn) as bytes_behind, replay_lag
    from pg_stat_replication
    order by replay_lsn nulls last`,
  },
  isOurs: true,
});
