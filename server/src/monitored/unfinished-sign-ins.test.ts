// A lock on pg_class holds up the start of each session of its database, on the server, even when its client has gone.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { Secret } from '../kernel/secret.ts';
import { openClient } from '../testing/servers/client.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { targetFailure as failure, testSettings as settingsOf } from '../testing/servers/target.ts';
import { connectTarget } from './connect.ts';
import { CATALOG_LOCKS } from './unfinished-sign-ins.ts';

/** Processes of the machine that start a session of this role. */
const starting = (role: string) =>
  readdirSync('/proc').filter((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(`postgres: ${role} `);
    } catch {
      return false;
    }
  }).length;

it('one sign-in waits for a lock on a catalog, and the next are told why', { timeout: 60_000 }, async () => {
  const server = await startCluster();
  onTestFinished(() => server.stop());
  await server.query(`create role held_up login password 'p'`);
  await server.query('create database other');
  const { port, superuser, password } = server;
  const url = `postgres://${superuser}:${password}@127.0.0.1:${port}`;
  const holder = await openClient({ url: `${url}/postgres` }, 'holder');
  await holder.query('begin; lock table pg_class in access exclusive mode');
  const settings = settingsOf(server, {
    ...{ username: 'held_up', database: 'postgres', connect_timeout_ms: 4000 },
    password: new Secret('p'),
  });
  for (let tries = 0; tries < 4; tries += 1) {
    const { code, message } = await failure(connectTarget(settings));
    expect(code).toBe('sign_in_unfinished');
    expect(message).toContain('began the sign-in of held_up');
    expect(message).toContain(CATALOG_LOCKS);
    expect(starting('held_up')).toBe(1);
  }
  const elsewhere = await connectTarget(settingsOf(server, { database: 'other' }));
  expect(await elsewhere.query(CATALOG_LOCKS)).toEqual([{ pid: holder.pid, relation: 1259 }]);
  await elsewhere.close();
  await holder.query('rollback');
  await holder.end();
  await expect.poll(() => starting('held_up'), { timeout: 20_000 }).toBe(0);
  const client = await connectTarget(settings);
  expect(await client.query('select 1 as one')).toEqual([{ one: 1 }]);
  await client.close();
});
