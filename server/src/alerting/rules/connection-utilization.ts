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
  title: 'High connection usage',
  reading: 'Client sessions use {value} of max_connections',
  meaning: 'When all connections are used, new clients are refused, at last even administrators.',
  remedy: 'Find the application that holds the sessions. End idle sessions and use a connection pooler.',
  evidence: {
    sql: `select usename, application_name, state, count(*)
    from pg_stat_activity
    where backend_type = 'client backend'
    group by usename, application_name, state
    order by count(*) desc
    limit 20`,
  },
});
