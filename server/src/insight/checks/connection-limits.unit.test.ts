// Limits of connections of databases and roles: whom they hold, and which are there to be used up.
import { expect, it } from 'vitest';
import type { Row } from '../../store/layout/types.ts';
import { check } from './connection-limit-nearly-used-up.ts';
import { Facts } from './facts.ts';

it('of roles counts their sessions, also where one row stands for many, and leaves superusers and small limits alone', () => {
  const reading = (rows: readonly Row[]) => [{ database_name: '', collected_at: 1, rows }];
  const role = (rolname: string, rolconnlimit: number, rolsuper = false): Row => ({
    rolname,
    rolconnlimit,
    rolsuper,
  });
  const sessions = (usename: string, stands_for: number): Row => ({
    ...{ pid: 1, datname: 'shop', usename, stands_for, backend_type: 'client backend', state: 'idle' },
  });
  const readings = new Map([
    [
      'pg_stat_activity',
      reading(['app', 'root', 'cron', 'free', 'calm'].map((name) => sessions(name, name === 'app' ? 90 : 9))),
    ],
    ['pg_database', reading([{ datname: 'shop', datconnlimit: -1 }])],
    [
      'pg_roles',
      reading([
        role('app', 100),
        role('root', 10, true),
        role('cron', 9),
        role('free', -1),
        role('calm', 100),
      ]),
    ],
  ]);
  const { found } = check.judge(new Facts({ now: 1, readings }));
  expect(found.map(({ object_key }) => object_key)).toEqual(['role app']);
  expect(found[0]).toMatchObject({
    ...{ database_name: '', object_name: 'app', severity: 'warning', figure: { value: 90, promised: 50 } },
    message: '90 of 100 connections that are allowed to role "app" are used.',
    remedy: expect.stringContaining('alter role "app" connection limit 200;'),
  });
});
