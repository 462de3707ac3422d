// What tests use of PostgreSQL: the run's shared servers of every major version, and servers of their own.
import { chmodSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { inject } from 'vitest';
import { type ClusterOptions, type Major, startIn, type TestCluster, type TestServer } from './cluster.ts';
import type {} from './global-setup.ts';

export {
  binariesOf,
  type ClusterOptions,
  MAJORS,
  type Major,
  type TestCluster,
  type TestServer,
} from './cluster.ts';
export { makeTlsFiles, type TlsFiles } from './tls-files.ts';

/** The run's PostgreSQL 18, on which every test has its datastore. Never stop, pause or reconfigure it. */
export function datastoreServer(): TestServer {
  return inject('testServers').datastore;
}

/** The run's shared server of a major version, started when the first test asks. Never stop or pause it. */
export async function sharedServer(major: Major): Promise<TestServer> {
  const { coordinator, datastore } = inject('testServers');
  if (major === datastore.major) return datastore;
  const response = await fetch(`${coordinator}/${major}`);
  if (!response.ok) throw new Error(`PostgreSQL ${major} for tests: ${await response.text()}`);
  const facts: TestServer = JSON.parse(await response.text());
  return facts;
}

/**
 * A server of the test's own, about 0.7 s. Stop it with `await using`, `onTestFinished(() => cluster.stop())` or in
 * afterAll; the end of the run stops what was forgotten.
 * @example await using primary = await startCluster({ major: 14, settings: { track_io_timing: true } });
 */
export function startCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  return startIn(inject('testServers').runDirectory, options);
}

/** A directory of the test's own that the server's user can pass through; removed at the end of the run. */
export function testDirectory(name: string): string {
  const directory = mkdtempSync(path.join(inject('testServers').runDirectory, `${name}-`));
  chmodSync(directory, 0o711);
  return directory;
}
