// Sessions of clients against max_connections.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'connection_utilization',
  category: 'connections',
  metric: 'connection_utilization_percent',
  operator: '>',
  threshold: 80,
  severity: 'warning',
  followsFrom: ['connections_exhausted'],
  title: 'Few connections are left',
  meaning: 'When all connections are taken, new clients are refused, at last even administrators.',
  remedy: 'Find out which application holds the sessions, end those that idle, and use a connection pooler.',
  evidence: {
    sql: `select usename, application_name, state, count(*)
    from pg_stat_activity
    where backend_type = 'client backend'
    group by usename, application_name, state
    order by count(*) desc
    limit 20`,
  },
});
