// WAL that a slot keeps on disk.
import { rule as replicationSlotRetentionHigh } from './replication-slot-retention-high.ts';
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
  meaning: replicationSlotRetentionHigh.meaning,
  remedy: replicationSlotRetentionHigh.remedy,
  evidence: replicationSlotRetentionHigh.evidence,
});
