// A database whose catalogs are locked takes every sign-in and finishes none: one waits there however often it is tried, and the next
// attempt after the lock works.
import { expect, it, onTestFinished } from 'vitest';
import { startCluster } from '../testing/servers/postgres.ts';
import { connectTarget } from './connect.ts';
import { targetFailure as failure, testSettings as settingsOf } from './target-testing.ts';

it('sends one sign-in while the catalogs are locked, and says what may hold it', async () => {
  const server = await startCluster({});
  onTestFinished(() => server.stop());
  await server.query('create database busy');
  const holder = await connectTarget(settingsOf(server, { database: 'busy' }));
  await holder.query('begin');
  await holder.query('lock table pg_class in access exclusive mode');
  const settings = settingsOf(server, { database: 'busy', connect_timeout_ms: 1000 });
  const waiting = () => server.query('select pid from pg_locks where not granted');
  const first = await failure(connectTarget(settings));
  expect(first).toMatchObject({ step: 'timeout', code: 'sign_in_timeout' });
  for (let tries = 0; tries < 4; tries += 1) {
    const again = await failure(connectTarget(settings));
    expect(again).toMatchObject({ step: 'timeout', code: 'sign_in_timeout' });
    expect(again.message).toContain('A lock on the catalogs of busy');
  }
  expect(await waiting()).toHaveLength(1);
  // Another database of the server is read meanwhile.
  await (await connectTarget(settingsOf(server))).close();
  await holder.close();
  await expect.poll(() => connectTarget(settings).then((client) => client.close())).toBeUndefined();
  expect(await waiting()).toHaveLength(0);
});
