// Sessions that are hidden from our role: a grant shows those of users, and none those of a managed service.
import { expect, it } from 'vitest';
import { Facts } from './facts.ts';
import { hiddenSessions } from './sessions.ts';

const hidden = (usename: string, ...databases: string[]) => {
  const reading = (rows: object[]) => [
    { database_name: '', collected_at: 1, rows: rows.map((row) => ({ ...row })) },
  ];
  const readings = new Map([
    ['pg_stat_activity', reading([{ pid: 7, usename, backend_type: null }])],
    ['pg_stat_database', reading(databases.map((datname) => ({ datname })))],
  ]);
  return hiddenSessions(new Facts({ now: 1, readings })).length;
};

it('of a service are no lack of a grant', () => {
  expect(hidden('rdsadmin', 'postgres', 'rdsadmin')).toBe(0);
  expect(hidden('app', 'postgres', 'rdsadmin')).toBe(1);
  expect(hidden('rdsadmin', 'postgres')).toBe(1);
});
