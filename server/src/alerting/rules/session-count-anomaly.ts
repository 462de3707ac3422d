// How many sessions there are, background processes included.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'session_count_anomaly',
  category: 'connections',
  metric: 'pg_stat_activity.count',
  operator: '>',
  threshold: 200,
  severity: 'warning',
  title: 'High session count',
  reading: 'Sessions, background processes included: {value}',
  meaning:
    'Sessions use memory and slow down every snapshot. Often an application opens them without closing them.',
  remedy: 'Find the application that opens them, and limit its connection pool.',
  evidence: {
    sql: `select backend_type, usename, application_name, count(*)
    from pg_stat_activity
    group by backend_type, usename, application_name
    order by count(*) desc
    limit 20`,
  },
});
