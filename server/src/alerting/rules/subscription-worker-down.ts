// Logical replication that does not run although it is enabled.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'subscription_worker_down',
  category: 'replication',
  metric: 'pg_node_role.subscription_worker_down',
  operator: '==',
  threshold: 1,
  severity: 'critical',
  title: 'Subscription without a worker',
  joins: ':',
  meaning: 'Changes from the publisher are not applied, and its slot retains WAL meanwhile.',
  remedy:
    'Check the server log for the reason: a conflict, a missing table, or too few max_logical_replication_workers.',
  evidence: {
    sql: `select d.datname, s.subname, s.pid, s.received_lsn, s.latest_end_lsn, s.last_msg_receipt_time
    from pg_stat_subscription s
    left join pg_subscription p on p.oid = s.subid
    left join pg_database d on d.oid = p.subdbid
    order by d.datname, s.subname`,
  },
});
