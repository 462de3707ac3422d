// The functions against the views they stand for, in one transaction that sees one state of the statistics, for every
// relation of a database with all kinds of them.
import { describe, expect, it } from 'vitest';
import { type ProbedDatabase, probedDatabase, sqlProbe } from '../testing/servers/database-probes.ts';
import { type Major, sharedServer } from '../testing/servers/postgres.ts';
import { majorsOfKits } from '../testing/tier.ts';

const SETUP = [
  'create table plain (id integer primary key, note text)',
  'create index plain_note on plain (note)',
  'create table bare (note text)',
  'alter table bare alter column note set storage external',
  'create table flat (n integer)',
  'create table parts (id integer, at date) partition by range (at)',
  'create index parts_id on parts (id)',
  `create table part_1 partition of parts for values from ('2026-01-01') to ('2026-02-01')`,
  'create materialized view matter as select 1 as n',
  'create unique index matter_n on matter (n)',
  'create unlogged table quick (n integer primary key)',
  'create sequence counted',
  'create view seen as select * from plain',
  'create schema "Odd ""schema"""',
  'create table "Odd ""schema"""."Ta\'ble" (n integer primary key)',
  'create table tuned (note text) with (autovacuum_vacuum_threshold = 7, toast.autovacuum_enabled = false)',
  'create table gone (n integer)',
];
const LOAD = [
  'set enable_seqscan = off',
  `insert into plain select n, 'x' || n from generate_series(1, 2000) n`,
  `insert into bare select repeat('y', 20000) from generate_series(1, 20)`,
  'insert into flat select generate_series(1, 50)',
  `insert into parts select n, '2026-01-05' from generate_series(1, 30) n`,
  'insert into quick select generate_series(1, 10)',
  `update plain set note = 'z' where id < 300`,
  'delete from plain where id > 1900',
  'select count(length(note)) from bare',
  'select * from plain where id = 5',
  `select * from plain where note = 'x7'`,
  'select * from parts where id = 3',
  'select * from matter where n = 1',
  `select nextval('counted') from generate_series(1, 100)`,
  'vacuum plain',
  'analyze plain',
  'analyze bare',
  'vacuum bare',
  `insert into tuned values ('a'), ('b')`,
  'create table doubled as select 1 as n from generate_series(1, 2)',
];
/** Leaves an index behind that is not valid. */
const FAILING = 'create unique index concurrently doubled_n on doubled (n)';

/** What each probe reads, and from where. */
const VIEWS = [
  { probe: 'pg_stat_all_tables', view: 'pg_stat_all_tables', key: 'relid', relation: 'relid' },
  { probe: 'pg_stat_all_tables', view: 'pg_statio_all_tables', key: 'relid', relation: 'relid' },
  { probe: 'pg_stat_all_indexes', view: 'pg_stat_all_indexes', key: 'indexrelid', relation: 'indexrelid' },
  { probe: 'pg_stat_all_indexes', view: 'pg_statio_all_indexes', key: 'indexrelid', relation: 'indexrelid' },
  { probe: 'pg_statio_all_sequences', view: 'pg_statio_all_sequences', key: 'relid', relation: 'relid' },
] as const;

/** Columns of the view, all of which the probe has to have. */
async function columnsOf(
  database: ProbedDatabase,
  { probe, view }: (typeof VIEWS)[number],
): Promise<string[]> {
  const rows = await database.query(
    `select attname::text as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [`pg_catalog.${view}`],
  );
  const names = rows.map(({ name }) => String(name));
  const declared = new Set(sqlProbe(probe).columns.map(({ name }) => name));
  expect(names.filter((name) => !declared.has(name))).toEqual([]);
  // See lost-statistics.test.ts.
  return names.filter((name) => name !== 'n_live_tup');
}

async function worked(database: ProbedDatabase): Promise<void> {
  const client = await database.client();
  for (const statement of LOAD) await client.query(statement);
  await client.query('drop table gone');
  await expect(client.query(FAILING)).rejects.toThrow('could not create unique index');
  // With the end of its session the server knows all of it.
  await client.end();
  const temporary = await database.client();
  await temporary.query('create temporary table passing (id serial primary key, note text)');
  await temporary.query(`insert into passing (note) values ('t')`);
}

describe.each(majorsOfKits())('on PostgreSQL %i', (major: Major) => {
  it('the functions tell what the views tell, of every relation but temporary ones', async () => {
    const database = await probedDatabase(await sharedServer(major), SETUP);
    try {
      const [progress] = await database.query(
        `select pg_get_viewdef('pg_catalog.pg_stat_progress_create_index'::regclass) as definition`,
      );
      // See isBeingIndexed.
      expect(progress?.definition).toMatch(/\bs\.relid\b/);
      await worked(database);
      // PostgreSQL 14 hears of what sessions did with a delay.
      await expect
        .poll(
          async () =>
            (await database.rows('pg_stat_all_tables')).find(({ relname }) => relname === 'plain')?.n_tup_del,
          {
            timeout: 90_000,
            interval: 100,
          },
        )
        .toBe(100);
      const client = await database.client();
      await client.query('begin isolation level repeatable read');
      if (major >= 15) await client.query(`set local stats_fetch_consistency = 'snapshot'`);
      let used = 0;
      for (const one of VIEWS) {
        const columns = (await columnsOf(database, one)).map((name) => `r.${name}::text`).join(', ');
        expect(columns.length).toBeGreaterThan(20);
        const read = async (from: string) => {
          const rows = (await client.query(`select ${columns} from ${from} order by r.${one.key}::bigint`))
            .rows;
          return rows as Record<string, string | null>[];
        };
        const told = await read(`(${sqlProbe(one.probe).sql(database.session.capabilities)}) r`);
        const seen = await read(
          `pg_catalog.${one.view} r join pg_class k on k.oid = r.${one.relation} and k.relpersistence <> 't'`,
        );
        const keys = new Set(seen.map((row) => row[one.key]));
        // Of partitioned tables the view of blocks has no row.
        const comparable = told.filter((row) => keys.has(row[one.key] ?? ''));
        expect(comparable).toEqual(seen);
        const others = told.filter((row) => !keys.has(row[one.key] ?? ''));
        for (const { relid, schemaname, relname, ...blocks } of others)
          expect(new Set(Object.values(blocks)), `${relid} ${schemaname} ${relname}`).toEqual(
            new Set([null]),
          );
        used += seen.filter((row) =>
          Object.entries(row).some(([name, value]) => /scan|blks|tup/.test(name) && Number(value) > 0),
        ).length;
      }
      // Something was going on.
      expect(used).toBeGreaterThan(50);
      await client.query('rollback');
    } finally {
      await database.close();
    }
  });
});
