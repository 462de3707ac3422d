// What the probes of databases bring home is what the views say at that moment, on every supported version: column by
// column under the newest name, after a load that the test makes itself.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Row } from '../store/layout/types.ts';
import { type ProbedDatabase, probedDatabase, sqlProbe } from '../testing/servers/database-probes.ts';
import { type Major, sharedServer } from '../testing/servers/postgres.ts';
import { majorsOfKits } from '../testing/tier.ts';

const ODD = '"Odd ""schema"';
const SOON = { timeout: 90_000, interval: 100 };

const SETUP = [
  `create schema ${ODD}`,
  `create extension pg_stat_statements schema ${ODD}`,
  'create table loaded (id serial primary key, other integer, payload text)',
  'create index loaded_other_idx on loaded (other)',
  'create table untouched (id integer)',
  `create table tuned (id integer, note text) with (
    autovacuum_enabled = false, autovacuum_vacuum_threshold = 7, autovacuum_vacuum_scale_factor = 0.5,
    autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_threshold = 11,
    autovacuum_analyze_scale_factor = 0, autovacuum_freeze_max_age = 150000000)`,
  'create table parted (id integer) partition by range (id)',
  'create table parted_1 partition of parted for values from (0) to (10)',
  `create function doubled(n integer) returns integer language plpgsql as 'begin return 2 * n; end'`,
];

async function load(database: ProbedDatabase): Promise<void> {
  const client = await database.client();
  await client.query('set track_functions to "all"');
  await client.query('set enable_seqscan = off');
  await client.query(
    `insert into loaded (other, payload) select g, repeat(md5(g::text), 4) from generate_series(1, 2000) g`,
  );
  await client.query(`insert into loaded (other, payload)
    select 0, string_agg(md5(g::text), '') from generate_series(1, 2000) g`);
  await client.query('insert into tuned select g from generate_series(1, 100) g');
  await client.query('update loaded set other = other + 1 where id <= 100');
  await client.query('delete from loaded where id between 101 and 150');
  for (let n = 1; n <= 7; n += 1) await client.query('select payload from loaded where id = $1', [n]);
  await client.query('select doubled(id) from untouched union all select doubled(4)');
  await client.query('vacuum analyze loaded');
  await client.query('vacuum analyze tuned');
  await client.query('update loaded set other = 5 where id <= 20');
  await client.end();
}

/** What the view says of the same columns, as far as it has them. */
function expectSame(
  row: Row | undefined,
  direct: Row,
  formerly: Readonly<Record<string, string>> = {},
): void {
  for (const [name, value] of Object.entries(direct))
    expect({ column: name, value: row?.[formerly[name] ?? name] }).toEqual({ column: name, value });
}

const columnsOf = (probe: string, kind: string) =>
  sqlProbe(probe)
    .columns.filter((column) => column.kind === kind)
    .map(({ name }) => name);

describe.each(majorsOfKits())('on PostgreSQL %i', (major: Major) => {
  let database: ProbedDatabase;
  beforeAll(async () => {
    database = await probedDatabase(await sharedServer(major), SETUP);
    await load(database);
    // Sessions report what they did with a delay.
    await vi.waitUntil(async () => {
      const [row] = await database.elsewhere(
        `select tup_inserted >= 2101 as ready from pg_stat_database where datname = '${database.name}'`,
      );
      const [table] = await database.query(`
        select n_tup_ins = 2001 and n_tup_upd = 120 and n_tup_del = 50 and n_dead_tup > 0 as ready
        from pg_stat_all_tables where relname = 'loaded'`);
      return row?.ready === true && table?.ready === true;
    }, SOON);
  });
  afterAll(() => database.close());

  it.each(['pg_stat_database', 'pg_stat_database_conflicts'])(
    '%s is its own row of the view',
    async (probe) => {
      const look = () => database.elsewhere(`select * from ${probe} where datname = '${database.name}'`);
      const [before] = await look();
      const rows = await database.rows(probe);
      const [after] = await look();
      // Read once for all databases.
      expect(new Set(rows.map(({ datname }) => datname)).size).toBe(rows.length);
      const row = rows.find(({ datname }) => datname === database.name) ?? {};
      expect(Object.keys(before ?? {}).filter((name) => !(name in row))).toEqual([]);
      for (const name of columnsOf(probe, 'counter')) {
        const [low, value, high] = [before?.[name] ?? null, row[name], after?.[name] ?? null];
        const isBetween =
          low === null ? value === null : Number(low) <= Number(value) && Number(value) <= Number(high);
        expect({ name, low, value, high, isBetween }).toMatchObject({ isBetween: true });
      }
      for (const name of [...columnsOf(probe, 'label'), ...columnsOf(probe, 'time')])
        expect({ name, value: row[name] }).toEqual({ name, value: before?.[name] ?? null });
    },
  );

  it.each([
    ['pg_stat_all_tables', 'relid', ['pg_stat_all_tables', 'pg_statio_all_tables']],
    ['pg_stat_all_indexes', 'indexrelid', ['pg_stat_all_indexes', 'pg_statio_all_indexes']],
    ['pg_statio_all_sequences', 'relid', ['pg_statio_all_sequences']],
    ['pg_stat_user_functions', 'funcid', ['pg_stat_user_functions']],
  ])('%s is what the views say', async (probe, key, views) => {
    const read = async () => new Map((await database.rows(probe)).map((row) => [row[key], row]));
    let found = await read();
    const declared = new Set(sqlProbe(probe).columns.map(({ name }) => name));
    for (const view of views) {
      // Autovacuum counts too, at any time.
      await vi.waitFor(async () => {
        found = await read();
        const direct = await database.query(`select * from ${view} where schemaname = 'public'`);
        expect(direct.length).toBeGreaterThan(0);
        expect(Object.keys(direct[0] ?? {}).filter((name) => !declared.has(name))).toEqual([]);
        for (const row of direct) expectSame(found.get(row[key]), row);
      }, 10_000);
    }
    const all = await database.query(`select ${key} as key from ${probe}`);
    expect([...found.keys()].sort()).toEqual(all.map((row) => row.key).sort());
  });

  it('sizes and ages are what the files and the catalog say, and unknown is null', async () => {
    const tables = new Map((await database.rows('pg_stat_all_tables')).map((row) => [row.relname, row]));
    const [expected] = await database.query(`
      select
        pg_relation_size(oid) + pg_relation_size(reltoastrelid) as table_size, reltuples::bigint as reltuples,
        age(relfrozenxid)::bigint / 1000000 * 1000000 as relfrozenxid_age,
        mxid_age(relminmxid)::bigint / 1000000 * 1000000 as relminmxid_age
      from pg_class where relname = 'loaded'`);
    expect(tables.get('loaded')).toMatchObject(expected ?? {});
    expect(Number(expected?.table_size)).toBeGreaterThan(8192);
    expect(tables.get('untouched')).toMatchObject({ table_size: null, reltuples: null, idx_scan: null });
    expect(tables.get('parted')).toMatchObject({ relkind: 'p', table_size: null, relfrozenxid_age: null });
    const indexes = await database.rows('pg_stat_all_indexes');
    const sizes = await database.query(`
      select c.relname as indexrelname, pg_relation_size(c.oid) as index_size, i.indisunique as is_unique,
        i.indisprimary as is_primary, i.indisvalid as is_valid
      from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'loaded'::regclass`);
    expect(sizes).toHaveLength(2);
    for (const size of sizes)
      expect(indexes.find(({ indexrelname }) => indexrelname === size.indexrelname)).toMatchObject(size);
  });

  it('thresholds are those that autovacuum goes by', async () => {
    const tables = new Map((await database.rows('pg_stat_all_tables')).map((row) => [row.relname, row]));
    expect(tables.get('loaded')).toMatchObject({
      reltuples: 1951,
      vacuum_threshold: 440,
      analyze_threshold: 245,
      autovacuum_enabled: true,
      freeze_max_age: 200_000_000,
      multixact_freeze_max_age: 400_000_000,
    });
    expect(Number(tables.get('loaded')?.insert_vacuum_threshold)).toBeGreaterThanOrEqual(1000);
    expect(tables.get('tuned')).toMatchObject({
      reltuples: 100,
      vacuum_threshold: 57,
      insert_vacuum_threshold: null,
      analyze_threshold: 11,
      autovacuum_enabled: false,
      freeze_max_age: 150_000_000,
    });
    const [toast] = await database.query(
      `select r.relname as name from pg_class c join pg_class r on r.oid = c.reltoastrelid where c.relname = 'tuned'`,
    );
    expect(tables.get(toast?.name)).toMatchObject({
      relkind: 't',
      vacuum_threshold: 7,
      analyze_threshold: null,
      autovacuum_enabled: false,
    });
  });

  it('pg_stat_statements is what the view says of every database, wherever the extension lies', async () => {
    const knownNow = () =>
      database.query('select oid::bigint as dbid from pg_database where not datistemplate');
    // Another test may drop a database of its own meanwhile.
    const before = await knownNow();
    const all = await database.rows('pg_stat_statements');
    const known = [...before, ...(await knownNow())];
    const [own] = await database.query(
      'select oid::bigint as dbid from pg_database where datname = current_database()',
    );
    const dbids = new Set(known.map(({ dbid }) => dbid));
    expect(all.filter(({ dbid }) => !dbids.has(dbid))).toEqual([]);
    const rows = all.filter(({ dbid }) => dbid === own?.dbid);
    expect(rows.length).toBeLessThan(all.length);
    const direct = await database.query(`
      select s.* from ${ODD}.pg_stat_statements s
      where s.query like '%from loaded where id%' or s.query like 'delete from loaded%'`);
    expect(direct).toHaveLength(2);
    const formerly = {
      blk_read_time: 'shared_blk_read_time',
      blk_write_time: 'shared_blk_write_time',
    };
    for (const { query, queryid, wal_bytes, ...rest } of direct) {
      const row = rows.find((one) => one.queryid === String(queryid));
      expect(String(query)).toMatch(/loaded/);
      expect(row).toMatchObject({ wal_bytes: Number(wal_bytes), username: 'postgres' });
      expectSame(row, rest, formerly);
    }
    expect(rows.find(({ calls }) => calls === 7)).toMatchObject({ toplevel: true, rows: 7 });
    const info = async () => (await database.query(`select * from ${ODD}.pg_stat_statements_info`))[0];
    const count = async () =>
      Number((await database.query(`select count(*)::int as n from ${ODD}.pg_stat_statements`))[0]?.n);
    expect(rows[0]?.stats_reset).toBe((await info())?.stats_reset);
    const [max] = await database.query(
      `select setting::int as entries from pg_settings where name = 'pg_stat_statements.max'`,
    );
    // The server is shared: others run statements meanwhile, for which it gives up entries.
    await vi.waitFor(async () => {
      const [known, counted] = [await info(), await count()];
      const [level, ...others] = await database.rows('pg_stat_statements_info');
      expect(others).toEqual([]);
      const { entries, ...rest } = level ?? {};
      expect(rest).toEqual({ ...known, max_entries: max?.entries });
      // Reading it is a statement itself.
      expect(Number(entries)).toBeGreaterThanOrEqual(counted);
      expect(Number(entries)).toBeLessThanOrEqual(counted + 10);
    }, 30_000);
  });

  it('every probe of a database runs or says why not', async () => {
    for (const name of ['pg_extension', 'pg_index_health', 'pg_sequence_usage', 'pg_subscription_rel'])
      expect(await database.outcome(name)).toMatchObject({ kind: 'ran' });
    for (const name of ['spock_exception_log', 'spock_resolutions'])
      expect(await database.outcome(name)).toMatchObject({ kind: 'skipped', mend: null });
  });
});
