// Slots whose WAL was removed by max_slot_wal_keep_size.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'replication_slot_lost',
  category: 'replication',
  metric: 'pg_replication_slots.lost',
  operator: '==',
  threshold: 1,
  severity: 'critical',
  title: 'A replication slot has lost its WAL',
  meaning:
    'The consumer fell behind by more than max_slot_wal_keep_size, and WAL that it needs is gone: it cannot go on from there.',
  remedy:
    "Build the standby or the subscription anew, and drop the slot: select pg_drop_replication_slot('name'). Let more be kept if there is room.",
  evidence: {
    sql: `select slot_name, slot_type, active, wal_status, safe_wal_size, restart_lsn, current_setting('max_slot_wal_keep_size') as most
    from pg_replication_slots
    order by wal_status desc nulls last, slot_name`,
  },
  isOurs: true,
});
