// How many rows are live where the server has lost its statistics: by a reset, as after a crash or an upgrade.
import { expect, it } from 'vitest';
import { startCluster } from '../testing/servers/postgres.ts';
import { rowsOf, sessionOn } from '../testing/servers/probing.ts';
import { stopAtEnd } from '../testing/servers/server-sets.ts';

it('begins where the last vacuum or analyze left it, and goes by what the server counts after the next one', async () => {
  const server = await stopAtEnd(startCluster({ settings: { autovacuum: false } }));
  await server.query('create table orders (id int, n int)');
  await server.query('insert into orders select i, 0 from generate_series(1, 5000) i');
  await server.query('vacuum analyze orders');
  const session = await sessionOn(server);
  const counts = async () => {
    const row = (await rowsOf(session, 'pg_stat_all_tables')).find(({ relname }) => relname === 'orders');
    return [Number(row?.n_live_tup), Number(row?.n_dead_tup)];
  };
  await expect.poll(counts, { timeout: 30_000 }).toEqual([5000, 0]);

  await server.query('select pg_stat_reset()');
  await server.query('update orders set n = 1 where id <= 2000');
  await server.query('delete from orders where id > 4500');
  await server.query('insert into orders select i, 0 from generate_series(1, 100) i');
  await expect.poll(counts, { timeout: 30_000 }).toEqual([4600, 2500]);

  await server.query('analyze orders');
  await expect.poll(async () => (await counts())[0], { timeout: 30_000 }).toBe(4600);
  await server.query('delete from orders');
  await expect.poll(async () => (await counts())[0], { timeout: 30_000 }).toBe(0);
  await session.client.close();
});
