// Scenes of checks that weigh settings against the machine, against what was counted, and against another server.
import { expect } from 'vitest';
import { DAY_MS } from '../../kernel/units.ts';
import { type CheckScene, change, run } from '../../testing/servers/check-scenes/scene.ts';
import { set } from './settings.scene.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

export const scenes: readonly CheckScene[] = [
  {
    check: 'shared_buffers_small',
    isDear: true,
    async make({ primary, restart }) {
      return async () => {
        await run(primary, 'alter system reset shared_buffers');
        await restart();
      };
    },
    isIt: () => true,
    feed(readings) {
      change(readings, 'pg_sys_memory_info', () => ({ total_memory: 4 * GIB }));
      change(readings, 'pg_database', () => ({ database_size_bytes: 10 * GIB }));
    },
    feedStays: true,
    remedy: 'restart',
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'warning', figure: { value: 16 * MIB, promised: GIB } });
      expect(found.remedy).toContain("alter system set shared_buffers = '1024MB';");
    },
  },
  {
    check: 'memory_overcommitted',
    isDear: true,
    async make({ primary, restart }) {
      return async () => {
        await run(primary, 'alter system reset max_connections');
        await restart();
      };
    },
    isIt: () => true,
    feed: (readings) => change(readings, 'pg_sys_memory_info', () => ({ total_memory: 500 * MIB })),
    feedStays: true,
    remedy: 'restart',
    expect: (found, { primary }) => {
      const each = primary.major === 14 ? 4 * MIB : 8 * MIB;
      expect(found).toMatchObject({ severity: 'info', figure: { value: 16 * MIB + 200 * each } });
      expect(found.remedy).toMatch(/^alter system set max_connections = (89|44);/);
    },
  },
  {
    check: 'max_wal_size_small',
    isDear: true,
    later: 2 * DAY_MS,
    async make({ primary }) {
      await run(primary, ...Array.from({ length: 100 }, () => 'checkpoint'));
      return () => run(primary, 'alter system reset max_wal_size', 'select pg_reload_conf()');
    },
    isIt: () => true,
    expect: (found) => {
      expect(found.severity).toBe('warning');
      expect(found.evidence.num_requested).toBeGreaterThanOrEqual(100);
      expect(found.remedy).toContain("alter system set max_wal_size = '512MB';");
    },
  },
  {
    check: 'random_page_cost_high',
    isDear: true,
    from: 16,
    async make({ primary }) {
      await run(
        primary,
        `create table far (id int primary key, b text)`,
        `insert into far
        select g, (select string_agg(md5(g || ' ' || i), '') from generate_series(1, 60) i)
        from generate_series(1, 16000) g`,
        'vacuum analyze far',
        `do $$ declare k int; begin
          set local enable_seqscan = off;
          set local enable_bitmapscan = off;
          for i in 1..40000 loop
            k := 1 + (random() * 15999)::int;
            perform b from far where id = k;
          end loop;
        end $$`,
      );
      return () => run(primary, 'drop table far', 'alter system reset random_page_cost');
    },
    isIt: () => true,
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'info', figure: { value: 4, promised: 1.1 } });
      expect(found.evidence.reads).toBeGreaterThanOrEqual(10_000);
    },
  },
  ...(['track_counts', 'track_activities'] as const).map(
    (name): CheckScene => ({
      check: 'statistics_off',
      title: name,
      make: ({ primary }) => set(primary, { [name]: 'off' }),
      isIt: ({ object_name }) => object_name === name,
      expect: (found) => expect(found.severity).toBe(name === 'track_counts' ? 'critical' : 'warning'),
    }),
  ),
];

export const scenesWithStandby: readonly CheckScene[] = [
  {
    check: 'standby_settings_differ',
    on: 'standby',
    async make({ standby }) {
      return standby && set(standby, { work_mem: '9MB' });
    },
    isIt: ({ object_name }) => object_name === 'work_mem',
    expect: (found) =>
      expect(found).toMatchObject({
        severity: 'info',
        evidence: { here: '9216', primary: '4096', unit: 'kB' },
      }),
  },
];
