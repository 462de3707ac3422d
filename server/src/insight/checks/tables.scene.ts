// Scenes of tables that a crash empties or that only grow, of subscriptions whose copies fail, and of standbys that cancel queries.
import { expect } from 'vitest';
import { DAY_MS } from '../../kernel/units.ts';
import { type CheckScene, change, run } from '../../testing/servers/check-scenes/scene.ts';
import { openClient } from '../../testing/servers/client.ts';
import { set } from '../../testing/servers/rule-scenes/scene.ts';
import { untilTrue } from '../../testing/servers/server-sets.ts';

const GIB = 1024 ** 3;
const OTHER = 'kit_source';

export const scenes: readonly CheckScene[] = [
  {
    check: 'unlogged_table',
    async make({ primary }) {
      await run(
        primary,
        'create unlogged table "Kit scratch" as select generate_series(1, 1000) as n',
        'analyze "Kit scratch"',
      );
      return () => run(primary, 'drop table "Kit scratch"');
    },
    isIt: ({ object_name }) => object_name.includes('Kit scratch'),
    expect: (found) =>
      expect(found).toMatchObject({
        severity: 'info',
        figure: { value: 1000, unit: 'rows' },
        database_name: 'postgres',
      }),
  },
  {
    check: 'table_grows',
    // Rows are counted as they are; tables of tests are small, and a week is long.
    later: 10 * DAY_MS,
    async make({ primary }) {
      await run(
        primary,
        'create table kit_events as select generate_series(1, 10000) as n',
        'analyze kit_events',
      );
      return () => run(primary, 'drop table kit_events');
    },
    feed: (readings) =>
      change(readings, 'pg_stat_all_tables', ({ relname }) =>
        relname === 'kit_events' ? { table_size: 100 * GIB } : {},
      ),
    isIt: ({ object_name }) => object_name === 'public.kit_events',
    expect: (found) => {
      expect(found.severity).toBe('info');
      // All of it came in ten days.
      expect(found.figure?.value).toBeGreaterThan(9.9 * GIB);
      expect(found.figure?.value).toBeLessThan(10.1 * GIB);
    },
    feedStays: true,
    // What goes as it comes is no growth.
    remedy: (_found, { primary }) => primary.query('delete from kit_events where n > 5000'),
  },
  {
    check: 'subscription_tables_not_ready',
    isDear: true,
    async make({ primary }) {
      const { host, port, superuser, password } = primary;
      await run(primary, `create database ${OTHER}`);
      const url = `postgres://${superuser}:${password}@${host}:${port}/${OTHER}`;
      const source = await openClient({ url }, 'kit');
      await source.query('create table kit_copied (id int primary key)');
      await source.query('insert into kit_copied values (1), (2)');
      await source.query('create publication kit_pub for table kit_copied');
      await source.query("select pg_create_logical_replication_slot('kit_copies', 'pgoutput')");
      await source.end();
      await run(
        primary,
        'create table kit_copied (id int primary key)',
        'insert into kit_copied values (2)',
        `create subscription kit_copies
        connection 'host=${host} port=${port} user=${superuser} password=${password} dbname=${OTHER}'
        publication kit_pub with (create_slot = false, slot_name = 'kit_copies')`,
      );
      return async () => {
        await run(primary, 'alter subscription kit_copies disable');
        await untilTrue(
          primary,
          "not exists (select from pg_replication_slots where slot_name = 'kit_copies' and active)",
        );
        await run(primary, 'drop subscription kit_copies', 'drop table kit_copied');
        await run(primary, `drop database ${OTHER} with (force)`);
      };
    },
    isIt: ({ object_name }) => object_name === 'kit_copies',
    expect: (found) => {
      expect(found).toMatchObject({ figure: { value: 1, unit: 'count' }, database_name: 'postgres' });
      expect(found.message).toMatch(
        /^Table "public\.kit_copied" (waits for its initial copy|is being copied) in subscription/,
      );
    },
    async remedy(found, { primary }) {
      expect(found.remedy).toContain("where s.subname = 'kit_copies'");
      await run(primary, 'delete from kit_copied');
    },
  },
];

/** Of a primary with a standby. */
export const scenesWithStandby: readonly CheckScene[] = [
  {
    check: 'standby_cancels_queries',
    isDear: true,
    on: 'standby',
    later: DAY_MS / 2,
    async make({ primary, standby }) {
      if (!standby) throw new Error('This room has no standby.');
      const undo = await set(standby, { max_standby_streaming_delay: '0' });
      await run(primary, 'create table kit_read as select generate_series(1, 1000) as n');
      await untilTrue(standby, "to_regclass('kit_read') is not null");
      const readers = await Promise.all(
        Array.from({ length: 12 }, (_none, n) => openClient(standby, `kit ${n}`)),
      );
      for (const reader of readers) {
        await reader.query('begin isolation level repeatable read');
        await reader.query('select count(*) from kit_read');
      }
      await run(primary, 'delete from kit_read', 'vacuum kit_read');
      await untilTrue(
        standby,
        "(select confl_snapshot from pg_stat_database_conflicts where datname = 'postgres') >= 10",
      );
      for (const reader of readers) await reader.end().catch(() => undefined);
      return async () => {
        await run(standby, 'alter system reset hot_standby_feedback');
        await undo?.();
        await run(primary, 'drop table kit_read');
      };
    },
    isIt: ({ database_name }) => database_name === 'postgres',
    expect: (found) => {
      expect(found.severity).toBe('info');
      expect(found.evidence.confl_snapshot).toBeGreaterThanOrEqual(10);
      expect(found.remedy).toContain('hot_standby_feedback = on');
    },
  },
  {
    check: 'standby_version_differs',
    on: 'standby',
    make: async () => undefined,
    // There is one release of each version in a test.
    feed: (readings) =>
      change(readings, 'pg_server_info', ({ server_version_num }) => ({
        server_version_num: Number(server_version_num) - 2,
      })),
    isIt: () => true,
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'warning', figure: { value: 2 } });
      expect(found.message).toMatch(/^This standby runs PostgreSQL \d+\.\d+, and its primary \d+\.\d+\.$/);
    },
    remedy: async ({ remedy }) => expect(remedy).toContain('pg_ctl restart'),
  },
];
