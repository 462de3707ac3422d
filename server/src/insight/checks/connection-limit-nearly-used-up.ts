// Sessions of clients against what single databases and roles are allowed.
import { rule as utilization } from '../../alerting/rules/connection-utilization.ts';
import type { Facts } from './facts.ts';
import { clientSessions, countOf, holders, SESSION_COLUMNS } from './sessions.ts';
import { defineCheck } from './types.ts';
import { quoted } from './units.ts';

/** A limit of fewer is mostly there to be used up, as of a role for one program. */
const FEWEST = 10;

const LIMITS = [
  { kind: 'database', probe: 'pg_database', name: 'datname', limit: 'datconnlimit', of: 'datname' },
  { kind: 'role', probe: 'pg_roles', name: 'rolname', limit: 'rolconnlimit', of: 'usename' },
] as const;
const keyOf = (kind: string, name: string) => `${kind} ${name}`;

/** Databases and roles with a limit of their own, and who holds their sessions. Superusers are let in all the same. */
const limited = (facts: Facts) =>
  LIMITS.flatMap(({ kind, probe, name, limit, of }) =>
    facts.rows(probe).flatMap((row) => {
      const [whose, most] = [row.text(name) ?? '', row.number(limit) ?? -1];
      if (most < FEWEST || row.flag('rolsuper') === true) return [];
      const sessions = clientSessions(facts).filter((one) => one.text(of) === whose);
      return [{ kind, name: whose, most, sessions, count: countOf(sessions) }];
    }),
  );

export const check = defineCheck({
  name: 'connection_limit_nearly_used_up',
  category: 'connections',
  title: 'Connection limit nearly reached',
  figureName: 'connections in use',
  meaning: 'When the limit of a database or role is reached, its new clients are refused.',
  advice: 'End idle sessions, reduce pool sizes, or allow more.',
  caution: 'All limits together should leave room below max_connections.',
  source: 'sql-alterrole.html',
  proof: 'stated',
  reads: {
    pg_stat_activity: SESSION_COLUMNS,
    pg_database: ['datname', 'datconnlimit'],
    pg_roles: ['rolname', 'rolsuper', 'rolconnlimit'],
  },
  judge: (facts) => ({
    found: limited(facts)
      .filter(({ count, most }) => (100 * count) / most > utilization.threshold)
      .map(({ kind, name, most, sessions, count }) => ({
        database_name: kind === 'database' ? name : '',
        object_name: kind === 'database' ? '' : name,
        object_key: keyOf(kind, name),
        severity: 'warning',
        message: `${count} of ${most} connections that are allowed to ${kind} "${name}" are used.`,
        figure: { value: count, unit: 'count', promised: Math.floor(most / 2) },
        evidence: { sessions: count, connection_limit: most },
        rows: holders(sessions),
        remedy: `-- End sessions that idle, or allow more:\nalter ${kind} ${quoted(name)} connection limit ${most * 2};`,
      })),
  }),
  figureAfter: (facts, { object_key }) =>
    limited(facts).find(({ kind, name }) => keyOf(kind, name) === object_key)?.count ?? null,
});
