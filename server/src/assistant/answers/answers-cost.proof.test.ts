// What "What is wrong?" costs the datastore, of a real server that was read by the real collector.

import { expect, it, onTestFinished } from 'vitest';
import { makeSession } from '../../testing/access/actors.ts';
import { startTestApi } from '../../testing/api.ts';
import { newHouse, SOON } from '../../testing/collecting-tests.ts';
import { startCluster } from '../../testing/servers/postgres.ts';
import { stopAtEnd } from '../../testing/servers/server-sets.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { answersRoutes } from './answers.routes.ts';

it('asks the datastore once for what its parts have in common', { timeout: 300_000 }, async () => {
  const house = await newHouse();
  const db = countedDb(house.db);
  const api = await startTestApi({ rooms: [answersRoutes], db });
  onTestFinished(() => api.close());
  const token = await makeSession(house.db, 1);
  const server = await stopAtEnd(startCluster());
  const id = await house.connect(server);
  const collector = house.start();
  const ask = () => api.call(`GET /api/v1/connections/${id}/answers/what_is_wrong`, { token });
  await expect
    .poll(async () => {
      const { text } = await ask();
      const { unknown }: { unknown: { about: string }[] } = JSON.parse(text);
      return unknown.map(({ about }) => about);
    }, SOON)
    .toEqual(['What checks find']);
  // What was read in between would be planned anew.
  await collector.stop();
  await ask();
  db.reset();
  expect((await ask()).status).toBe(200);
  const names = db.sent.map((text) => /\/\*\s*(\S+)/.exec(text)?.[1] ?? text);

  expect(names.toSorted()).toEqual(
    [
      'access.authenticate',
      'alerts.list',
      'findings.list',
      'findings.run',
      // Sessions over the window.
      'store.load_plan',
      // Locks now.
      'store.moment_plan',
      // Changes of all kinds.
      'store.fact_events',
      'store.databases_without',
      'store.objects_made',
      // Of locks, sessions, and statements; nothing was dropped.
      'store.read_stored',
      'store.read_stored',
      'store.read_stored',
      'timeline.servers',
    ].sort(),
  );
});
