// What scenes of logs are made of: sessions on a real server whose statements may fail.
import pg from 'pg';
import type { Major, TestCluster } from '../servers/cluster.ts';

export interface LogScene {
  /** Classes of which the files have at least one event after it. */
  shows: readonly string[];
  /** The first PostgreSQL that can. */
  since?: Major;
  play(server: TestCluster): Promise<void>;
}

export async function session(server: TestCluster, over: pg.ClientConfig = {}): Promise<pg.Client> {
  const { host, port, superuser: user, password } = server;
  const client = new pg.Client({ host, port, user, password, database: 'postgres', ...over });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Runs statements in one session, each of which may fail: that it does is the scene. */
export async function statements(server: TestCluster, texts: readonly string[]): Promise<void> {
  const client = await session(server);
  for (const text of texts) await client.query(text).catch(() => undefined);
  await client.end().catch(() => undefined);
}

export const says = (shows: string, ...texts: string[]): LogScene => ({
  shows: [shows],
  play: (server) => statements(server, texts),
});

export async function until(server: TestCluster, condition: string): Promise<void> {
  for (let looks = 0; looks < 600; looks += 1) {
    const [row] = await server.query(`select (${condition}) as holds`);
    if (row?.holds === true) return;
    await server.query('select pg_sleep(0.1)');
  }
  throw new Error(`this never came: ${condition}`);
}
