// What a start needs before anything else: where parts are added, and the datastore, opened and with its tables. Loads little,
// since the rest of the program is loaded while the datastore works. Guards: what is wrong with a setting is said before anything
// is opened, and what is wrong with the datastore in a sentence.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDataDir } from '../datastore/data-dir.ts';
import { type Embedded, startEmbedded } from '../datastore/embedded.ts';
import { migrate } from '../datastore/migrate.ts';
import { poolerProblem } from '../datastore/pooler.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { datastoreProblem } from '../kernel/datastore-problem.ts';
import { UsageError } from '../kernel/errors.ts';
import type { Lifecycle, Parts } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import type { Secret } from '../kernel/secret.ts';

export interface AppOptions {
  config: Config;
  log: Log;
  clock: Clock;
  /** Told one sentence at each step that takes a while. */
  progress: (sentence: string) => void;
  /** Aborts a start that is still under way. */
  signal?: AbortSignal;
}

export interface App {
  /** Where the API listens; undefined without that role. */
  url: string | undefined;
  /** For the first administrator, to be shown once. */
  admin_link: string | undefined;
  /** Resolves when something the app cannot live without has ended by itself. */
  failed: Promise<string>;
  stop(): Promise<void>;
}

const BUILT_WEB = fileURLToPath(new URL('../../../web/dist', import.meta.url));

/** The folder of the built pages. */
export function webRoot(config: Config): string | undefined {
  if (config.web_root) {
    if (existsSync(path.join(config.web_root, 'index.html'))) return config.web_root;
    throw new UsageError(`web_root: ${config.web_root} has no index.html.`);
  }
  return BUILT_WEB;
}

/** From what stops last to what stops first. They start in another order. */
export interface Places {
  base: Parts;
  jobs: Parts;
  /** What it holds is waited for by the jobs of other processes, and so it stops before those of its own. */
  collector: Parts;
  alerting: Parts;
  api: Parts;
}

export function placesIn(lifecycle: Lifecycle): Places {
  const base = lifecycle.place();
  const jobs = lifecycle.place();
  const collector = lifecycle.place();
  const alerting = lifecycle.place();
  return { base, jobs, collector, alerting, api: lifecycle.place() };
}

export interface Datastore {
  url: Secret;
  embedded: Embedded | undefined;
}

interface Opening {
  base: Parts;
  /** Called when a server of our own has been launched and is not ready yet. */
  whenLaunched: () => void;
}

export async function openDatastore(
  options: AppOptions,
  { base, whenLaunched }: Opening,
): Promise<Datastore> {
  const { config, log, progress, signal } = options;
  const dataDir = config.data_dir;
  if (config.datastore_url) {
    const home = await openDataDir(dataDir);
    base.add({ name: 'data-dir', stop: async () => home.release() });
    return { url: config.datastore_url, embedded: undefined };
  }
  const embedded = await startEmbedded({ dataDir, log, progress, whenLaunched, ...(signal && { signal }) });
  base.add(embedded);
  return { url: embedded.superuserUrl, embedded };
}

/** Gives it its tables. `whenDue` is called while it makes some. */
export async function migrateDatastore(
  { config, log, progress }: AppOptions,
  url: Secret,
  whenDue: () => void,
): Promise<void> {
  try {
    // Our own server has nothing before it.
    const pooler = config.datastore_url ? await poolerProblem(url) : undefined;
    if (pooler !== undefined) throw new UsageError(`The datastore cannot be used: ${pooler}`);
    const applied = await migrate(url, log, whenDue);
    if (applied.length > 0) progress(`Prepared the datastore (${applied.length} migrations)`);
  } catch (error) {
    const problem = datastoreProblem(error);
    throw problem ? new UsageError(`The datastore cannot be used: ${problem}`) : error;
  }
}
