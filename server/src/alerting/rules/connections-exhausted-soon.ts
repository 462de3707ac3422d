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
  title: 'Connections will be exhausted within days',
  meaning:
    'The highest number of sessions of a day grew from day to day. When it reaches what max_connections allows beside the reserved ones, new clients are refused.',
  remedy:
    'Find out which application opens more of them each day, and whether it closes them; use a connection pooler. A higher max_connections takes memory and a restart.',
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
