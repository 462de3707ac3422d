// Indexes of partitioned tables and indexes at work: what a finding advises must run, and what is being built is no finding.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProbedDatabase, probedDatabase } from '../../testing/servers/database-probes.ts';
import { judgeReadings, probesOf, readingsOf } from '../../testing/servers/judging.ts';
import { type Major, sharedServer } from '../../testing/servers/postgres.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { check as duplicateIndex } from '../checks/duplicate-index.ts';
import { check as invalidIndex } from '../checks/invalid-index.ts';
import { check as unusedIndex } from '../checks/unused-index.ts';

const DAYS_MS = 40 * 24 * 3_600_000;

const SETUP = [
  // Since 15 nothing else says from when on the statistics count.
  'select pg_stat_reset()',
  'create table sales (id integer, note text) partition by range (id)',
  'create table sales_low partition of sales for values from (0) to (60000)',
  'create table sales_high partition of sales for values from (60000) to (120000) partition by range (id)',
  'create table sales_high_1 partition of sales_high for values from (60000) to (120000)',
  'create index sales_both on sales (id, note)',
  'create index sales_id on sales (id)',
  'create index sales_low_alone on sales_low (note)',
  `insert into sales select n, repeat('x', 150) || n from generate_series(0, 119999) n`,
  'create index sales_half on only sales (note, id)',
  'analyze sales',
];

describe.each(majorsOfKits())('on PostgreSQL %i', (major: Major) => {
  let database: ProbedDatabase;
  beforeAll(async () => {
    database = await probedDatabase(await sharedServer(major), SETUP);
  });
  afterAll(() => database.close());

  const found = async () => {
    const checks = [duplicateIndex, invalidIndex, unusedIndex];
    const readings = await readingsOf(database.session, [...new Set(checks.flatMap(probesOf))]);
    return judgeReadings(checks, readings, { later: DAYS_MS }).flatMap((verdict) =>
      verdict.found.map((problem) => ({ check: verdict.check.name, ...problem })),
    );
  };
  const named = async (check: string) =>
    (await found()).filter((one) => one.check === check).map(({ object_name }) => object_name);

  it('an attached index is no finding of its own, since only its parent can be dropped', async () => {
    expect(await named('duplicate_index')).toEqual(['public.sales_id']);
    expect(await named('unused_index')).toEqual(['public.sales_low_alone']);
    const [one] = (await found()).filter(({ check }) => check === 'duplicate_index');
    const [size] = await database.query(
      `select sum(pg_relation_size(relid))::bigint as bytes from pg_partition_tree('sales_id')`,
    );
    expect(one?.figure?.value).toBe(Number(size?.bytes));
  });

  it('the advice for an invalid index of a partitioned table names the partitions that lack one', async () => {
    const [one] = (await found()).filter(({ check }) => check === 'invalid_index');
    expect(one?.object_name).toBe('public.sales_half');
    const missing = await database.query(one?.remedy ?? '');
    expect(missing.map(({ partition }) => partition).sort()).toEqual(['sales_high', 'sales_low']);
  });

  it('indexes of a table that is being reindexed are not invalid', async () => {
    await database.query('create table busy (a integer, b integer)');
    await database.query('insert into busy values (1, 1)');
    await database.query('create index busy_a on busy (a)');
    await database.query('create index busy_b on busy (b)');
    const holder = await database.client();
    await holder.query('begin');
    await holder.query('insert into busy values (2, 2)');
    const builder = await database.client();
    const building = builder.query('reindex table concurrently busy');
    const invalid = async () =>
      (
        await database.query('select from pg_index where not indisvalid and indrelid = $1::regclass', [
          'busy',
        ])
      ).length;
    await expect.poll(invalid, { timeout: 60_000, interval: 50 }).toBe(2);
    expect((await named('invalid_index')).filter((name) => name.includes('busy'))).toEqual([]);
    await holder.query('commit');
    await building;
  });

  it('the statements that are advised run', async () => {
    for (const one of await found()) await database.query(one.remedy ?? '');
    expect(await named('duplicate_index')).toEqual([]);
    expect(await named('unused_index')).toEqual([]);
  });
});
