// Migrations: each once, in order, and none that is not ours. Servers that die in between, and what the disk is asked for, are in
// migrate.proof.test.ts.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../kernel/errors.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { type TestDatabase, testDatabase } from '../testing/servers/database.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { migrate } from './migrate.ts';

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
