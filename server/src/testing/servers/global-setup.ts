// Once per test run: the PostgreSQL 18 that holds every test's datastore, and a coordinator that starts 14–17 the
// first time a test asks. Tests run in threads; the servers belong to the main process, which stops them.
import http from 'node:http';
import type { TestProject } from 'vitest/node';
import type {} from '../program.ts';
import { MAJORS, type Major, startIn, type TestCluster, type TestServer } from './cluster.ts';
import { dropTemplate, foreignUrl, templateName } from './foreign.ts';
import { makeRunDirectory, removeRunDirectory } from './run-directory.ts';
import { makeTemplate } from './template.ts';

const BUILD = new URL('../../../../scripts/lib/server-build.mjs', import.meta.url).href;

export interface TestServers {
  /** PostgreSQL 18 for the datastore of tests. */
  datastore: TestServer;
  /** Where the run's servers lie. */
  runDirectory: string;
  /** Base URL that answers GET /<major> with a TestServer. */
  coordinator: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    testServers: TestServers;
    /** Where tests have their databases: the run's PostgreSQL 18 as its superuser, or a server that was named. */
    datastoreUrl: string;
    /** The migrated database that those are cloned from. */
    datastoreTemplate: string;
  }
}

let stopAll: (() => Promise<void>) | undefined;

function plain(cluster: TestCluster): TestServer {
  const { major, host, port, superuser, password, url, socketDir, directory, logFile, pid } = cluster;
  return { major, host, port, superuser, password, url, socketDir, directory, logFile, pid };
}

function listen(server: http.Server): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    resolve(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`);
  });
  return promise;
}

function coordinate(get: (major: Major) => Promise<TestCluster>): http.Server {
  return http.createServer((request, response) => {
    const major = MAJORS.find((known) => `/${known}` === request.url);
    const answer = major
      ? get(major).then(plain)
      : Promise.reject(new Error(`no such server: ${request.url}`));
    answer.then(
      (facts) => response.end(JSON.stringify(facts)),
      (error: unknown) => {
        response.statusCode = 500;
        response.end(error instanceof Error ? error.message : String(error));
      },
    );
  });
}

export async function setup(project: TestProject): Promise<void> {
  const runDirectory = makeRunDirectory();
  const clusters = new Map<Major, Promise<TestCluster>>();
  const foreign = foreignUrl();
  const template = templateName(foreign !== undefined);
  const get = (major: Major) => {
    const known = clusters.get(major) ?? startIn(runDirectory, { major });
    clusters.set(major, known);
    return known;
  };
  const { builtProgram }: { builtProgram(): Promise<string> } = await import(BUILD);
  project.provide('program', await builtProgram());
  const server = coordinate(get);
  const onExit = () => removeRunDirectory(runDirectory);
  process.once('exit', onExit);
  stopAll = async () => {
    if (foreign !== undefined) await dropTemplate(foreign, template);
    server.close();
    server.closeAllConnections();
    const started = await Promise.allSettled(clusters.values());
    await Promise.all(started.map((one) => (one.status === 'fulfilled' ? one.value.stop() : undefined)));
    removeRunDirectory(runDirectory);
    process.off('exit', onExit);
  };
  try {
    const [datastore, coordinator] = await Promise.all([get(18), listen(server)]);
    await makeTemplate(foreign ?? datastore.url, template);
    project.provide('datastoreUrl', foreign ?? datastore.url);
    project.provide('datastoreTemplate', template);
    project.provide('testServers', { datastore: plain(datastore), runDirectory, coordinator });
  } catch (error) {
    await stopAll();
    throw error;
  }
}

export async function teardown(): Promise<void> {
  await stopAll?.();
}
