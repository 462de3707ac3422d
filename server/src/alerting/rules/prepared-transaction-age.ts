// Prepared transactions that nobody commits.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'prepared_transaction_age',
  category: 'transactions',
  metric: 'pg_wraparound.prepared_seconds',
  operator: '>',
  threshold: 600,
  severity: 'warning',
  title: 'A prepared transaction was left behind',
  meaning:
    'It holds its locks and keeps vacuum from removing dead rows, also over a restart, until somebody ends it.',
  remedy:
    "Ask its transaction manager what became of it; then commit prepared 'gid' or rollback prepared 'gid' in its database.",
  evidence: {
    sql: `select gid, database, owner, prepared, now() - prepared as age, age(transaction) as transactions_since
    from pg_prepared_xacts
    order by prepared
    limit 20`,
  },
  isOurs: true,
});
