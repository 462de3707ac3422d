// Nodes of spock on real servers under the real collector. What is installed there only has the tables in which spock
// keeps its nodes; they belong together by what these say, whatever anything is called.
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../kernel/log.ts';
import { newHouse } from '../../testing/collecting-tests.ts';
import type { TestCluster } from '../../testing/servers/postgres.ts';
import {
  joinSpock,
  replicatingServer,
  spockSettings,
  startStandby,
  stopAtEnd,
} from '../../testing/servers/server-sets.ts';
import { rename, seen, seenRelations, seenRoles } from '../../testing/store/topology-seen.ts';
import { startTopology } from './keeping.ts';

const MINUTE = { timeout: 60_000, interval: 100 };

it('nodes of spock belong together by their catalogs, not by names', { timeout: 300_000 }, async () => {
  const house = await newHouse();
  const settings = spockSettings();
  const node = (): Promise<TestCluster> => stopAtEnd(replicatingServer({ settings }));
  const [a1, a2, b1, b2] = await Promise.all([node(), node(), node(), node()]);
  for (const [first, second] of [
    [a1, a2],
    [b1, b2],
  ] as const) {
    await joinSpock({ node_id: 1, server: first }, [{ node_id: 2, server: second }]);
    await joinSpock({ node_id: 2, server: second }, [{ node_id: 1, server: first }]);
  }
  const copy = await stopAtEnd(startStandby(a2, { settings }));
  const ids: number[] = [];
  for (const server of [a1, b1, a2, b2, copy]) ids.push(await house.connect(server));
  const names = ['prod-n1', 'prod-n2', 'prod-n3', 'prod-n4', 'ha copy'];
  for (const [index, id] of ids.entries()) await rename(house.db, id, names[index] ?? '');
  house.start();
  const topology = startTopology({ db: house.db, log: silentLog, url: house.url, everyMs: 1000 });
  onTestFinished(() => topology.stop());
  // Their labels go by which of them was seen first.
  const clusters = async () => Object.values(await seen(house.db)).sort();
  await expect
    .poll(clusters, MINUTE)
    .toEqual(['spock: prod-n2 prod-n4', 'spock_ha: prod-n1 prod-n3(ha copy)']);
  await expect
    .poll(() => seenRelations(house.db), MINUTE)
    .toEqual([
      'ha copy streams_from prod-n3',
      'prod-n1 replicates_with prod-n3',
      'prod-n2 replicates_with prod-n4',
      'prod-n3 replicates_with prod-n1',
      'prod-n4 replicates_with prod-n2',
    ]);
  await expect
    .poll(() => seenRoles(house.db), MINUTE)
    .toMatchObject({ 'prod-n1': 'spock_node', 'ha copy': 'spock_standby' });
});
