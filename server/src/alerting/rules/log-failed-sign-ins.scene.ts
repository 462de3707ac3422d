// What is counted in the log just beyond the threshold and just not, and the trouble on a server.

import pg from 'pg';
import type { TestCluster } from '../../testing/servers/postgres.ts';
import type { LoggedScene } from '../../testing/servers/rule-scenes/logged.ts';
import { more } from '../../testing/store/log-case-rows.ts';

async function signIn({ host, port }: TestCluster, password: string): Promise<void> {
  const client = new pg.Client({ host, port, user: 'mon', password, database: 'postgres' });
  await client.connect().catch(() => undefined);
  await client.end().catch(() => undefined);
}

export const logged = more('authentication_failed', 20, 'FATAL');

export const loggedScene: LoggedScene = {
  rules: ['log_failed_sign_ins'],
  make: (server) => Promise.all(Array.from({ length: 21 }, () => signIn(server, 'wrong'))),
};
