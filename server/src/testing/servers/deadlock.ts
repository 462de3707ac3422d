// Two transactions that wait for each other, on a real server.
import pg from 'pg';
import type { TestCluster } from './postgres.ts';

/** So many deadlocks, in the database of its address; the server notices each at once. */
export async function deadlock(server: TestCluster, times = 1): Promise<void> {
  const clients = [0, 1].map(() => new pg.Client({ connectionString: server.url }));
  await Promise.all(clients.map((one) => one.connect()));
  const [a, b] = clients;
  if (!a || !b) throw new Error('no clients');
  await a.query('create table if not exists locked (id int primary key)');
  await a.query('insert into locked values (1), (2) on conflict do nothing');
  for (const one of [a, b]) await one.query("set deadlock_timeout = '10ms'");
  const lock = (one: pg.Client, id: number) => one.query('select from locked where id = $1 for update', [id]);
  for (let n = 0; n < times; n += 1) {
    for (const one of [a, b]) await one.query('begin');
    await lock(a, 1);
    await lock(b, 2);
    await Promise.allSettled([lock(a, 2), lock(b, 1)]);
    for (const one of [a, b]) await one.query('rollback');
  }
  await a.query('drop table locked');
  await Promise.all(clients.map((one) => one.end()));
}
