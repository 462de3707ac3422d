// A limit on sessions so high that it protects nothing.

import { rule } from '../../alerting/rules/high-max-connections.ts';
import { shownCount } from '../../kernel/shown-value.ts';
import { byRestart } from './remedies.ts';
import { clientSessions, countOf, SESSION_COLUMNS } from './sessions.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

const VERY_HIGH = 2 * rule.threshold;
const STEP = 100;

export const check = defineCheck({
  name: 'max_connections_high',
  category: 'connections',
  title: 'High max_connections',
  figureName: 'connections allowed',
  meaning: 'Each session may use memory, and a connection storm can slow down or exhaust the server.',
  advice: 'Put a connection pooler in front of the server and lower the limit.',
  caution:
    'It needs a restart, on the primary first. Standbys must not have a lower value than their primary.',
  source: 'runtime-config-connection.html#GUC-MAX-CONNECTIONS',
  proof: 'stated',
  where: 'primary',
  reads: { pg_settings: ['name', 'setting'], pg_stat_activity: SESSION_COLUMNS },
  judge: (facts) => {
    const most = facts.settingNumber('max_connections') ?? 0;
    if (most <= rule.threshold) return NOTHING;
    const sessions = countOf(clientSessions(facts));
    // Room for twice as many as there are.
    const enough = Math.max(2, Math.ceil((2 * sessions) / STEP)) * STEP;
    if (enough >= most) return NOTHING;
    return foundOnServer({
      object_name: 'max_connections',
      severity: most > VERY_HIGH ? 'warning' : 'info',
      message: `max_connections is ${most}, and ${shownCount(sessions, 'connection is', 'connections are')} in use.`,
      figure: { value: most, unit: 'count', promised: enough },
      evidence: { max_connections: most, sessions },
      remedy: byRestart('max_connections', String(enough)),
    });
  },
  figureAfter: (facts) => facts.settingNumber('max_connections') ?? null,
});
