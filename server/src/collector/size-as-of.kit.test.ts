// The size of a table is read more often than the server measures it: its own age goes with it.
import { expect, it } from 'vitest';
import { probedDatabase } from '../testing/servers/database-probes.ts';
import { sharedServer } from '../testing/servers/postgres.ts';
import { majorsOfKits } from '../testing/tier.ts';

const SETUP = [
  'create table grown (id integer, payload text)',
  'alter table grown alter payload set storage external',
  'alter table grown set (autovacuum_enabled = false, toast.autovacuum_enabled = false)',
];

it.each(majorsOfKits())(
  'on PostgreSQL %i, says of when the size of a table is, which the catalog keeps from one vacuum or analyze to the next',
  async (major) => {
    const database = await probedDatabase(await sharedServer(major), SETUP);
    // What a session did is known once it has ended.
    const work = async (statement: string) => {
      const client = await database.client();
      await client.query(statement);
      await client.end();
    };
    const table = async () =>
      (await database.rows('pg_stat_all_tables')).find(({ relname }) => relname === 'grown');
    const [wide, narrow] = [`repeat('x', 9000)`, `'x'`];
    const insert = (text: string) =>
      work(`insert into grown select n, ${text} from generate_series(1, 1000) n`);
    await insert(narrow);
    await work('analyze grown');
    await expect.poll(async () => (await table())?.n_tup_ins, { timeout: 10_000 }).toBe(1000);
    const small = await table();
    const [analyzed] = await database.query(
      `select last_analyze from pg_stat_all_tables where relname = 'grown'`,
    );
    expect(small?.size_as_of).toBe(analyzed?.last_analyze);
    await insert(narrow);
    // Twice as large by now, and the catalog knows it only as it was.
    await expect.poll(async () => (await table())?.n_tup_ins, { timeout: 10_000 }).toBe(2000);
    expect(await table()).toMatchObject({ table_size: small?.table_size, size_as_of: small?.size_as_of });
    // Analyze leaves TOAST as it was before the rows came: nothing says how large that is.
    await insert(wide);
    await work('analyze grown');
    await expect.poll(async () => (await table())?.n_live_tup, { timeout: 10_000 }).toBe(3000);
    expect((await table())?.size_as_of).toBeNull();
    await work('vacuum grown');
    await expect.poll(async () => (await table())?.size_as_of ?? null).not.toBeNull();
    const [whole] = await database.query(
      `select pg_relation_size(oid) + pg_relation_size(reltoastrelid) as bytes from pg_class where relname = 'grown'`,
    );
    expect((await table())?.table_size).toBe(whole?.bytes);
    await work('truncate grown');
    expect(await table()).toMatchObject({ table_size: null, size_as_of: null });
    await database.close();
  },
);
