// What is in force for the collectors, and the words for a probe that is switched off.
import type { Db } from '../../kernel/db.ts';
import { type BuiltProbe, type Level, syncConfigs } from './probe-configs.queries.ts';
import { listChanged } from './probe-overrides.queries.ts';

/** What a probe is set to for a connection, where that is not how it is built. */
export interface ProbeInForce {
  /** Why it is switched off; null while it is on. */
  readonly off: string | null;
  readonly interval_seconds: number;
}

/** By the name of the probe; those that are absent run as they are built. */
export type SettingsInForce = ReadonlyMap<string, ProbeInForce>;

const named = (kind: string, name: string | null) => (name === null ? `its ${kind}` : `the ${kind} ${name}`);

/** Why a probe is off, and what to do about it. */
export function offWords(level: Level, scopeName: string | null): string {
  if (level === 'server') return 'Switched off for this server. Switch it on under Probes.';
  if (level === 'cluster' || level === 'group')
    return `Switched off for ${named(level, scopeName)}. Switch it on there, or override it for this server under Probes.`;
  return 'Switched off for the whole estate. Switch it on there, or override it for this server under Probes.';
}

/** One statement for all of them. Connections without any setting of their own have no entry. */
export async function loadSettingsInForce(
  db: Db,
  connectionIds: readonly number[],
): Promise<ReadonlyMap<number, SettingsInForce>> {
  const found = new Map<number, Map<string, ProbeInForce>>();
  for (const row of await listChanged(db, connectionIds)) {
    const mine = found.get(row.connection_id) ?? new Map<string, ProbeInForce>();
    const off = row.is_enabled ? null : offWords(row.override_level, row.scope_name);
    found.set(row.connection_id, mine.set(row.probe_name, { off, interval_seconds: row.interval_seconds }));
  }
  return found;
}

/** At each start: a row for each probe of the catalog, with its values as built. */
export function syncProbeConfigs(db: Db, probes: readonly BuiltProbe[]): Promise<void> {
  return syncConfigs(db, probes);
}
