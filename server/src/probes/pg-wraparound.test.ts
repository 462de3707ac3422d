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
  await session.client.close();
});
