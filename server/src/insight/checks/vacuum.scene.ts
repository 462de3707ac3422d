// Scenes of checks of vacuum: what autovacuum does not do.
import { expect } from 'vitest';
import { HOUR_MS } from '../../kernel/units.ts';
import { type CheckScene, run } from '../../testing/servers/check-scenes/scene.ts';
import type { TestCluster } from '../../testing/servers/postgres.ts';

/** So that autovacuum is not faster than the test. */
const napping = (server: TestCluster) =>
  run(server, "alter system set autovacuum_naptime = '1d'", 'select pg_reload_conf()');
const awake = (server: TestCluster, ...more: readonly string[]) =>
  run(server, ...more, 'alter system reset autovacuum_naptime', 'select pg_reload_conf()');

const setTo = (name: string): Pick<CheckScene, 'make' | 'isIt'> => ({
  async make({ primary }) {
    await run(primary, `alter system set ${name} = off`, 'select pg_reload_conf()');
    return () => run(primary, `alter system reset ${name}`, 'select pg_reload_conf()');
  },
  isIt: ({ object_name }) => object_name === name,
});

export const scenes: readonly CheckScene[] = [
  ...['autovacuum', 'track_counts'].map(
    (name): CheckScene => ({
      check: 'autovacuum_off',
      title: name,
      ...setTo(name),
      expect: (found) => expect(found).toMatchObject({ severity: 'critical', figure: null }),
    }),
  ),
  {
    check: 'table_autovacuum_off',
    async make({ primary }) {
      await run(
        primary,
        'create table left_alone (a int) with (autovacuum_enabled = off)',
        'insert into left_alone select generate_series(1, 5000)',
        'delete from left_alone where a <= 2000',
      );
      return () => run(primary, 'drop table left_alone');
    },
    isIt: ({ object_name }) => object_name === 'public.left_alone',
    expect: (found) =>
      expect(found).toMatchObject({
        severity: 'info',
        figure: { value: 9000 },
        evidence: { n_dead_tup: 2000, n_mod_since_analyze: 7000 },
      }),
  },
  {
    check: 'dead_rows',
    later: 7 * HOUR_MS,
    async make({ primary }) {
      await napping(primary);
      await run(
        primary,
        'create table strewn (a int)',
        'insert into strewn select generate_series(1, 30000)',
        'vacuum analyze strewn',
        'delete from strewn where a <= 20000',
      );
      return () => awake(primary, 'drop table strewn');
    },
    isIt: ({ object_name }) => object_name === 'public.strewn',
    expect: (found) => {
      expect(found).toMatchObject({
        severity: 'info',
        figure: { value: 20_000, unit: 'rows' },
        evidence: { vacuum_threshold: 6050, n_live_tup: 10_000 },
      });
    },
  },
  {
    check: 'statistics_stale',
    later: 25 * HOUR_MS,
    async make({ primary }) {
      await napping(primary);
      await run(
        primary,
        'create table changed (a int)',
        'insert into changed select generate_series(1, 10000)',
        'analyze changed',
        'update changed set a = a + 1',
        'update changed set a = a + 1',
      );
      return () => awake(primary, 'drop table changed');
    },
    isIt: ({ object_name }) => object_name === 'public.changed',
    expect: (found) =>
      expect(found).toMatchObject({
        severity: 'info',
        figure: { value: 20_000 },
        evidence: { analyze_threshold: 1050 },
      }),
  },
  {
    check: 'statistics_missing',
    title: 'a table',
    async make({ primary }) {
      await napping(primary);
      await run(primary, 'create table fresh (a int)', 'insert into fresh select generate_series(1, 20000)');
      return () => awake(primary, 'drop table fresh');
    },
    isIt: ({ object_name }) => object_name === 'public.fresh',
    expect: (found) => expect(found).toMatchObject({ severity: 'info', evidence: { n_live_tup: 20_000 } }),
  },
  {
    check: 'statistics_missing',
    title: 'a partitioned table',
    async make({ primary }) {
      await run(
        primary,
        'create table whole (a int) partition by range (a)',
        'create table part partition of whole for values from (0) to (100)',
        'insert into whole select generate_series(1, 99)',
        'analyze part',
      );
      return () => run(primary, 'drop table whole');
    },
    isIt: ({ object_name }) => object_name === 'public.whole',
    expect: (found) => expect(found.message).toMatch(/artitioned table "public\.whole" was never analyzed/),
  },
  {
    check: 'statistics_missing',
    isDear: true,
    title: 'many partitioned tables',
    async make({ primary }) {
      const names = [1, 2, 3, 4, 5, 6].map((n) => `whole_${n}`);
      for (const name of names)
        await run(
          primary,
          `create table ${name} (a int) partition by range (a)`,
          `create table ${name}_part partition of ${name} for values from (0) to (9)`,
          `insert into ${name} values (1)`,
        );
      // It has nothing to analyze, and is not found.
      await run(primary, 'create table bare (a int) partition by range (a)');
      return () => run(primary, `drop table bare, ${names.join(', ')}`);
    },
    isIt: ({ object_key }) => object_key === 'partitioned tables',
    expect(found) {
      expect(found).toMatchObject({ severity: 'info', figure: { value: 6, unit: 'count' } });
      expect(found.rows).toContainEqual({ table: 'public.whole_6' });
    },
  },
  {
    check: 'insert_vacuum_off',
    title: 'of the server',
    async make({ primary }) {
      await napping(primary);
      await run(
        primary,
        'alter system set autovacuum_vacuum_insert_threshold = -1',
        'select pg_reload_conf()',
        'create table journal (a int)',
        'insert into journal select generate_series(1, 120000)',
      );
      return () =>
        awake(primary, 'drop table journal', 'alter system reset autovacuum_vacuum_insert_threshold');
    },
    isIt: ({ object_name }) => object_name === 'public.journal',
    expect: (found) => expect(found).toMatchObject({ severity: 'info', figure: { value: 120_000 } }),
  },
  {
    check: 'insert_vacuum_off',
    title: 'of a table',
    async make({ primary }) {
      await napping(primary);
      await run(
        primary,
        'create table diary (a int) with (autovacuum_vacuum_insert_threshold = -1)',
        'insert into diary select generate_series(1, 120000)',
      );
      return () => awake(primary, 'drop table diary');
    },
    isIt: ({ object_name }) => object_name === 'public.diary',
    expect: (found) => expect(found.remedy).toContain('alter table "public"."diary" reset'),
  },
  {
    check: 'autovacuum_starved',
    isDear: true,
    async make({ primary }) {
      const tables = Array.from({ length: 8 }, (_none, n) => `starving_${n}`);
      for (const table of tables)
        await run(
          primary,
          `create table ${table} (a int)`,
          `insert into ${table} select generate_series(1, 4000)`,
          `vacuum analyze ${table}`,
          `delete from ${table} where a % 2 = 0`,
        );
      await run(
        primary,
        'alter system set autovacuum_vacuum_cost_limit = 1',
        "alter system set autovacuum_vacuum_cost_delay = '100ms'",
        "alter system set autovacuum_naptime = '1s'",
        'select pg_reload_conf()',
      );
      return () =>
        awake(
          primary,
          'alter system reset autovacuum_vacuum_cost_limit',
          'alter system reset autovacuum_vacuum_cost_delay',
          `drop table ${tables.join(', ')}`,
        );
    },
    isIt: () => true,
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'info', evidence: { autovacuum_max_workers: 3 } });
      expect(found.figure?.value).toBeGreaterThan(3);
      expect(found.rows?.every(({ n_dead_tup }) => n_dead_tup === 2000)).toBe(true);
    },
  },
];
