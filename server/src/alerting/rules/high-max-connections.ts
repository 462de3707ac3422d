// A limit on sessions so high that it does not protect the server.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'high_max_connections',
  category: 'connections',
  metric: 'pg_settings.max_connections',
  operator: '>',
  threshold: 500,
  severity: 'warning',
  isOfServer: true,
  title: 'High max_connections',
  reading: 'max_connections is {value}',
  meaning:
    'Each session may allocate its own memory, and each snapshot scans all sessions. A high limit lets a burst of clients exhaust the server.',
  remedy:
    'Put a connection pooler such as PgBouncer in front of the server and lower max_connections. The change needs a restart.',
  evidence: {
    sql: `select name, setting, source, pending_restart
    from pg_settings
    where name = 'max_connections'`,
  },
});
