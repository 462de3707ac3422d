// What is counted in the log just beyond the threshold and just not, and the trouble on a server.

import { appendFileSync } from 'node:fs';
import path from 'node:path';
import type { TestCluster } from '../../testing/servers/postgres.ts';
import { fails, type LoggedScene } from '../../testing/servers/rule-scenes/logged.ts';
import { run } from '../../testing/servers/rule-scenes/scene.ts';
import { more } from '../../testing/store/log-case-rows.ts';

/** The second block of a table is none that PostgreSQL wrote. */
async function corrupt(server: TestCluster): Promise<void> {
  await run(server, 'create table damaged as select 1 as n', 'checkpoint');
  const [row] = await server.query("select pg_relation_filepath('damaged') as file");
  appendFileSync(path.join(server.directory, String(row?.file)), Buffer.alloc(8192, 0x5a));
  await fails(server, 'select count(*) from damaged');
}

export const logged = more('data_corruption', 0, 'ERROR');

export const loggedScene: LoggedScene = { rules: ['log_data_corruption'], make: corrupt };
