// Connections as the collector takes them. Guards: one whose password does not open is left out, and says so where
// its owner looks: as the connection's error.
import type { Db } from '../../kernel/db.ts';
import type { Vault } from '../secrets/vault.service.ts';
import { saveProblem } from './connections.queries.ts';
import { loadTargets, type ServerSettings } from './targets.service.ts';

export interface CollectorTargetsDeps {
  db: Db;
  vault: Vault;
  allow_private_networks: boolean;
}

export interface ReadyTarget {
  connection_id: number;
  revision: number;
  settings: ServerSettings;
  node_exporter_url: string | null;
}

export function collectorTargets(deps: CollectorTargetsDeps) {
  const { db, vault, allow_private_networks } = deps;
  return async (ids: readonly number[]): Promise<readonly ReadyTarget[]> => {
    const ready: ReadyTarget[] = [];
    for (const target of await loadTargets(db, vault, { ids, allow_private_networks })) {
      const { connection_id, revision, settings, node_exporter_url, problem } = target;
      if (settings) ready.push({ connection_id, revision, settings, node_exporter_url });
      else if (problem !== undefined) await saveProblem(db, connection_id, problem);
    }
    return ready;
  };
}
