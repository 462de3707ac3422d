// The composition root: builds the parts from the settings, starts the roles, and stops everything last-in
// first-out. Nothing else in the program knows how the parts fit together.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startAlerting } from './alerter/parts.ts';
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
import { openVault, type Vault } from './areas/secrets/vault.service.ts';
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
import { Lifecycle } from './kernel/lifecycle.ts';
import type { Log } from './kernel/log.ts';
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

interface Datastore {
  url: Secret;
  embedded: Embedded | undefined;
}

async function openDatastore(options: AppOptions, lifecycle: Lifecycle): Promise<Datastore> {
  const { config, log, progress, signal } = options;
  const dataDir = config.data_dir;
  if (config.datastore_url) {
    const home = await openDataDir(dataDir);
    lifecycle.add({ name: 'data-dir', stop: async () => home.release() });
    return { url: config.datastore_url, embedded: undefined };
  }
  const embedded = await startEmbedded({ dataDir, log, progress, ...(signal && { signal }) });
  lifecycle.add(embedded);
  return { url: embedded.superuserUrl, embedded };
}

const loadApi = () => import('./app-api.ts');

/** What can be wrong with a datastore URL, as a sentence instead of a stack. */
async function migrateDatastore({ config, log, progress }: AppOptions, url: Secret): Promise<void> {
  // What it fails with is said where it is used.
  const loadAhead = () => void loadApi().catch(() => undefined);
  try {
    const applied = await migrate(url, log, config.roles.includes('api') ? loadAhead : undefined);
    if (applied.length > 0) progress(`Prepared the datastore (${applied.length} migrations)`);
  } catch (error) {
    const problem = datastoreProblem(error);
    throw problem ? new UsageError(`The datastore cannot be used: ${problem}`) : error;
  }
}

interface Base {
  db: Database;
  vault: Vault;
  datastore: Datastore;
  lifecycle: Lifecycle;
}

async function prepareBase(options: AppOptions, lifecycle: Lifecycle): Promise<Base> {
  const { config, log } = options;
  const datastore = await openDatastore(options, lifecycle);
  await migrateDatastore(options, datastore.url);
  const db = lifecycle.add(
    new Database({
      url: datastore.url,
      log,
      applicationName: 'matriarch server',
      max: 20,
      whyAway: () => datastore.embedded?.outage,
    }),
  );
  const engine = await openEngine(db, config.store);
  log.info({ event: 'store.engine', engine: engine.name });
  await syncProbeConfigs(db, probes);
  await syncAlertRules(db);
  const vault = await openVault({ db, keyFile: config.secret_key_file, createIfMissing: true });
  await bindPasswords({ db, vault, log });
  return { db, vault, datastore, lifecycle };
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

function webRoot(config: Config): string | undefined {
  if (config.web_root) {
    if (existsSync(path.join(config.web_root, 'index.html'))) return config.web_root;
    throw new UsageError(`web_root: ${config.web_root} has no index.html.`);
  }
  return BUILT_WEB;
}

const publicUrlOf = ({ config }: AppOptions) => config.api.public_url?.replace(/\/$/, '');

/** Loads what answers requests and starts it; answers where it listens. */
async function answer(options: AppOptions, { datastore, ...base }: Base): Promise<string> {
  const { config, log, clock } = options;
  const { startApi } = await loadApi();
  const own = { webRoot: webRoot(config), publicUrl: publicUrlOf(options) };
  return startApi({ config, log, clock, ...base, url: datastore.url, ...own });
}

async function collect(options: AppOptions, { db, vault, datastore, lifecycle }: Base): Promise<Collector> {
  const { config, log, clock } = options;
  const { allow_private_networks, tls_file_folders } = config.connections;
  const tls_folders = tlsFoldersOf(tls_file_folders, config.data_dir);
  const { spool_bytes: maxBytes, spool_min_free_bytes: minFreeBytes } = config.collector;
  const root = path.join(config.data_dir, 'spool');
  const spool = await openSpoolHome({ root, maxBytes, minFreeBytes, clock, log });
  // The collector stops before its spool does.
  if (typeof spool === 'object') lifecycle.add(spool);
  const uses = secretUses({ db, clock, log }, 'collecting');
  const targets = {
    async load(ids: readonly number[]) {
      const loaded = await loadTargets(db, vault, { ids, allow_private_networks, tls_folders });
      await uses.note(loaded);
      return loaded;
    },
  };
  return startCollector({ db, targets, log, clock, spool, config: config.collector, url: datastore.url });
}

/** Starts everything the settings ask for. When a step fails, what was started before it is stopped again. */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, log } = options;
  const lifecycle = new Lifecycle(log);
  webRoot(config);
  try {
    const ground = await prepareBase(options, lifecycle);
    const admin = await firstSteps(options, ground);
    await recordStart(options, ground);
    lifecycle.add(startAuditKeeping({ ...options, db: ground.db, ...config.audit }));
    let owner: string | undefined;
    if (config.roles.includes('collector')) {
      const collector = await collect(options, ground);
      ({ owner } = collector);
      const { signal } = options;
      lifecycle.add(startMaintenance({ db: ground.db, log, probes, owner, ...(signal && { signal }) }));
      lifecycle.add(startCompaction({ db: ground.db, log, probes, owner }));
      lifecycle.add(startTopology({ db: ground.db, log, url: ground.datastore.url, owner }));
      // Stopped first: what it holds is waited for by others.
      lifecycle.add(collector);
    }
    if (config.roles.includes('alerter')) {
      const more = { url: ground.datastore.url, base_url: publicUrlOf(options), owner };
      startAlerting({ ...options, ...ground, ...more, channels: config.channels });
    }
    const url = config.roles.includes('api') ? await answer(options, ground) : undefined;
    log.info({
      event: 'app.started',
      roles: config.roles,
      url,
      embedded: ground.datastore.embedded !== undefined,
    });
    return {
      url,
      admin_link: url && admin.link_token && `${url}/link#${admin.link_token.reveal()}`,
      failed: ground.datastore.embedded?.failed ?? new Promise(() => undefined),
      stop: () => lifecycle.stop(),
    };
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}
