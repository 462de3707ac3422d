import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../kernel/errors.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { type TestDatabase, testDatabase } from '../testing/servers/database.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { migrate } from './migrate.ts';

/** As servers are set by default; those of tests forget what they have not written when they die. */
const DURABLE = { fsync: true, synchronous_commit: true };

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

it('applies nothing twice, even from several starters at once', async () => {
  const applied = await Promise.all([1, 2, 3].map(() => migrate(database.url, silentLog)));
  expect(applied.flat()).toEqual([]);
});

it('refuses a datastore made by a newer version', async () => {
  const { db, url } = database;
  await db.run(
    sql`insert into matriarch.migrations (version, name, checksum) values (9999, '9999_future.sql', 'x')`,
  );
  await expect(migrate(url, silentLog)).rejects.toThrow(/newer version of Matriarch/);
  await db.run(sql`delete from matriarch.migrations where version = 9999`);
});

it('refuses a migration that was edited after it ran', async () => {
  const { db, url } = database;
  await db.transaction(async (tx) => {
    await tx.run(sql`update matriarch.migrations set checksum = 'edited' where version = 1`);
  });
  await expect(migrate(url, silentLog)).rejects.toThrow(/0001_core.sql is not the one/);
});

it('keeps what was applied before one that fails, and goes on with that one', async () => {
  const server = await startCluster();
  onTestFinished(() => server.stop());
  const url = new Secret(server.url);
  await server.query('create schema matriarch');
  await server.query('create table matriarch.alert_rules (in_the_way text)');
  await expect(migrate(url, silentLog)).rejects.toThrow(
    new UsageError(
      'The datastore has what Matriarch makes itself: relation "alert_rules" already exists. Name a database of its own with --datastore-url, or drop what is in the way.',
    ),
  );
  const made = await server.query('select name from matriarch.migrations order by version');
  expect(made.at(-1)).toEqual({ name: '0023_object_times.sql' });
  expect(made).toHaveLength(23);

  await server.query('drop table matriarch.alert_rules');
  const applied = await migrate(url, silentLog);
  expect(applied[0]).toBe('0024_alerts.sql');
  expect(await migrate(url, silentLog)).toEqual([]);
});

it('goes on where a server was that died in between', async () => {
  const server = await startCluster({ settings: DURABLE });
  onTestFinished(() => server.stop());
  const url = new Secret(server.url);
  const all = await migrate(url, silentLog);
  await server.kill();
  await server.start();
  // The server may have lost the last ones, and only those.
  const kept = await server.query('select name from matriarch.migrations order by version');
  const lost = await migrate(url, silentLog);
  expect([...kept.map(({ name }) => name), ...lost]).toEqual(all);

  // What is committed after them takes them along.
  await server.query('create table matriarch.committed_later ()');
  await server.kill();
  await server.start();
  expect(await migrate(url, silentLog)).toEqual([]);
});

it('waits for the disk no more often than for the last of them', async () => {
  const server = await startCluster({ settings: DURABLE });
  onTestFinished(() => server.stop());
  const flushes = async () =>
    (
      await server.query(`select sum(fsyncs)::int as n from pg_stat_io
        where object = 'wal' and backend_type = 'client backend'`)
    )[0]?.n;
  const before = Number(await flushes());
  const all = await migrate(new Secret(server.url), silentLog);
  expect(all.length).toBeGreaterThan(40);
  expect(Number(await flushes()) - before).toBeLessThan(all.length / 2);
});

it('rolls back a nested transaction as a whole', async () => {
  const { db } = database;
  const attempt = db.transaction(async (tx) => {
    await tx.run(sql`insert into users (username) values ('nested')`);
    await tx.transaction((inner) => inner.run(sql`insert into users (username) values ('-bad')`));
  });
  await expect(attempt).rejects.toMatchObject({ constraint: 'users_username_form' });
  expect(await db.rows(sql`select 1 from users where username = 'nested'`)).toEqual([]);
});

it('leaves the name of a statement where PostgreSQL 18 shows it', async () => {
  const { db } = database;
  await db.run(sql`create extension if not exists pg_stat_statements`);
  await db.rows(sql`/* visible.name */ select count(*) from matriarch.one_time_links`);
  const seen = await db.rows(
    sql`select 1 from pg_stat_statements where query like '%visible.name%one_time_links%'`,
  );
  expect(seen).toHaveLength(1);
});
