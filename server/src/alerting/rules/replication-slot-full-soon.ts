// WAL kept for a slot that fills its disk, or is removed, within a week.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'replication_slot_full_soon',
  category: 'replication',
  metric: 'pg_replication_slots.days_left',
  operator: '<',
  threshold: 7,
  severity: 'warning',
  // Found twice in a row: one odd day is no date.
  lastsSeconds: 10_800,
  followsFrom: ['replication_slot_lost', 'replication_slot_at_risk'],
  title: 'WAL space exhausted soon for a replication slot',
  joins: ':',
  reading: 'WAL space for the slot runs out in {value}',
  meaning:
    'Its consumer is slow or disconnected. The disk fills up and the server stops. With max_slot_wal_keep_size, the slot loses its WAL and its consumer must be rebuilt.',
  remedy:
    'Find out why the consumer is slow or disconnected. Set max_slot_wal_keep_size as a limit. Drop the slot if it is no longer needed.',
  evidence: {
    sql: `select slot_name, slot_type, active, wal_status, pg_size_pretty(safe_wal_size) as safe,
      pg_size_pretty(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn() else pg_current_wal_lsn() end, restart_lsn)) as retained
    from pg_replication_slots
    order by pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn() else pg_current_wal_lsn() end, restart_lsn) desc nulls last`,
  },
  isOurs: true,
});
