// The composition root: builds the parts from the settings and starts the roles. Nothing else in the program knows how the parts
// fit together. It is loaded while the datastore starts or makes tables (start.ts).
import path from 'node:path';
import { syncAlertRules } from '../alerting/alert-rules/alert-rules.service.ts';
import { type Collector, startCollector } from '../collector/collector.ts';
import { bindPasswords } from '../estate/connections/bind-passwords.service.ts';
import { ensureEmbeddedConnection } from '../estate/connections/embedded.service.ts';
import { secretUses } from '../estate/connections/secret-uses.service.ts';
import { loadTargets } from '../estate/connections/targets.service.ts';
import { tlsFoldersOf } from '../estate/connections/tls-folders.ts';
import { syncProbeConfigs } from '../estate/probe-configs/effective.service.ts';
import { recordAudit, systemActor } from '../identity/audit/audit.service.ts';
import { ensureAdmin } from '../identity/auth/bootstrap.service.ts';
import { type LockedVault, lockedVault, type Vault } from '../identity/secrets/vault.service.ts';
import { Database } from '../kernel/db.ts';
import type { Part, Parts } from '../kernel/lifecycle.ts';
import { limitHeapGrowth } from '../kernel/memory-flags.ts';
import { once } from '../kernel/once.ts';
import { VERSION } from '../kernel/version.ts';
import { probes } from '../probes/catalog.gen.ts';
import { openEngine } from '../store/layout/engine/open.ts';
import { openSpoolHome } from '../store/spool/home.ts';
import { fitStore } from '../store/upkeep/fit.ts';
import type { PreparedApi } from './app-api.ts';
import type { BackgroundGround } from './app-background.ts';
import { type App, type AppOptions, type Datastore, type Places, webRoot } from './app-ground.ts';

/** What the parts are given. */
interface Ground {
  db: Database;
  vault: Vault;
  datastore: Datastore;
}

interface LockedGround extends Ground {
  vault: LockedVault;
}

const publicUrlOf = ({ config }: AppOptions) => config.api.public_url?.replace(/\/$/, '');

async function prepareApi(options: AppOptions, { datastore, ...ground }: Ground, lifecycle: Parts) {
  const { config, log, clock } = options;
  const loaded = await import('./app-api.ts');
  const own = { webRoot: webRoot(config), publicUrl: publicUrlOf(options) };
  return loaded.prepareApi({ config, log, clock, ...ground, url: datastore.url, lifecycle, ...own });
}

/** What all parts rely on: rules and probes are in their tables, and the vault is unlocked. */
async function prepareBase({ config, log }: AppOptions, { db, vault }: LockedGround): Promise<void> {
  const engine = await openEngine(db, config.store);
  log.info({ event: 'store.engine', engine: engine.name });
  await fitStore(db, { probes, log, engine });
  await syncProbeConfigs(db, probes);
  await syncAlertRules(db);
  await vault.unlock({ keyFile: config.secret_key_file, createIfMissing: true });
  await bindPasswords({ db, vault, log });
}

async function firstSteps({ config, clock, log }: AppOptions, { db, vault, datastore }: Ground) {
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
async function recordStart({ config, clock, log }: AppOptions, { db }: Ground): Promise<void> {
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

/** Background work begins this long after everything else, so that the first requests do not wait for it. */
const BACKGROUND_MS = 250;

interface Background extends Part {
  /** Why it could not begin. */
  failed: Promise<string>;
}

function startLater(options: AppOptions, wanted: BackgroundGround): Background {
  const { promise: failed, resolve } = Promise.withResolvers<string>();
  let isWanted = true;
  const begin = async () => {
    const { startBackground } = await import('./app-background.ts');
    if (isWanted) startBackground(options, wanted);
  };
  const timer = setTimeout(() => {
    begin().catch((error: unknown) =>
      resolve(`Background work could not begin: ${error instanceof Error ? error.message : String(error)}`),
    );
  }, BACKGROUND_MS);
  const stop = async () => {
    isWanted = false;
    clearTimeout(timer);
  };
  return { name: 'background', stop, failed };
}

interface Wanted {
  options: AppOptions;
  places: Places;
  /** Its tables may be missing until `start` is called. */
  datastore: Datastore;
}

export interface AppParts {
  /** Prepares the API ahead of `start`, where the settings ask for one. */
  prepare(): Promise<void>;
  /** Starts everything the settings ask for. */
  start(): Promise<Omit<App, 'stop'>>;
}

async function startParts(
  { options, places }: Wanted,
  ground: LockedGround,
  api: () => Promise<PreparedApi>,
): Promise<Omit<App, 'stop'>> {
  const { config, log } = options;
  const { roles } = config;
  const { db, vault, datastore } = ground;
  await prepareBase(options, ground);
  const admin = await firstSteps(options, ground);
  await recordStart(options, ground);
  const collector = roles.includes('collector') ? await collect(options, ground, places) : undefined;
  const owner = collector?.owner;
  const url = roles.includes('api') ? await (await api()).listen() : undefined;
  const own = { db, vault, url: datastore.url, base_url: publicUrlOf(options), owner, places };
  const background = places.api.add(startLater(options, own));
  log.info({ event: 'app.started', roles, url, embedded: datastore.embedded !== undefined });
  return {
    url,
    admin_link: url && admin.link_token && `${url}/link#${admin.link_token.reveal()}`,
    failed: Promise.race([background.failed, ...(datastore.embedded ? [datastore.embedded.failed] : [])]),
  };
}

/** The parts that the settings ask for, none of which runs yet. Asks the datastore nothing. */
export function partsOf(wanted: Wanted): AppParts {
  const { options, places, datastore } = wanted;
  const { config, log } = options;
  const db = places.base.add(
    new Database({
      url: datastore.url,
      log,
      applicationName: 'matriarch server',
      max: 20,
      whyAway: () => datastore.embedded?.outage,
    }),
  );
  const ground = { db, vault: lockedVault(db), datastore };
  const api = once(() => prepareApi(options, ground, places.api));
  return {
    async prepare() {
      if (config.roles.includes('api')) await api();
    },
    start: () => startParts(wanted, ground, api),
  };
}
