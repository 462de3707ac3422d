// Where the datastore is, for commands that run beside a server or without one: the URL that was configured, the
// embedded PostgreSQL that a running Matriarch has started, or one that is started just for the command.
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { UsageError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { startEmbedded } from './embedded.ts';
import { LOOPBACK } from './ports.ts';

export interface LocatedDatastore {
  url: Secret;
  stop(): Promise<void>;
}

export interface LocateOptions {
  datastoreUrl: Secret | undefined;
  dataDir: string;
  /** Where there is no embedded datastore yet, one is made. */
  mayCreate: boolean;
  log: Log;
  progress: (sentence: string) => void;
}

/** Line of postmaster.pid that holds the port, counted from 0 (PostgreSQL, storage/lmgr miscinit.h). */
const PORT_LINE = 3;

/** URL of the embedded server that runs in this data directory; undefined when there is none. */
async function runningEmbedded(dataDir: string): Promise<Secret | 'silent' | undefined> {
  const pidFile = path.join(dataDir, 'postgres', 'postmaster.pid');
  const passwordFile = path.join(dataDir, 'postgres.password');
  if (!existsSync(pidFile) || !existsSync(passwordFile)) return undefined;
  const port = Number(readFileSync(pidFile, 'utf8').split('\n')[PORT_LINE]);
  const password = readFileSync(passwordFile, 'utf8').trim();
  if (!Number.isInteger(port) || port <= 0) return undefined;
  const url = `postgres://postgres:${password}@${LOOPBACK}:${port}/matriarch`;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  try {
    await client.connect();
    return new Secret(url);
  } catch (error) {
    return error instanceof Error && error.message === 'timeout expired' ? 'silent' : undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** In another directory than the one that was meant, a command would tell of an empty datastore of its own making. */
function demandEmbedded(dataDir: string): void {
  if (lstatSync(path.join(dataDir, 'postgres'), { throwIfNoEntry: false })) return;
  throw new UsageError(
    `There is no datastore in ${dataDir}: name its directory with --data-dir, or its URL with --datastore-url.`,
  );
}

/** Finds or starts the datastore; `stop` ends only what this call started. */
export async function locateDatastore(options: LocateOptions): Promise<LocatedDatastore> {
  const { datastoreUrl, dataDir, mayCreate, log, progress } = options;
  if (datastoreUrl) return { url: datastoreUrl, stop: async () => undefined };
  if (!mayCreate) demandEmbedded(dataDir);
  const running = await runningEmbedded(dataDir);
  if (running instanceof Secret) return { url: running, stop: async () => undefined };
  const embedded = await startEmbedded({ dataDir, log, progress }).catch((error: unknown) => {
    throw running === 'silent' && error instanceof UsageError
      ? new UsageError(`The built-in PostgreSQL does not answer. ${error.message}`)
      : error;
  });
  return { url: embedded.superuserUrl, stop: () => embedded.stop() };
}
