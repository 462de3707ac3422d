// The composition root: builds the parts from the settings and starts the roles, from what others rely on to what answers people.
// They stop the other way round. Nothing else in the program knows how the parts fit together. Guards: what is wrong with a setting
// is said before anything is opened; when a step fails, what was started before it is stopped again.

import path from 'node:path';
import { syncAlertRules } from '../alerting/alert-rules/alert-rules.service.ts';
import { startAlerting } from '../alerting/background.ts';
import { holdNotifications } from '../alerting/notification-channels/holds.service.ts';
import { type ApiConfig, apiConfigOf } from '../api/config.ts';
import { demandListenable, listenProblem } from '../api/listen-problem.ts';
import { createApi } from '../api/server.ts';
import { type Collector, startCollector } from '../collector/collector.ts';
import { Scrubber } from '../collector/scrub.ts';
import { startSyslog } from '../collector/syslog/syslog.ts';
import { afterRestore } from '../datastore/backup/restored.ts';
import { openDataDir } from '../datastore/data-dir.ts';
import { watchDisk } from '../datastore/disk-watch.ts';
import { type Embedded, startEmbedded } from '../datastore/embedded.ts';
import { prepareDatastore } from '../datastore/prepare.ts';
import { bindPasswords } from '../estate/connections/bind-passwords.service.ts';
import { ensureEmbeddedConnection } from '../estate/connections/embedded.service.ts';
import { secretUses } from '../estate/connections/secret-uses.service.ts';
import { loadTargets } from '../estate/connections/targets.service.ts';
import { tlsFoldersOf } from '../estate/connections/tls-folders.ts';
import { syncProbeConfigs } from '../estate/probe-configs/effective.service.ts';
import { startTopology } from '../estate/topology/keeping.ts';
import { recordAudit, systemActor } from '../identity/audit/audit.service.ts';
import { startAuditKeeping } from '../identity/audit/keeping.service.ts';
import { ensureAdmin } from '../identity/auth/bootstrap.service.ts';
import { PasswordSources } from '../identity/secrets/password-sources/password-sources.ts';
import { openVault, type Vault } from '../identity/secrets/vault.service.ts';
import { startInsight, writeReport } from '../insight/background.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { Database } from '../kernel/db.ts';
import { Lifecycle, type Parts } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import { PartStates } from '../kernel/part-states.ts';
import type { Secret } from '../kernel/secret.ts';
import { shownCount } from '../kernel/shown-value.ts';
import { VERSION } from '../kernel/version.ts';
import { probes } from '../probes/catalog.gen.ts';
import { startCompaction } from '../store/compact/job.ts';
import { openEngine } from '../store/layout/engine/open.ts';
import { openSpoolHome } from '../store/spool/home.ts';
import { fitStore } from '../store/upkeep/fit.ts';
import { startMaintenance } from '../store/upkeep/maintenance.ts';
import { allConstraints, allRoutes } from './routes.ts';
import { createServices } from './services.ts';
import { listenAlone, type Shown, shownOf } from './shown.ts';

export interface AppOptions {
  config: Config;
  log: Log;
  clock: Clock;
  /** Called with one sentence at each step that takes a while. */
  progress: (sentence: string) => void;
  /** Aborts a start that is still under way. */
  signal?: AbortSignal;
}

export interface App {
  /** Where the API listens; undefined without that role. */
  url: string | undefined;
  /** Where health and figures are, of a process without that role. */
  health_url: string | undefined;
  /** For the first administrator, to be shown once. */
  admin_link: string | undefined;
  /** Resolves when something the app cannot live without has ended by itself. */
  failed: Promise<string>;
  stop(): Promise<void>;
}

interface Datastore {
  url: Secret;
  embedded: Embedded | undefined;
}

/** What the parts are given. */
export interface AppContext {
  config: Config;
  log: Log;
  clock: Clock;
  db: Database;
  vault: Vault;
  password_sources: PasswordSources;
  /** Of the datastore. */
  url: Secret;
  /** Where people reach the API, when the settings say so. */
  base_url: string | undefined;
  /** What this process shows of itself. */
  shown: Shown;
  /** Where parts are added, to be stopped. */
  lifecycle: Lifecycle;
}

async function openDatastore(options: AppOptions, lifecycle: Parts): Promise<Datastore> {
  const { config, log, progress, signal } = options;
  const dataDir = config.data_dir;
  if (config.datastore_url) {
    const home = await openDataDir(dataDir);
    lifecycle.add({ name: 'data-dir', stop: async () => home.release() });
    return { url: config.datastore_url, embedded: undefined };
  }
  const embedded = lifecycle.add(await startEmbedded({ dataDir, log, progress, ...(signal && { signal }) }));
  return { url: embedded.superuserUrl, embedded };
}

/** What all parts rely on: the datastore with its tables, rules and probes in theirs, and an open vault. */
async function prepareContext(
  options: AppOptions,
  { url, embedded }: Datastore,
  lifecycle: Lifecycle,
): Promise<AppContext> {
  const { config, log, clock, progress } = options;
  // Our own server has no pooler before it.
  const applied = await prepareDatastore(url, { log, mayBePooled: embedded === undefined });
  if (applied.length > 0) progress(`Prepared the datastore (${shownCount(applied.length, 'migration')})`);
  const whyAway = () => embedded?.outage;
  const db = lifecycle.add(new Database({ url, log, applicationName: 'matriarch server', max: 20, whyAway }));
  const engine = await openEngine(db, config.store);
  log.info({ event: 'store.engine', engine: engine.name });
  await fitStore(db, { probes, log, engine });
  await syncProbeConfigs(db, probes);
  await syncAlertRules(db);
  const vault = await openVault({ db, keyFile: config.secret_key_file, createIfMissing: true });
  await bindPasswords({ db, vault, log });
  const base_url = config.api.public_url?.replace(/\/$/, '');
  const shown = shownOf({ config, log, clock, db }, lifecycle);
  const password_sources = new PasswordSources({ sources: config.password_sources, clock, log });
  return { config, log, clock, db, vault, password_sources, url, base_url, shown, lifecycle };
}

/** The first administrator, and the embedded datastore as the first monitored server. Answers the token of the administrator's link. */
async function firstSteps(
  { config, clock, log, db, vault }: AppContext,
  embedded: Embedded | undefined,
): Promise<Secret | undefined> {
  const { admin_username: username, admin_password: password } = config;
  const admin = await ensureAdmin({ db, clock, log, username, password });
  const own = { db, clock, log, vault, owner_id: admin.admin_user_id };
  if (embedded) await ensureEmbeddedConnection({ ...own, server: embedded });
  return admin.link_token;
}

/** Settings come from files and the environment: what a process runs with can only be said when it starts. */
async function recordStart({ config, clock, log, db }: AppContext): Promise<void> {
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

/** The original of a restored copy may still run, and notify of the same. */
async function holdIfRestored({ config, clock, log, db }: AppContext): Promise<void> {
  const ctx = { db, clock, log, principal: systemActor('server') };
  await afterRestore(config.data_dir, async (backupOf) => {
    await holdNotifications(ctx, `this datastore was restored from the backup of ${backupOf}.`);
    log.warn({ event: 'notifications.held', backup_of: backupOf });
  });
}

async function collect(
  { config, log, clock, db, vault, password_sources, url }: AppContext,
  lifecycle: Parts,
): Promise<Collector> {
  const { allow_private_networks, tls_file_folders } = config.connections;
  const tls_folders = tlsFoldersOf(tls_file_folders, config.data_dir);
  const { spool_bytes: maxBytes, spool_min_free_bytes: minFreeBytes } = config.collector;
  const root = path.join(config.data_dir, 'spool');
  const spool = await openSpoolHome({ root, maxBytes, minFreeBytes, clock, log });
  if (typeof spool === 'object') lifecycle.add(spool);
  const uses = secretUses({ db, clock, log }, 'collecting');
  const targets = {
    async load(ids: readonly number[]) {
      const rules = { allow_private_networks, tls_folders, password_sources };
      const loaded = await loadTargets(db, vault, { ids, ...rules });
      await uses.note(loaded);
      return loaded;
    },
  };
  const { collector, logs: lines } = config;
  return startCollector({ db, targets, log, clock, spool, config: collector, lines, url });
}

/** The collector, and the upkeep of the store that goes along with one. */
async function startCollecting(context: AppContext, signal: AbortSignal | undefined): Promise<Collector> {
  const { lifecycle, log, db, url, clock, shown } = context;
  // The jobs of other processes wait for what the collector holds, and so it stops before those of its own.
  const jobs = lifecycle.place();
  const collector = lifecycle.add(await collect(context, lifecycle));
  const { owner } = collector;
  const scrubber = new Scrubber(context.config.collector.masked_parameters);
  const scrub = (text: string) => scrubber.statement(text);
  const { syslog: settings, logs: lines } = context.config;
  const syslog = await startSyslog({ settings, lines, db, clock, log, scrub });
  if (syslog) shown.figures.add(lifecycle.add(syslog).figures);
  const parts = new PartStates(db, clock, owner);
  shown.figures.add(collector.figures);
  shown.figures.add(parts.figures);
  jobs.add(startMaintenance({ db, log, probes, owner, parts, ...(signal && { signal }) }));
  jobs.add(startCompaction({ db, log, probes, owner, parts }));
  jobs.add(startTopology({ db, log, url, owner }));
  return collector;
}

/** Judges samples, delivers notifications and looks for findings. */
function startJudging({ config, ...context }: AppContext, owner: string | undefined): void {
  const parts = new PartStates(context.db, context.clock, owner);
  context.shown.figures.add(parts.figures);
  const judging = { ...context, owner, parts };
  startAlerting({ ...judging, channels: config.channels, heartbeat: config.heartbeat, writeReport });
  startInsight(judging);
}

/** Answers where people reach it. */
async function startApi(context: AppContext, apiConfig: ApiConfig): Promise<string> {
  const { db, log, clock, config, lifecycle, base_url } = context;
  const services = createServices(context);
  const [routes, constraints] = [allRoutes(services), allConstraints];
  const { tokens: providerTokens } = services.sign_on;
  const api = await createApi({ db, routes, constraints, log, clock, config: apiConfig, providerTokens });
  lifecycle.add(api);
  const { url } = await api.listen().catch((cause: unknown) => {
    throw listenProblem(config, cause);
  });
  return base_url ?? url;
}

async function startParts(options: AppOptions, lifecycle: Lifecycle): Promise<Omit<App, 'stop'>> {
  const { config, log, signal } = options;
  const { roles } = config;
  const apiConfig = apiConfigOf(config);
  // What was asked to stop takes no further step.
  const goOn = () => signal?.throwIfAborted();
  const datastore = await openDatastore(options, lifecycle);
  goOn();
  const { embedded } = datastore;
  if (roles.includes('api')) await demandListenable(config);
  const context = await prepareContext(options, datastore, lifecycle);
  goOn();
  const link = await firstSteps(context, embedded);
  await recordStart(context);
  await holdIfRestored(context);
  goOn();
  lifecycle.add(startAuditKeeping({ ...context, ...config.audit }));
  const disk = lifecycle.add(watchDisk({ ...context, directory: config.data_dir }));
  context.shown.figures.add(disk.figures);
  const collector = roles.includes('collector') ? await startCollecting(context, signal) : undefined;
  goOn();
  if (roles.includes('alerter')) startJudging(context, collector?.owner);
  const url = roles.includes('api') ? await startApi(context, apiConfig) : undefined;
  const alone = url === undefined ? lifecycle.add(await listenAlone(context, context.shown)) : undefined;
  log.info({ event: 'app.started', roles, url, embedded: embedded !== undefined });
  return {
    url,
    health_url: alone?.url,
    admin_link: url && link && `${url}/link#${link.reveal()}`,
    failed: embedded?.failed ?? new Promise(() => undefined),
  };
}

/** Starts everything the settings ask for. */
export async function startApp(options: AppOptions): Promise<App> {
  const lifecycle = new Lifecycle(options.log);
  try {
    const app = await startParts(options, lifecycle);
    return { ...app, stop: () => lifecycle.stop() };
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}
