// Sessions of what ordinary roles can have.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'connections_exhausted',
  category: 'connections',
  metric: 'pg_stat_activity.usable_connections_percent',
  operator: '>',
  threshold: 95,
  severity: 'critical',
  title: 'Connections almost exhausted',
  reading: '{value} of the non-reserved connections are used',
  meaning: 'When all of them are used, new clients are refused.',
  remedy:
    'End idle sessions with pg_terminate_backend(pid). Find the application that opens them, and use a connection pooler.',
  evidence: {
    sql: `select datname, usename, application_name, state, count(*)
    from pg_stat_activity
    where backend_type = 'client backend'
    group by datname, usename, application_name, state
    order by count(*) desc
    limit 20`,
  },
  isOurs: true,
});
