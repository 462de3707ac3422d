// Scenes of checks of indexes.
import { expect } from 'vitest';
import { DAY_MS } from '../../kernel/units.ts';
import { type CheckScene, run, statementsOf } from '../../testing/servers/check-scenes/scene.ts';
import { openClient } from '../../testing/servers/client.ts';

export const scenes: readonly CheckScene[] = [
  {
    check: 'duplicate_index',
    async make({ primary }) {
      await run(
        primary,
        'create table twice (a int, b int)',
        'insert into twice select g, g from generate_series(1, 1000) g',
        'create index twice_long on twice (a, b)',
        'create index twice_short on twice (a)',
        'vacuum analyze twice',
      );
      return () => run(primary, 'drop table twice');
    },
    isIt: ({ object_name }) => object_name === 'public.twice_short',
    async expect(found, { primary }) {
      const [row] = await primary.query(`select pg_relation_size('twice_short')::int as size`);
      expect(found).toMatchObject({ severity: 'info', figure: { value: row?.size, unit: 'bytes' } });
      expect(found.evidence.covered_by).toBe('twice_long');
    },
  },
  {
    check: 'invalid_index',
    async make({ primary }) {
      await run(primary, 'create table odd (a int)', 'insert into odd values (1), (1)');
      await primary.query('create unique index concurrently odd_key on odd (a)').catch(() => undefined);
      // Only then can the index be built.
      await run(primary, 'delete from odd');
      return () => run(primary, 'drop table odd');
    },
    isIt: ({ object_name }) => object_name === 'public.odd_key',
    expect: (found) => expect(found.severity).toBe('warning'),
  },
  {
    check: 'invalid_index',
    title: 'left by reindex concurrently',
    async make({ primary }) {
      await run(primary, 'create table rebuilt (a int primary key)', 'insert into rebuilt values (1)');
      const holder = await openClient(primary, 'holder');
      await holder.query('begin');
      await holder.query('insert into rebuilt values (2)');
      await run(primary, "alter role postgres set lock_timeout = '200ms'");
      await primary.query('reindex index concurrently rebuilt_pkey').catch(() => undefined);
      await run(primary, 'alter role postgres reset lock_timeout');
      await holder.end();
      return async () => {
        const [row] = await primary.query(
          "select count(*)::int as n from pg_index where indrelid = 'rebuilt'::regclass and indisvalid",
        );
        expect(row?.n).toBe(1);
        await run(primary, 'drop table rebuilt');
      };
    },
    isIt: ({ object_name }) => object_name === 'public.rebuilt_pkey_ccnew',
    expect: (found) => expect(found.severity).toBe('warning'),
  },
  {
    check: 'invalid_index',
    title: 'of a partitioned table',
    async make({ primary }) {
      await run(
        primary,
        'create table split (a int) partition by range (a)',
        'create table split_1 partition of split for values from (0) to (10)',
        'create index split_a on only split (a)',
      );
      return () => run(primary, 'drop table split');
    },
    isIt: ({ object_name }) => object_name === 'public.split_a',
    expect: (found) =>
      expect(found.message).toMatch(/^Index "public\.split_a" of "public\.split" is invalid/),
    async remedy({ remedy }, { primary }) {
      const rows = await primary.query(statementsOf(remedy).join(';'));
      expect(rows).toEqual([{ partition: 'split_1' }]);
      await run(
        primary,
        'create index split_1_a on split_1 (a)',
        'alter index split_a attach partition split_1_a',
      );
    },
  },
  {
    check: 'unused_index',
    isDear: true,
    later: 40 * DAY_MS,
    async make({ primary }) {
      await run(
        primary,
        'create table lonely (a int, b text)',
        `insert into lonely
        select g, (select string_agg(md5(g || ' ' || i), '') from generate_series(1, 28) i)
        from generate_series(1, 12000) g`,
        'create index lonely_idx on lonely (b)',
        'vacuum analyze lonely',
      );
      return () => run(primary, 'drop table lonely');
    },
    isIt: ({ object_name }) => object_name === 'public.lonely_idx',
    expect: (found) => {
      expect(found.message).toMatch(/no scans in (39|40) days of statistics/);
      expect(found.figure?.value).toBeGreaterThan(8 * 1024 ** 2);
    },
  },
];
