// What ends a session, on a real server: the one that it was shown for, and none that has moved on.
import { expect, it } from 'vitest';
import { openClient } from '../../testing/servers/client.ts';
import { sharedServer } from '../../testing/servers/postgres.ts';
import { directly } from '../../testing/servers/probing.ts';
import { endSession } from './remedies.ts';

it('ends a session while its transaction is open, and leaves it alone once it is at another', async () => {
  const server = await sharedServer(18);
  const client = await openClient(server, 'moves on');
  const began = async () => {
    const [row] = await directly(server, `select xact_start from pg_stat_activity where pid = ${client.pid}`);
    return row?.xact_start instanceof Date ? row.xact_start.getTime() : null;
  };
  await client.query('begin; select 1');
  const late = endSession('terminate', client.pid, await began());
  await client.query('commit');
  await client.query('select pg_sleep(0.01)');
  await client.query('begin; select 1');
  expect(await directly(server, late)).toEqual([]);
  await client.query('select 1');
  const now = endSession('terminate', client.pid, await began());
  expect(await directly(server, now)).toEqual([{ pg_terminate_backend: true }]);
  await expect(client.query('select 1')).rejects.toThrow();
  await client.end();
});
