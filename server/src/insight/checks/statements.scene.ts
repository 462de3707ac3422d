// Scenes of checks of statements. Guards: each begins with statistics of its own, so that shares are of what it did.
import { expect } from 'vitest';
import { type CheckScene, run, statementsOf } from '../../testing/servers/check-scenes/scene.ts';
import {
  FIND,
  fed,
  JOIN,
  LATER,
  ofCalls,
  RESET,
  repeat,
  SORT,
} from '../../testing/servers/check-scenes/statement-loads.ts';

export const scenes: readonly CheckScene[] = [
  {
    check: 'statement_temp_files',
    isDear: true,
    later: LATER,
    async make({ primary }) {
      await run(primary, RESET);
      await repeat(primary, 10, SORT);
      return () => run(primary, 'alter role postgres in database postgres reset all');
    },
    isIt: () => true,
    async expect(found, { primary }) {
      const [row] = await primary.query(
        `select (temp_blks_written * 8192 / calls)::int as bytes from pg_stat_statements where query like '%order by -g%' and calls = 10`,
      );
      expect(found.severity).toBe('info');
      expect(found.figure?.value).toBeCloseTo(Number(row?.bytes), -1);
      expect(found.remedy).toMatch(/alter role "postgres" in database "postgres" set work_mem = '\d+MB'/);
    },
    async remedy(found, { primary }) {
      for (const one of statementsOf(found.remedy)) await primary.query(one);
      await repeat(primary, 10, SORT);
    },
  },
  {
    check: 'statement_chatty',
    isDear: true,
    later: LATER,
    async make({ primary }) {
      await run(primary, RESET, 'create table asked (a int primary key)', 'insert into asked values (1)');
      await repeat(primary, 123, { text: 'select a from asked where a = $1', values: [1] });
      return () => run(primary, 'drop table asked');
    },
    isIt: () => true,
    feed: ofCalls(123, { calls: 7_200_000, rows: 7_200_000, total_exec_time: 180_000 }),
    expect: (found) => {
      expect(found.severity).toBe('info');
      expect(found.figure?.value).toBeGreaterThan(980);
      expect(found.figure?.value).toBeLessThanOrEqual(1000);
      expect(found.message).toContain('takes 25 µs for 1 rows');
    },
  },
  {
    check: 'statement_reads_much',
    isDear: true,
    later: LATER,
    async make({ primary }) {
      await run(
        primary,
        // So many rows that to look at all of them takes some milliseconds on a fast machine too.
        'create table searched (a int, b text) with (parallel_workers = 0)',
        `insert into searched select g, repeat('x', 80) from generate_series(1, 180000) g`,
        'vacuum analyze searched',
        RESET,
      );
      await repeat(primary, 110, FIND);
      return () => run(primary, 'drop table searched');
    },
    isIt: () => true,
    async expect(found, { primary }) {
      const [row] = await primary.query(`select relpages from pg_class where relname = 'searched'`);
      expect(found).toMatchObject({ severity: 'info', evidence: { calls: 110, rows: 110 } });
      expect(found.figure?.value).toBeGreaterThanOrEqual(Number(row?.relpages));
      expect(found.figure?.value).toBeLessThan(Number(row?.relpages) + 20);
    },
    async remedy(found, { primary }) {
      const [text = '', reset = ''] = statementsOf(found.remedy);
      expect((await primary.query(text))[0]?.query).toBe('select b from searched where a = $1');
      await run(primary, 'create index on searched (a)', reset);
      await repeat(primary, 110, FIND);
    },
  },
  {
    check: 'statement_planning',
    isDear: true,
    later: LATER,
    async make({ primary }) {
      await run(
        primary,
        'alter system set pg_stat_statements.track_planning = on',
        'select pg_reload_conf()',
        RESET,
      );
      await repeat(primary, 1010, JOIN);
      return () =>
        run(primary, 'alter system reset pg_stat_statements.track_planning', 'select pg_reload_conf()');
    },
    isIt: () => true,
    expect: (found) => {
      expect(found.evidence).toMatchObject({ plans: 1010, calls: 1010 });
      expect(Number(found.evidence.total_plan_time)).toBeGreaterThan(Number(found.evidence.total_exec_time));
    },
    async remedy(found, { primary }) {
      for (const one of statementsOf(found.remedy)) await primary.query(one);
      await repeat(primary, 1010, { ...JOIN, name: 'prepared_once' });
    },
  },
  {
    check: 'statement_jit',
    from: 15,
    later: LATER,
    async make({ primary }) {
      await run(primary, RESET);
      await repeat(primary, 17, { text: 'select count(*) from pg_class' });
      return () => run(primary, 'alter role postgres in database postgres reset all');
    },
    isIt: () => true,
    // The programs of tests are built without a compiler.
    feed: ofCalls(17, {
      total_exec_time: 40_000,
      jit_functions: 340,
      jit_generation_time: 2000,
      jit_inlining_time: 6000,
      jit_optimization_time: 10_000,
      jit_emission_time: 6000,
    }),
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'warning', figure: { value: 24_000, unit: 'ms' } });
      expect(found.message).toContain('spent 60 % of its time on JIT compilation');
    },
  },
  {
    check: 'statement_wal',
    title: 'of images of pages',
    later: LATER,
    async make({ primary }) {
      await run(primary, RESET, 'create table writing (a int)', 'insert into writing values (0)');
      await repeat(primary, 131, { text: 'update writing set a = a + 1' });
      return () =>
        run(primary, 'drop table writing', 'alter system reset wal_compression', 'select pg_reload_conf()');
    },
    isIt: () => true,
    feed: ofCalls(131, { wal_bytes: 131 * 10 * 1024 ** 2, wal_fpi: 131 * 1000 }),
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'info', figure: { value: 10 * 1024 ** 2, unit: 'bytes' } });
      expect(found.remedy).toContain('alter system set wal_compression = on');
    },
  },
  {
    check: 'statement_new_heavy',
    from: 17,
    async make({ primary }) {
      await run(primary, RESET);
      await repeat(primary, 37, { text: 'select count(*) from pg_class' });
      await repeat(primary, 23, { text: 'select count(*) from pg_type' });
      return undefined;
    },
    isIt: () => true,
    // It takes days.
    feed(readings) {
      const ago = (hours: number) => new Date(readings.now - hours * 3_600_000).toISOString();
      fed(readings, 'pg_stat_statements', (row) => ({
        ...row,
        stats_since: ago(240),
        stats_reset: ago(240),
      }));
      ofCalls(37, { total_exec_time: 900_000, stats_since: ago(10) })(readings);
      ofCalls(23, { total_exec_time: 21_600_000 })(readings);
    },
    expect: (found) => {
      // 25 ms a second beside 25 ms a second.
      expect(found.figure?.value).toBeCloseTo(50, 0);
      expect(found.evidence.calls).toBe(37);
    },
  },
  {
    check: 'statement_slower',
    title: 'by one reading',
    async make({ primary }) {
      await run(primary, RESET);
      await repeat(primary, 120, { text: 'select 1 as of_two_speeds' });
      return undefined;
    },
    isIt: () => true,
    // A third of its calls take 600 times as long, as after the drop of an index.
    feed: ofCalls(120, {
      ...{ total_exec_time: 80 * 0.05 + 40 * 300, min_exec_time: 0.04, max_exec_time: 330 },
      ...{ mean_exec_time: 100, stddev_exec_time: 141 },
    }),
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'warning', figure: { value: 100.03333333333333, unit: 'ms' } });
      expect(found.message).toMatch(/took 0\.04 ms at best, and about 299 ms in 40 of 120 calls since 20/);
    },
  },
  {
    check: 'statement_slower',
    async make() {
      return undefined;
    },
    isIt: () => true,
    // It takes two days; how they are read from the store is shown beside the evaluation.
    feed(readings) {
      const row = (queryid: string, last: readonly number[], before: readonly number[]) => {
        const of = ([mean_time = 0, calls = 0]: readonly number[]) => ({
          calls,
          total_exec_time: mean_time * calls,
        });
        return { group: { database_name: 'postgres', queryid }, last: of(last), before: of(before) };
      };
      readings.days = new Map([
        ['pg_stat_statements', [row('77', [30, 10_000], [10, 9000]), row('78', [20, 10_000], [19, 10_000])]],
      ]);
    },
    expect: (found) =>
      expect(found).toMatchObject({
        object_name: 'statement 77',
        severity: 'warning',
        figure: { value: 30, unit: 'ms', promised: 10 },
        evidence: { factor: 3, percent_of_time: 60 },
      }),
  },
  {
    check: 'statements_evicted',
    later: LATER,
    async make({ primary }) {
      await run(primary, RESET);
      return () => run(primary, 'alter system reset pg_stat_statements.max', 'select pg_reload_conf()');
    },
    isIt: () => true,
    feed: (readings) => fed(readings, 'pg_stat_statements_info', (row) => ({ ...row, dealloc: 24 })),
    expect: (found) => {
      expect(found).toMatchObject({
        severity: 'warning',
        remedy: 'alter system set pg_stat_statements.max = 40000;\n-- Restart the server afterwards.',
      });
      // Of the hours since the reset, not of a day that has not passed.
      expect(found.figure?.value).toBe(24);
    },
    remedy: 'restart',
  },
  {
    check: 'statements_not_counted',
    title: 'without the extension',
    async make({ primary }) {
      await run(primary, 'drop extension pg_stat_statements');
      return undefined;
    },
    isIt: () => true,
    expect: (found) => expect(found.evidence.installed).toBe(false),
  },
  {
    check: 'statements_not_counted',
    title: 'by its setting',
    async make({ primary }) {
      await run(primary, 'alter system set pg_stat_statements.track = none', 'select pg_reload_conf()');
      return () => run(primary, 'alter system reset pg_stat_statements.track', 'select pg_reload_conf()');
    },
    isIt: () => true,
    expect: (found) =>
      expect(found.message).toBe('pg_stat_statements.track is none, so statements are not tracked.'),
  },
  {
    check: 'statements_not_counted',
    title: 'without the library',
    async make({ primary }) {
      return () => run(primary, 'alter system reset shared_preload_libraries');
    },
    isIt: () => true,
    // A server of tests is told its libraries on the command line.
    feed: (readings) =>
      fed(readings, 'pg_settings', (row) =>
        row.name === 'shared_preload_libraries' ? { ...row, setting: 'auto_explain' } : { ...row },
      ),
    expect: (found) =>
      expect(found.remedy).toContain(
        "alter system set shared_preload_libraries = 'auto_explain', 'pg_stat_statements';",
      ),
    remedy: 'restart',
  },
];
