// How long a session has waited for a lock on a real server: since the wait began, and not since its statement did.
import { expect, it } from 'vitest';
import { openClient } from '../testing/servers/client.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { rowsOf, sessionOn } from '../testing/servers/probing.ts';
import { stopAtEnd } from '../testing/servers/server-sets.ts';

it('counts from the beginning of the wait of a statement that ran before, and of nobody else', async () => {
  const server = await stopAtEnd(startCluster());
  await server.query('create table orders (a int)');
  const session = await sessionOn(server);
  const [holder, batch] = [await openClient(server, 'holder'), await openClient(server, 'batch')];
  await holder.query('begin; lock table orders');
  const done = batch.query(`do $$ begin perform pg_sleep(3); execute 'select count(*) from orders'; end $$`);
  const rows = async () =>
    new Map((await rowsOf(session, 'pg_stat_activity')).map((row) => [row.application_name, row]));
  await expect
    .poll(async () => (await rows()).get('batch')?.waitstart ?? null, { timeout: 30_000 })
    .not.toBeNull();
  const found = await rows();
  const waits = found.get('batch');
  const after = Date.parse(String(waits?.waitstart)) - Date.parse(String(waits?.query_start));
  expect(after).toBeGreaterThanOrEqual(2900);
  expect(waits?.wait_event_type).toBe('Lock');
  expect(found.get('holder')?.waitstart).toBeNull();
  await holder.query('rollback');
  await done;
  expect((await rows()).get('batch')?.waitstart).toBeNull();
  for (const client of [holder, batch]) await client.end();
  await session.client.close();
});
