// Slots that the server has invalidated: WAL was removed at max_slot_wal_keep_size, or on a standby rows that decoding needs.
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
    'The server removed what its consumer needs, mostly WAL beyond max_slot_wal_keep_size. The consumer cannot resume.',
  remedy:
    "Rebuild the standby or the subscription, and drop the slot: select pg_drop_replication_slot('name'). If WAL was removed and the disk has room, raise max_slot_wal_keep_size. If rows were removed on a standby, switch hot_standby_feedback on there.",
  evidence: {
    sql: `select slot_name, slot_type, active, wal_status, safe_wal_size, restart_lsn, current_setting('max_slot_wal_keep_size') as most
    from pg_replication_slots
    order by wal_status desc nulls last, slot_name`,
  },
  isOurs: true,
});
