// Scenes of tables and indexes that take more than they need, or are read more than they should be.
import { expect } from 'vitest';
import { type CheckScene, run, statementsOf } from '../../testing/servers/check-scenes/scene.ts';

const MIB = 1024 ** 2;

export const scenes: readonly CheckScene[] = [
  {
    check: 'index_bloat',
    isDear: true,
    async make({ primary }) {
      await run(
        primary,
        'create table thinned (a bigint, b int)',
        'insert into thinned select g, g from generate_series(1, 1000000) g',
        'create index thinned_a on thinned (a)',
        'delete from thinned where a % 10 <> 0',
        'vacuum analyze thinned',
      );
      return () => run(primary, 'drop table thinned');
    },
    isIt: ({ object_name }) => object_name === 'public.thinned_a',
    async expect(found, { primary }) {
      const [before] = await primary.query(`select pg_relation_size('thinned_a')::int as size`);
      expect(found).toMatchObject({ severity: 'info', figure: { value: before?.size, unit: 'bytes' } });
      // The estimate against the truth: what the index takes when it is built anew.
      await run(primary, 'create index thinned_new on thinned (a)');
      const [after] = await primary.query(`select pg_relation_size('thinned_new')::int as size`);
      await run(primary, 'drop index thinned_new');
      const share = Number(found.figure?.promised) / Number(after?.size);
      expect(share).toBeGreaterThan(0.9);
      expect(share).toBeLessThan(1.5);
    },
  },
  {
    check: 'table_bloat',
    isDear: true,
    async make({ primary }) {
      await run(
        primary,
        'create table emptied (a int primary key, b text)',
        `insert into emptied select g, repeat('x', 80) from generate_series(1, 250000) g`,
        'delete from emptied where a % 10 <> 0',
        'vacuum analyze emptied',
      );
      return () => run(primary, 'drop table emptied');
    },
    isIt: ({ object_name }) => object_name === 'public.emptied',
    async expect(found, { primary }) {
      const [before] = await primary.query(`select pg_relation_size('emptied')::int as size`);
      expect(found).toMatchObject({ severity: 'info', figure: { value: before?.size, unit: 'bytes' } });
      await run(primary, 'create table packed as table emptied');
      const [after] = await primary.query(`select pg_relation_size('packed')::int as size`);
      await run(primary, 'drop table packed');
      const share = Number(found.figure?.promised) / Number(after?.size);
      expect(share).toBeGreaterThan(0.9);
      expect(share).toBeLessThan(1.5);
    },
  },
  {
    check: 'foreign_key_without_index',
    isDear: true,
    async make({ primary }) {
      await run(
        primary,
        'create table "Ord er" (id int, part int, primary key (id, part))',
        'insert into "Ord er" select g, 0 from generate_series(1, 100) g',
        'create table item ("or der" int, part int, constraint of_order foreign key ("or der", part) references "Ord er")',
        'insert into item select g % 90 + 1, 0 from generate_series(1, 60000) g',
        'delete from "Ord er" where id > 95',
        'vacuum analyze item',
      );
      return () => run(primary, 'drop table item, "Ord er"');
    },
    isIt: ({ object_name }) => object_name === 'public.item of_order',
    async expect(found, { primary }) {
      const [row] = await primary.query(`select pg_relation_size('item')::int as size`);
      expect(found).toMatchObject({
        severity: 'info',
        evidence: { table_size: row?.size, referenced_table: 'public.Ord er', referenced_n_tup_del: 5 },
        remedy: 'create index concurrently on "public"."item" ("or der", "part");',
      });
    },
  },
  {
    check: 'many_indexes',
    isDear: true,
    async make({ primary }) {
      const columns = Array.from({ length: 12 }, (_none, n) => `c${n}`);
      await run(
        primary,
        `create table crowded (${columns.map((one) => `${one} int`).join(', ')})`,
        ...columns.map((one) => `create index crowded_${one} on crowded (${one})`),
        `insert into crowded select ${columns.map(() => 'g').join(', ')} from generate_series(1, 100000) g`,
        'vacuum analyze crowded',
        `do $$ begin for i in 1..2000 loop perform from crowded where c0 = i; end loop; end $$`,
      );
      return () => run(primary, 'drop table crowded');
    },
    isIt: ({ object_name }) => object_name === 'public.crowded',
    expect: (found) => {
      expect(found).toMatchObject({
        severity: 'info',
        figure: { value: 12, unit: 'count', promised: 1 },
        evidence: { writes: 100_000 },
      });
      expect(found.rows?.length).toBe(11);
    },
  },
  {
    check: 'large_table_scans',
    isDear: true,
    async make({ primary }) {
      await run(
        primary,
        'create table leafed (a int, b text)',
        `insert into leafed select g, repeat('x', 100) from generate_series(1, 90000) g`,
        'vacuum analyze leafed',
        `do $$ begin for i in 1..210 loop perform from leafed where a = i; end loop; end $$`,
      );
      return () => run(primary, 'drop table leafed');
    },
    isIt: ({ object_name }) => object_name === 'public.leafed',
    expect: (found) => {
      expect(found.severity).toBe('info');
      expect(found.figure?.value).toBeGreaterThanOrEqual(210);
      expect(found.figure?.value).toBeLessThan(220);
      expect(found.evidence.table_size).toBeGreaterThan(10 * MIB);
    },
    async remedy(found, { primary }) {
      // What it shows tells which index is wanted.
      const [statements = '', ...more] = statementsOf(found.remedy);
      const [first] = await primary.query(statements);
      expect(first?.query).toContain('leafed where a =');
      for (const one of more) await primary.query(one);
      await run(primary, 'create index on leafed (a)', 'select pg_stat_reset()');
    },
  },
];
