// Daily peaks of sessions that reach what is allowed within a week.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'connections_exhausted_soon',
  category: 'connections',
  metric: 'pg_stat_database.connection_days_left',
  operator: '<',
  threshold: 7,
  severity: 'warning',
  // Found twice in a row: one odd day is no date.
  lastsSeconds: 10_800,
  followsFrom: ['connections_exhausted'],
  title: 'Connections exhausted soon',
  reading: 'Connections run out in {value}',
  meaning:
    'The daily peak of sessions keeps growing. At max_connections minus the reserved connections, new clients are refused.',
  remedy:
    'Find the application that opens more connections each day, and check that it closes them. Use a connection pooler. A higher max_connections costs memory and needs a restart.',
  evidence: {
    sql: `select datname, usename, application_name, state, count(*), min(backend_start) as oldest
    from pg_stat_activity
    where backend_type = 'client backend'
    group by datname, usename, application_name, state
    order by count(*) desc
    limit 20`,
  },
  isOurs: true,
});
