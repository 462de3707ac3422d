// Who holds back vacuum on a real server, where the snapshots of others are as old as the transaction that does.
import { expect, it } from 'vitest';
import { openClient } from '../testing/servers/client.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { rowsOf, sessionOn } from '../testing/servers/probing.ts';
import { stopAtEnd } from '../testing/servers/server-sets.ts';

it('is the transaction itself, and never a session that merely sees it, in its own database or in another', async () => {
  const server = await stopAtEnd(startCluster({ settings: { max_prepared_transactions: 2 } }));
  await server.query('create database shop');
  await server.query('create table booked (a int)');
  const session = await sessionOn(server);
  const holders = async () =>
    Object.fromEntries(
      (await rowsOf(session, 'pg_wraparound')).map(({ datname, holder }) => [datname, holder]),
    );
  // The first client sees nothing that is open; all others see what the writer has open.
  const writer = await openClient(server, 'writer');
  await writer.query('begin; insert into booked values (1)');
  const reading = async (url: string, name: string) => {
    const client = await openClient({ url }, name);
    await client.query('begin isolation level repeatable read; select 1');
    return client;
  };
  const near = await reading(server.url, 'near');
  const far = await reading(server.url.replace(/postgres$/, 'shop'), 'far');
  const whole = { template0: null, template1: null };
  expect(await holders()).toEqual({ ...whole, postgres: 'postgres writer', shop: null });

  await writer.query(`prepare transaction 'left'`);
  expect(await holders()).toEqual({ ...whole, postgres: 'left', shop: null });

  // With it gone, they hold on by themselves.
  await writer.query(`rollback prepared 'left'`);
  expect(await holders()).toEqual({ ...whole, postgres: 'postgres near', shop: 'postgres far' });
  for (const client of [writer, near, far]) await client.end();

  // The server leaves out what a vacuum sees, so ending it would not help, and it is no old transaction either.
  await server.query('alter table booked set (autovacuum_enabled = false)');
  await server.query('insert into booked select generate_series(1, 100000)');
  const vacuum = await openClient(server, 'vacuum');
  await vacuum.query('set vacuum_cost_delay = 100; set vacuum_cost_limit = 1');
  const ended = vacuum.query('vacuum (freeze) booked').catch(() => null);
  const vacuums = async () =>
    (await rowsOf(session, 'pg_stat_activity'))
      .filter(({ is_vacuum }) => is_vacuum)
      .map((row) => row.application_name);
  await expect.poll(vacuums).toEqual(['vacuum']);
  await server.query('select pg_current_xact_id()');
  expect(await holders()).toEqual({ ...whole, postgres: null, shop: null });
  await server.query("select pg_cancel_backend(pid) from pg_stat_activity where application_name = 'vacuum'");
  await ended;
  await vacuum.end();
  await session.client.close();
});
