// How many sessions there are, background processes included.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'session_count_anomaly',
  category: 'connections',
  metric: 'pg_stat_activity.count',
  operator: '>',
  threshold: 200,
  severity: 'warning',
  title: 'There are unusually many sessions',
  meaning:
    'Many sessions at once take memory and make every snapshot dearer; often an application opens them without closing them.',
  remedy: 'Find out which application opens them; limit its pool.',
  evidence: {
    sql: `select backend_type, usename, application_name, count(*)
    from pg_stat_activity
    group by backend_type, usename, application_name
    order by count(*) desc
    limit 20`,
  },
});
