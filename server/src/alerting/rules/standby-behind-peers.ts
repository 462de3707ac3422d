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
  title: 'A standby is behind the others',
  meaning:
    'Another standby has replayed far more: the trouble is on this one or on the way to it, not on the primary.',
  remedy:
    'Look at its disk, its network and the queries that hold its replay back. A standby that waits on purpose (recovery_min_apply_delay) is left out where it is monitored too.',
  evidence: {
    sql: `select application_name, client_addr, state, pg_wal_lsn_diff(max(replay_lsn) over (), replay_lsn) as bytes_behind, replay_lag
    from pg_stat_replication
    order by replay_lsn nulls last`,
  },
  isOurs: true,
});
