// A server with a role that has no rights but to sign in.
import { onTestFinished } from 'vitest';
import { startCluster, type TestCluster } from './postgres.ts';

/** Its role is `plain`, with that password; it ends with the test. */
export async function plainCluster(major: 14 | 18): Promise<TestCluster> {
  const server = await startCluster({ major });
  onTestFinished(() => server.stop());
  await server.query(`create role plain login password 'plain'`);
  return server;
}
