// A slot that nobody reads from keeps WAL for ever. Guards: the metric counts it from 1 GiB on, so that a few kB wake no one.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'replication_slot_inactive',
  category: 'replication',
  metric: 'pg_replication_slots.inactive',
  operator: '==',
  threshold: 1,
  severity: 'critical',
  followsFrom: ['replication_slot_lost'],
  followsFromMember: true,
  title: 'Inactive replication slot',
  meaning:
    'The server retains all WAL that the slot has not confirmed. Without a consumer, it grows until the disk is full.',
  remedy:
    "Start its consumer, or drop the slot if it is not needed: select pg_drop_replication_slot('name').",
  evidence: {
    sql: `select slot_name, slot_type, active, restart_lsn, wal_status
    from pg_replication_slots
    where not active
    order by slot_name`,
  },
});
