// The part of the composition root that nobody waits for: what keeps the store and the audit log in order, finds clusters, judges
// samples and delivers notifications. It is loaded once everything else has started.
import { startAlerting } from '../alerting/background.ts';
import { startTopology } from '../estate/topology/keeping.ts';
import { startAuditKeeping } from '../identity/audit/keeping.service.ts';
import type { Vault } from '../identity/secrets/vault.service.ts';
import { startInsight, writeReport } from '../insight/background.ts';
import type { Database } from '../kernel/db.ts';
import { PartStates } from '../kernel/part-states.ts';
import type { Secret } from '../kernel/secret.ts';
import { probes } from '../probes/catalog.gen.ts';
import { startCompaction } from '../store/compact/job.ts';
import { startMaintenance } from '../store/upkeep/maintenance.ts';
import type { AppOptions, Places } from './app-ground.ts';

export interface BackgroundGround {
  db: Database;
  vault: Vault;
  /** Of the datastore. */
  url: Secret;
  /** Where people reach the API, when the settings say so. */
  base_url: string | undefined;
  /** The collector of this process, if there is one. */
  owner: string | undefined;
  places: Places;
}

interface Jobs extends BackgroundGround {
  parts: PartStates;
}

/** What goes along with a collector. */
function startJobs({ log, signal }: AppOptions, owner: string, { db, url, places, parts }: Jobs): void {
  const { jobs } = places;
  jobs.add(startMaintenance({ db, log, probes, owner, parts, ...(signal && { signal }) }));
  jobs.add(startCompaction({ db, log, probes, owner, parts }));
  jobs.add(startTopology({ db, log, url, owner }));
}

export function startBackground(options: AppOptions, ground: BackgroundGround): void {
  const { config } = options;
  const { places, owner, ...own } = ground;
  places.base.add(startAuditKeeping({ ...options, db: own.db, ...config.audit }));
  const parts = new PartStates(own.db, options.clock, owner);
  if (owner !== undefined) startJobs(options, owner, { ...ground, parts });
  if (!config.roles.includes('alerter')) return;
  const judging = { ...options, ...own, owner, parts, lifecycle: places.alerting };
  startAlerting({ ...judging, channels: config.channels, writeReport });
  startInsight(judging);
}
