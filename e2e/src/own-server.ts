// A PostgreSQL of one's own to watch: databases of several kinds (one with a hostile name, one that nobody may
// enter), and a role that may read statistics and nothing else.
import { randomUUID } from 'node:crypto';
import { startIn, type TestCluster } from '../../server/src/testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../../server/src/testing/servers/run-directory.ts';

export const HOSTILE = '<img src=x onerror="window.hit=1">';

export interface OwnServer {
  cluster: TestCluster;
  role: string;
  password: string;
  /** postgres://role:password@host:port/postgres, with another password when given. */
  url(password?: string): string;
  stop(): Promise<void>;
}

export async function startOwnServer(): Promise<OwnServer> {
  const runDirectory = makeRunDirectory();
  const stop = async () => removeRunDirectory(runDirectory);
  try {
    const cluster = await startIn(runDirectory, { major: 17 });
    const role = 'matriarch_monitor';
    const password = randomUUID();
    await cluster.query(`create role ${role} login password '${password}' in role pg_monitor`);
    for (const name of ['orders', 'reporting', 'payroll', HOSTILE]) {
      await cluster.query(`create database "${name.replaceAll('"', '""')}"`);
    }
    await cluster.query('revoke connect on database payroll from public');
    return {
      cluster,
      role,
      password,
      url: (given = password) => `postgres://${role}:${given}@${cluster.host}:${cluster.port}/postgres`,
      stop: async () => {
        await cluster.stop();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
