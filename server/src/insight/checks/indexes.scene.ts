// Scenes of checks of indexes.
import { expect } from 'vitest';
import { DAY_MS } from '../../kernel/units.ts';
import { type CheckScene, run } from '../../testing/servers/check-scenes/scene.ts';

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
