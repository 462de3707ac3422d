// WAL that a slot keeps on disk.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'replication_slot_retention_warn',
  category: 'replication',
  metric: 'pg_replication_slots.max_retained_bytes',
  operator: '>=',
  threshold: 1_073_741_824,
  severity: 'warning',
  followsFrom: ['replication_slot_retention_high', 'replication_slot_inactive'],
  title: 'High WAL retention by a replication slot',
  joins: ':',
  reading: 'Most WAL retained by a slot: {value}',
  meaning: 'WAL stays on disk until the consumer confirms it, and may fill the disk.',
  remedy:
    'Find out why the consumer is slow or disconnected. Set max_slot_wal_keep_size as a limit. Drop the slot if it is no longer needed.',
  evidence: {
    sql: `select slot_name, slot_type, active, wal_status,
      pg_size_pretty(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn() else pg_current_wal_lsn() end, restart_lsn)) as retained
    from pg_replication_slots
    order by pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn() else pg_current_wal_lsn() end, restart_lsn) desc nulls last`,
  },
});
