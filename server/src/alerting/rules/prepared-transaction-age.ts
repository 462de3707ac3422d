// Prepared transactions that nobody commits.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'prepared_transaction_age',
  category: 'transactions',
  metric: 'pg_wraparound.prepared_seconds',
  operator: '>',
  threshold: 600,
  severity: 'warning',
  namesObjects: { column: 'prepared_gid' },
  joins: 'in',
  title: 'Orphaned prepared transaction',
  reading: 'Oldest prepared transaction has been open for {value}',
  meaning: 'It keeps its locks and keeps vacuum from removing dead tuples, even across a restart.',
  remedy:
    "Ask its transaction manager for its state. Then run commit prepared 'gid' or rollback prepared 'gid' in its database.",
  evidence: {
    sql: `select gid, database, owner, prepared, now() - prepared as age, age(transaction) as transactions_since
    from pg_prepared_xacts
    order by prepared
    limit 20`,
  },
  isOurs: true,
});
