// Slots whose WAL was removed by max_slot_wal_keep_size.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'replication_slot_lost',
  category: 'replication',
  metric: 'pg_replication_slots.lost',
  operator: '==',
  threshold: 1,
  severity: 'critical',
  title: 'Lost replication slot',
  meaning:
    'Its consumer fell behind by more than max_slot_wal_keep_size. WAL that it needs was removed, so it cannot resume.',
  remedy:
    "Rebuild the standby or the subscription, and drop the slot: select pg_drop_replication_slot('name'). If the disk has room, raise max_slot_wal_keep_size.",
  evidence: {
    sql: `select slot_name, slot_type, active, wal_status, safe_wal_size, restart_lsn, current_setting('max_slot_wal_keep_size') as most
    from pg_replication_slots
    order by wal_status desc nulls last, slot_name`,
  },
  isOurs: true,
});
