// Slots that are beyond max_slot_wal_keep_size.
import { rule as replicationSlotLost } from './replication-slot-lost.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'replication_slot_at_risk',
  category: 'replication',
  metric: 'pg_replication_slots.at_risk',
  operator: '==',
  threshold: 1,
  severity: 'warning',
  followsFrom: ['replication_slot_lost'],
  title: 'Replication slot about to lose WAL',
  joins: ':',
  meaning:
    'The slot retains more than max_slot_wal_keep_size. The next checkpoint may remove WAL that its consumer still needs.',
  remedy: 'Start its consumer, or raise max_slot_wal_keep_size while the disk has room. A reload is enough.',
  evidence: replicationSlotLost.evidence,
  isOurs: true,
});
