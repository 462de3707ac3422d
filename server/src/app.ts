// The composition root: builds the parts from the settings, starts the roles, and stops everything last-in
// first-out. Nothing else in the program knows how the parts fit together.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startAlerting } from './alerter/parts.ts';
import type { PreparedApi } from './app-api.ts';
import { syncAlertRules } from './areas/alert-rules/alert-rules.service.ts';
import { recordAudit, systemActor } from './areas/audit/audit.service.ts';
import { startAuditKeeping } from './areas/audit/keeping.service.ts';
import { ensureAdmin } from './areas/auth/bootstrap.service.ts';
import { bindPasswords } from './areas/connections/bind-passwords.service.ts';
import { ensureEmbeddedConnection } from './areas/connections/embedded.service.ts';
import { secretUses } from './areas/connections/secret-uses.service.ts';
import { loadTargets } from './areas/connections/targets.service.ts';
import { tlsFoldersOf } from './areas/connections/tls-folders.ts';
import { syncProbeConfigs } from './areas/probe-configs/effective.service.ts';
import { lockedVault, type Vault } from './areas/secrets/vault.service.ts';
import { startTopology } from './areas/topology/background.ts';
import { type Collector, startCollector } from './collector/collector.ts';
import { openDataDir } from './datastore/data-dir.ts';
import { type Embedded, startEmbedded } from './datastore/embedded.ts';
import { migrate } from './datastore/migrate.ts';
import type { Clock } from './kernel/clock.ts';
import type { Config } from './kernel/config.ts';
import { datastoreProblem } from './kernel/datastore-problem.ts';
import { Database } from './kernel/db.ts';
import { UsageError } from './kernel/errors.ts';
import { Lifecycle, type Parts } from './kernel/lifecycle.ts';
import type { Log } from './kernel/log.ts';
import { limitHeapGrowth } from './kernel/memory-flags.ts';
import { once } from './kernel/once.ts';
import type { Secret } from './kernel/secret.ts';
import { VERSION } from './kernel/version.ts';
import { probes } from './probes/catalog.gen.ts';
import { startCompaction } from './store/compact/job.ts';
import { openEngine } from './store/layout/engine/open.ts';
import { openSpoolHome } from './store/spool/home.ts';
import { startMaintenance } from './store/upkeep/maintenance.ts';

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

const BUILT_WEB = fileURLToPath(new URL('../../web/dist', import.meta.url));

/** From what stops last to what stops first. They start in another order. */
interface Places {
  base: Parts;
  jobs: Parts;
  /** What it holds is waited for by the jobs of other processes, and so it stops before those of its own. */
  collector: Parts;
  alerting: Parts;
  api: Parts;
}

function placesIn(lifecycle: Lifecycle): Places {
  const base = lifecycle.place();
  const jobs = lifecycle.place();
  const collector = lifecycle.place();
  const alerting = lifecycle.place();
  return { base, jobs, collector, alerting, api: lifecycle.place() };
}

interface Datastore {
  url: Secret;
  embedded: Embedded | undefined;
}

async function openDatastore(options: AppOptions, base: Parts): Promise<Datastore> {
  const { config, log, progress, signal } = options;
  const dataDir = config.data_dir;
  if (config.datastore_url) {
    const home = await openDataDir(dataDir);
    base.add({ name: 'data-dir', stop: async () => home.release() });
    return { url: config.datastore_url, embedded: undefined };
  }
  const embedded = await startEmbedded({ dataDir, log, progress, ...(signal && { signal }) });
  base.add(embedded);
  return { url: embedded.superuserUrl, embedded };
}

/** What can be wrong with a datastore URL, as a sentence instead of a stack. */
async function migrateDatastore(
  { log, progress }: AppOptions,
  url: Secret,
  whenDue: () => void,
): Promise<void> {
  try {
    const applied = await migrate(url, log, whenDue);
    if (applied.length > 0) progress(`Prepared the datastore (${applied.length} migrations)`);
  } catch (error) {
    const problem = datastoreProblem(error);
    throw problem ? new UsageError(`The datastore cannot be used: ${problem}`) : error;
  }
}

/** What the parts are given. The vault is locked, and the datastore without tables, until the base is prepared. */
interface Ground {
  db: Database;
  vault: Vault;
  datastore: Datastore;
}

interface Base extends Ground {
  /** Loads what answers requests and prepares it, at the first call. */
  api(): Promise<PreparedApi>;
}

function webRoot(config: Config): string | undefined {
  if (config.web_root) {
    if (existsSync(path.join(config.web_root, 'index.html'))) return config.web_root;
    throw new UsageError(`web_root: ${config.web_root} has no index.html.`);
  }
  return BUILT_WEB;
}

const publicUrlOf = ({ config }: AppOptions) => config.api.public_url?.replace(/\/$/, '');

async function prepareApi(options: AppOptions, { datastore, ...ground }: Ground, lifecycle: Parts) {
  const { config, log, clock } = options;
  const loaded = await import('./app-api.ts');
  const own = { webRoot: webRoot(config), publicUrl: publicUrlOf(options) };
  return loaded.prepareApi({ config, log, clock, ...ground, url: datastore.url, lifecycle, ...own });
}

async function prepareBase(options: AppOptions, places: Places): Promise<Base> {
  const { config, log } = options;
  const datastore = await openDatastore(options, places.base);
  const db = places.base.add(
    new Database({
      url: datastore.url,
      log,
      applicationName: 'matriarch server',
      max: 20,
      whyAway: () => datastore.embedded?.outage,
    }),
  );
  const vault = lockedVault(db);
  const ground = { db, vault, datastore };
  const api = once(() => prepareApi(options, ground, places.api));
  await migrateDatastore(options, datastore.url, () => {
    // What it fails with is said where it is used.
    if (config.roles.includes('api')) api().catch(() => undefined);
  });
  const engine = await openEngine(db, config.store);
  log.info({ event: 'store.engine', engine: engine.name });
  await syncProbeConfigs(db, probes);
  await syncAlertRules(db);
  await vault.unlock({ keyFile: config.secret_key_file, createIfMissing: true });
  await bindPasswords({ db, vault, log });
  return { ...ground, api };
}

async function firstSteps({ config, clock, log }: AppOptions, { db, vault, datastore }: Base) {
  const { admin_username: username, admin_password: password } = config;
  const admin = await ensureAdmin({ db, clock, log, username, password });
  const { embedded } = datastore;
  if (embedded)
    await ensureEmbeddedConnection({
      db,
      clock,
      log,
      vault,
      owner_id: admin.admin_user_id,
      server: embedded,
    });
  return admin;
}

/** Settings come from files and the environment: what a process runs with can only be told when it starts. */
async function recordStart({ config, clock, log }: AppOptions, { db }: Base): Promise<void> {
  const chosen = config.resolved.filter(({ source }) => source !== 'default' && source !== 'not set');
  const settings = chosen.map(({ setting, value, source }) => [
    setting.key,
    { value: setting.type === 'secret' ? '[redacted]' : String(value), source },
  ]);
  await recordAudit(
    { db, clock, log, principal: systemActor('server') },
    { action: 'settings.load', details: { version: VERSION, settings: Object.fromEntries(settings) } },
  );
}

async function collect(
  options: AppOptions,
  { db, vault, datastore }: Ground,
  places: Places,
): Promise<Collector> {
  const { config, log, clock } = options;
  const { allow_private_networks, tls_file_folders } = config.connections;
  const tls_folders = tlsFoldersOf(tls_file_folders, config.data_dir);
  const { spool_bytes: maxBytes, spool_min_free_bytes: minFreeBytes } = config.collector;
  const root = path.join(config.data_dir, 'spool');
  limitHeapGrowth();
  const spool = await openSpoolHome({ root, maxBytes, minFreeBytes, clock, log });
  // The collector stops before its spool does.
  if (typeof spool === 'object') places.base.add(spool);
  const uses = secretUses({ db, clock, log }, 'collecting');
  const targets = {
    async load(ids: readonly number[]) {
      const loaded = await loadTargets(db, vault, { ids, allow_private_networks, tls_folders });
      await uses.note(loaded);
      return loaded;
    },
  };
  return places.collector.add(
    startCollector({ db, targets, log, clock, spool, config: config.collector, url: datastore.url }),
  );
}

interface JobsOptions {
  jobs: Parts;
  /** The collector whose process this is. */
  owner: string;
}

/** What a collector needs besides itself, some of which takes a while on an empty datastore. */
function startJobs(
  { log, signal }: AppOptions,
  { db, datastore }: Ground,
  { jobs, owner }: JobsOptions,
): void {
  jobs.add(startMaintenance({ db, log, probes, owner, ...(signal && { signal }) }));
  jobs.add(startCompaction({ db, log, probes, owner }));
  jobs.add(startTopology({ db, log, url: datastore.url, owner }));
}

/** Starts everything the settings ask for. When a step fails, what was started before it is stopped again. */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, log } = options;
  const { roles } = config;
  const lifecycle = new Lifecycle(log);
  const places = placesIn(lifecycle);
  webRoot(config);
  try {
    const base = await prepareBase(options, places);
    const { db, vault, datastore } = base;
    const admin = await firstSteps(options, base);
    await recordStart(options, base);
    const collector = roles.includes('collector') ? await collect(options, base, places) : undefined;
    const owner = collector?.owner;
    const url = roles.includes('api') ? await (await base.api()).listen() : undefined;
    places.base.add(startAuditKeeping({ ...options, db, ...config.audit }));
    if (owner !== undefined) startJobs(options, base, { jobs: places.jobs, owner });
    if (roles.includes('alerter')) {
      const own = { url: datastore.url, base_url: publicUrlOf(options), owner };
      startAlerting({ ...options, db, vault, ...own, channels: config.channels, lifecycle: places.alerting });
    }
    log.info({ event: 'app.started', roles, url, embedded: datastore.embedded !== undefined });
    return {
      url,
      admin_link: url && admin.link_token && `${url}/link#${admin.link_token.reveal()}`,
      failed: datastore.embedded?.failed ?? new Promise(() => undefined),
      stop: () => lifecycle.stop(),
    };
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}
