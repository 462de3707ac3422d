// Sessions that are hidden from our role: a grant shows those of users, and none those of a managed service.
import { expect, it } from 'vitest';
import { Facts } from './facts.ts';
import { check } from './long-transaction.ts';
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

it('that vacuum for hours are no long transactions: they keep no dead rows', () => {
  const now = Date.parse('2026-11-29T20:00:00Z');
  const session = { backend_type: 'client backend', state: 'active', xact_start: '2026-11-29T10:00:00Z' };
  const rows = [
    { ...session, pid: 1, is_vacuum: true },
    { ...session, pid: 2, is_vacuum: false },
    { ...session, pid: 3 },
  ];
  const readings = new Map([['pg_stat_activity', [{ database_name: '', collected_at: now, rows }]]]);
  const { found } = check.judge(new Facts({ now, readings }));
  expect(found.map(({ object_name }) => object_name)).toEqual(['session 2', 'session 3']);
});
