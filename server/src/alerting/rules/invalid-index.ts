// Indexes that a failed build has left.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'invalid_index',
  category: 'maintenance',
  metric: 'pg_index_health.invalid',
  operator: '==',
  threshold: 1,
  severity: 'warning',
  lastsSeconds: 1800,
  title: 'Invalid index',
  meaning:
    'No query uses the index, yet every write maintains it. Usually a failed create index concurrently or reindex concurrently left it behind.',
  remedy:
    'Rebuild it with reindex index concurrently, or drop it. Drop one whose name ends in _ccnew or _ccold.',
  evidence: {
    sql: `select c.oid::regclass as index, i.indrelid::regclass as of_table, i.indisready, pg_size_pretty(pg_relation_size(c.oid)) as size
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid
    order by pg_relation_size(c.oid) desc
    limit 20`,
  },
  isOurs: true,
});
