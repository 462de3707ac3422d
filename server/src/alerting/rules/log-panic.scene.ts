// What is counted in the log just beyond the threshold and just not, and the trouble on a server.

import { renameSync } from 'node:fs';
import path from 'node:path';
import { openClient } from '../../testing/servers/client.ts';
import type { TestCluster } from '../../testing/servers/postgres.ts';
import { type LoggedScene, restart } from '../../testing/servers/rule-scenes/logged.ts';
import { more } from '../../testing/store/log-case-rows.ts';

/** A checkpoint does not find the control file. */
async function panic(server: TestCluster): Promise<void> {
  const file = path.join(server.directory, 'global/pg_control');
  const client = await openClient(server, 'checkpoint');
  renameSync(file, `${file}.away`);
  await client.begin('checkpoint');
  renameSync(`${file}.away`, file);
  await client.end();
  await restart(server);
}

// A PANIC goes by the class of its cause.
export const logged = more('io_error', 0, 'PANIC');

export const loggedScene: LoggedScene = { rules: ['log_panic', 'log_crash'], make: panic };
