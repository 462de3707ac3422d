// Sessions of clients against what the server allows.

import { rule as utilization } from '../../alerting/rules/connection-utilization.ts';
import { rule as exhausted } from '../../alerting/rules/connections-exhausted.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { clientSessions, countOf, holders, SESSION_COLUMNS } from './sessions.ts';
import { defineCheck, foundOnServer, NOTHING, unknown } from './types.ts';

export const check = defineCheck({
  name: 'connections_nearly_used_up',
  category: 'connections',
  title: 'High connection usage',
  figureName: 'connections in use',
  meaning: 'When all connections are used, new clients are refused.',
  advice: 'End idle sessions, reduce pool sizes, and use a connection pooler.',
  caution: 'A higher max_connections costs memory, needs a restart and makes connection storms worse.',
  source: 'runtime-config-connection.html#GUC-MAX-CONNECTIONS',
  proof: 'stated',
  reads: {
    pg_stat_activity: SESSION_COLUMNS,
    pg_server_info: ['max_connections', 'usable_connections'],
  },
  judge: (facts) => {
    const most = facts.row('pg_server_info')?.number('max_connections') ?? null;
    const usable = facts.row('pg_server_info')?.number('usable_connections') ?? null;
    if (most === null || usable === null || usable <= 0) return unknown('max_connections is unknown.');
    const sessions = clientSessions(facts);
    const count = countOf(sessions);
    if ((100 * count) / most <= utilization.threshold) return NOTHING;
    const percent = (100 * count) / usable;
    return foundOnServer({
      object_name: 'max_connections',
      severity: percent > exhausted.threshold ? 'critical' : 'warning',
      message: `${count} of ${usable} non-reserved connections are used (${shownValue(percent, 'percent')}).`,
      figure: { value: count, unit: 'count', promised: Math.floor(usable / 2) },
      evidence: { sessions: count, max_connections: most, usable_connections: usable },
      rows: holders(sessions),
      remedy: `-- Sessions by user and application; pg_terminate_backend(pid) ends unneeded ones.
select usename, application_name, client_addr, state, count(*), max(now() - state_change) as longest
from pg_stat_activity
where backend_type = 'client backend'
group by usename, application_name, client_addr, state
order by count(*) desc;`,
    });
  },
  figureAfter: (facts) => countOf(clientSessions(facts)),
});
