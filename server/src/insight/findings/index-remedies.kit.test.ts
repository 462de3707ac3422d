// Indexes that other things need: attached to those of a partitioned table, behind a constraint, the replica identity, the only one of a
// foreign key, of an extension's table. What is advised there runs, and what is no gain is not advised.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { change, statementsOf } from '../../testing/servers/check-scenes/scene.ts';
import { type ProbedDatabase, probedDatabase } from '../../testing/servers/database-probes.ts';
import { judgeReadings, probesOf, readingsOf } from '../../testing/servers/judging.ts';
import { type Major, sharedServer } from '../../testing/servers/postgres.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { check as duplicateIndex } from '../checks/duplicate-index.ts';
import { check as indexBloat } from '../checks/index-bloat.ts';
import { check as manyIndexes } from '../checks/many-indexes.ts';
import { check as unusedIndex } from '../checks/unused-index.ts';

const DAYS_MS = 40 * 24 * 3_600_000;
const COLUMNS = Array.from({ length: 12 }, (_none, n) => `c${n}`);

const SETUP = [
  'select pg_stat_reset()',
  'create table buyers (id integer primary key)',
  'insert into buyers values (0)',
  `create table all_sold (
    ${COLUMNS.map((one) => `${one} int not null`).join(', ')}, buyer int not null default 0, note text
  ) partition by range (c0)`,
  'create table sold partition of all_sold default',
  ...COLUMNS.slice(2, 6).map((one) => `create index on all_sold (${one})`),
  ...COLUMNS.slice(6).map((one) => `create index sold_${one} on sold (${one})`),
  'create unique index sold_c0 on sold (c0)',
  'alter table sold replica identity using index sold_c0',
  'alter table sold add constraint sold_apart exclude using btree (c1 with =)',
  'alter table sold add constraint sold_buyer foreign key (buyer) references buyers',
  'create index sold_by_buyer on sold (buyer, note)',
  `insert into sold (${COLUMNS.join(', ')}, note)
  select ${COLUMNS.map(() => 'g').join(', ')}, repeat('x', 120) || g
  from generate_series(1, 100000) g`,
  'create table made (a int, b int)',
  'create index made_first on made (a, b)',
  'create index made_second on made (a, b)',
  'alter extension plpgsql add table made',
  'vacuum analyze sold',
  `do $$ begin for i in 1..2000 loop perform from sold where c0 = i; end loop; end $$`,
  // As if most of it had been deleted since.
  "update pg_class set relpages = 10000, reltuples = 100000 where relname = 'sold_apart'",
];

describe.each(majorsOfKits())('on PostgreSQL %i', (major: Major) => {
  let database: ProbedDatabase;
  beforeAll(async () => {
    database = await probedDatabase(await sharedServer(major), SETUP);
    // With what the server offers.
    await database.rows('pg_stat_all_indexes');
  });
  afterAll(async () => {
    await database.query('alter extension plpgsql drop table made');
    await database.close();
  });

  const checks = [duplicateIndex, indexBloat, manyIndexes, unusedIndex];
  const read = () => readingsOf(database.session, [...new Set(checks.flatMap(probesOf))]);
  const found = async (given = read()) =>
    judgeReadings(checks, await given, { later: DAYS_MS }).flatMap((verdict) =>
      verdict.found.map((problem) => ({ check: verdict.check.name, ...problem })),
    );

  it('advises what can be done', async () => {
    const all = await found();
    expect(all.map(({ check, object_name }) => `${check} ${object_name}`).toSorted()).toEqual([
      'index_bloat public.sold_apart',
      'many_indexes public.sold',
      'unused_index public.sold_by_buyer',
    ]);
    const of = (name: string) => all.find(({ check }) => check === name);
    expect(
      of('many_indexes')
        ?.rows?.map(({ index }) => index)
        .toSorted(),
    ).toEqual([
      'public.sold_by_buyer',
      ...COLUMNS.slice(6)
        .map((one) => `public.sold_${one}`)
        .toSorted(),
    ]);
    expect(of('unused_index')?.message).toContain('Foreign key "sold_buyer" has no other index.');
  });

  it('keeps the index of a foreign key where the table is so large that one would be advised again', async () => {
    const readings = await read();
    change(readings, 'pg_index_health', () => ({ table_size: 2 * 1024 ** 3 }));
    const left = await found(Promise.resolve(readings));
    expect(left.map(({ check }) => check).toSorted()).toEqual(['index_bloat', 'many_indexes']);
  });

  it('advises statements that run', async () => {
    const done = new Set<string>();
    for (const one of (await found()).flatMap(({ remedy }) => statementsOf(remedy ?? ''))) {
      if (!done.has(one)) await database.query(one);
      done.add(one);
    }
    expect(done.size).toBe(8);
    expect(await found()).toEqual([]);
  });
});
