// What is counted in the log just beyond the threshold and just not, and the trouble on a server.

import { openClient } from '../../testing/servers/client.ts';
import type { TestCluster } from '../../testing/servers/postgres.ts';
import type { LoggedScene } from '../../testing/servers/rule-scenes/logged.ts';
import { run } from '../../testing/servers/rule-scenes/scene.ts';
import type { LogCase } from '../../testing/store/log-case-rows.ts';

async function waitForLock(server: TestCluster): Promise<void> {
  await run(server, 'create table held (id int)');
  const [holder, waiter] = await Promise.all([openClient(server, 'holder'), openClient(server, 'waiter')]);
  await holder.query('begin; lock table held');
  const waiting = waiter.begin('select count(*) from held');
  await server.query('select pg_sleep(0.5)');
  await holder.query('commit');
  await waiting;
  await Promise.all([holder.end(), waiter.end()]);
}

export const logged: LogCase = {
  bad: { class: 'lock_acquired', events: 1, waited_ms: 60_001 },
  good: { class: 'lock_acquired', events: 1, waited_ms: 60_000 },
};

export const loggedScene: LoggedScene = { rules: ['log_lock_wait'], threshold: 0.1, make: waitForLock };
