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
  title: 'max_connections is set very high',
  meaning:
    'Every session may take memory of its own, and every snapshot looks at all of them: a high limit lets a rush of clients slow down or exhaust the server.',
  remedy:
    'Put a connection pooler such as PgBouncer in front of the server and lower max_connections; the change needs a restart.',
  evidence: {
    sql: `select name, setting, source, pending_restart
    from pg_settings
    where name = 'max_connections'`,
  },
});
