// Scenes of sessions and of limits on them.
import { expect } from 'vitest';
import { HOUR_MS } from '../../kernel/units.ts';
import { type CheckScene, run } from '../../testing/servers/check-scenes/scene.ts';
import { deadlock } from '../../testing/servers/deadlock.ts';
import type { Readings } from '../../testing/servers/judging.ts';
import { endAll, several } from '../../testing/servers/rule-scenes/scene.ts';

let crowd: Awaited<ReturnType<typeof several>> = [];

/** Changes a setting that takes a restart; answers what takes it back. */
const restarted =
  (name: string, value: string): CheckScene['make'] =>
  async ({ primary, restart }) => {
    await run(primary, `alter system set ${name} = ${value}`);
    await restart();
    return async () => {
      await run(primary, `alter system reset ${name}`);
      await restart();
    };
  };

/** What was counted in the database, as after many days. */
const counted =
  (values: Readonly<Record<string, unknown>>) =>
  ({ readings }: Readings): void => {
    const [reading] = readings.get('pg_stat_database') ?? [];
    if (reading)
      readings.set('pg_stat_database', [
        { ...reading, rows: reading.rows.map((row) => ({ ...row, ...values })) },
      ]);
  };

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

export const scenes: readonly CheckScene[] = [
  {
    check: 'connections_nearly_used_up',
    isDear: true,
    async make(room) {
      const undo = await restarted('max_connections', '30')(room);
      crowd = await several(25, room.primary);
      return undo;
    },
    isIt: () => true,
    expect: (found) => {
      expect(found).toMatchObject({
        severity: 'warning',
        figure: { value: 25, unit: 'count', promised: 13 },
        evidence: { sessions: 25, max_connections: 30, usable_connections: 27 },
      });
      expect(found.rows?.[0]).toMatchObject({ usename: 'postgres', state: 'idle', sessions: 1 });
    },
    remedy: async ({ remedy }, { primary }) => {
      await run(primary, remedy);
      await endAll(crowd);
    },
  },
  {
    check: 'connection_limit_nearly_used_up',
    async make({ primary }) {
      await run(primary, 'alter database postgres connection limit 12');
      crowd = await several(10, primary);
      return () => run(primary, 'alter database postgres connection limit -1');
    },
    isIt: ({ database_name }) => database_name === 'postgres',
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'warning', evidence: { connection_limit: 12 } });
      expect(found.figure?.value).toBeGreaterThanOrEqual(10);
    },
    remedy: async ({ remedy }, { primary }) => {
      await run(primary, remedy);
      await endAll(crowd);
    },
  },
  {
    check: 'idle_in_transaction',
    later: HOUR_MS / 2,
    async make({ primary }) {
      const [one] = await several(1, primary);
      await one?.query('begin');
      await one?.query('select 1');
      return async () => {
        await one?.end();
        await run(
          primary,
          'alter system reset idle_in_transaction_session_timeout',
          'select pg_reload_conf()',
        );
      };
    },
    isIt: ({ evidence }) => evidence.application_name === 'kit 0',
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'warning', database_name: 'postgres' });
      expect(found.figure?.value).toBeGreaterThanOrEqual(1800);
      expect(found.remedy).toContain("idle_in_transaction_session_timeout = '300s'");
    },
  },
  {
    check: 'long_transaction',
    later: 2 * HOUR_MS,
    async make({ primary }) {
      const [one] = await several(1, primary);
      const sleeping = one?.begin('select pg_sleep(600)');
      return async () => {
        await sleeping;
        await one?.end();
      };
    },
    isIt: ({ evidence }) => evidence.application_name === 'kit 0',
    expect: (found) => {
      expect(found.severity).toBe('warning');
      expect(found.message).toMatch(/^A transaction of postgres \(kit 0\) has been open for 2 h\.$/);
    },
  },
  {
    check: 'deadlocks',
    async make({ primary }) {
      await deadlock(primary);
      return undefined;
    },
    isIt: ({ database_name }) => database_name === 'postgres',
    expect: (found) => {
      expect(found.severity).toBe('info');
      expect(found.message).toMatch(
        /^\d+ deadlocks? in .+, since 20[-0-9]+ [:0-9]+ UTC\. PostgreSQL cancelled one/,
      );
      expect(found.evidence.deadlocks).toBeGreaterThanOrEqual(1);
    },
    async remedy({ remedy }, { primary }) {
      expect(remedy).toContain('deadlock detected');
      // Instead of the order of locks: what is counted begins anew.
      await run(primary, 'select pg_stat_reset()');
    },
  },
  {
    check: 'deadlocks',
    title: 'often, counted for minutes',
    make: async () => undefined,
    feed: counted({ deadlocks: 26, stats_reset: ago(18 * 60_000) }),
    isIt: ({ database_name }) => database_name === 'postgres',
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'warning', figure: { value: 26 } });
      expect(found.message).toMatch(/^26 deadlocks in \d+ min( \d+ s)?, since 20/);
    },
    remedy: async () => undefined,
  },
  {
    check: 'short_sessions',
    // Not one of tests can begin so many.
    make: async () => undefined,
    feed: counted({ sessions: 500_000, session_time: 60e6, stats_reset: ago(5 * HOUR_MS) }),
    isIt: ({ database_name }) => database_name === 'postgres',
    expect: (found) => {
      expect(found.severity).toBe('warning');
      expect(found.message).toMatch(
        /^500,000 sessions were opened, 2[4-7]\.\d per second, with a mean duration of 0\.12 s/,
      );
    },
    remedy: async ({ remedy }) => expect(remedy).toContain('pool_mode = transaction'),
  },
  {
    check: 'short_sessions',
    title: 'never reset',
    from: 15,
    make: async () => undefined,
    later: 10 * HOUR_MS,
    feed: counted({ sessions: 5_000_000, session_time: 60e6, stats_reset: null }),
    isIt: ({ database_name }) => database_name === 'postgres',
    expect: (found) => {
      // Since the statistics began, when the server was made, which may be a while ago in a long run.
      expect(found.figure?.value).toBeLessThan(5_000_000 / 36_000 + 1);
      expect(found.figure?.value).toBeGreaterThan(5_000_000 / (2 * 36_000));
      expect(found.since).toBeLessThan(Date.now());
    },
    remedy: async ({ remedy }) => expect(remedy).toContain('pool_mode = transaction'),
  },
  {
    check: 'lost_sessions',
    async make({ primary }) {
      return () => run(primary, 'alter system reset log_disconnections', 'select pg_reload_conf()');
    },
    feed: counted({
      sessions: 10_000,
      sessions_abandoned: 700,
      sessions_fatal: 100,
      stats_reset: ago(HOUR_MS),
    }),
    isIt: ({ database_name }) => database_name === 'postgres',
    expect: (found) =>
      expect(found).toMatchObject({ severity: 'info', figure: { value: 8, unit: 'percent' } }),
  },
  {
    check: 'no_reserved_connections',
    isDear: true,
    make: restarted('superuser_reserved_connections', '0'),
    isIt: () => true,
    expect: (found) => expect(found.severity).toBe('warning'),
    remedy: 'restart',
  },
  {
    check: 'max_connections_high',
    isDear: true,
    make: restarted('max_connections', '1100'),
    isIt: () => true,
    expect: (found) =>
      expect(found).toMatchObject({ severity: 'warning', figure: { value: 1100, promised: 200 } }),
    remedy: 'restart',
  },
];
