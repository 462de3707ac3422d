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
  title: 'WAL kept for a slot has room for days only',
  meaning:
    'Its consumer does not keep up or is away. On that day the WAL fills its disk and the server stops; or, where max_slot_wal_keep_size bounds it, the server removes what the consumer still needs, and that has to be set up anew.',
  remedy:
    'Find out why its consumer is slow or away; set max_slot_wal_keep_size as a bound; drop the slot when nobody needs it.',
  evidence: {
    sql: `select slot_name, slot_type, active, wal_status, pg_size_pretty(safe_wal_size) as safe,
      pg_size_pretty(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn() else pg_current_wal_lsn() end, restart_lsn)) as retained
    from pg_replication_slots
    order by pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn() else pg_current_wal_lsn() end, restart_lsn) desc nulls last`,
  },
  isOurs: true,
});
