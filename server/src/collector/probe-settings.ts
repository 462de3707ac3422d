// What the probes are set to, for each connection that this collector holds. Guards: a change takes effect at the next
// look, without a restart and in every collector; while nothing changes, a look costs one number and no statement.
import { loadSettingsInForce, type SettingsInForce } from '../estate/probe-configs/effective.service.ts';
import type { Db } from '../kernel/db.ts';
import { probes } from '../probes/catalog.gen.ts';
import type { Probe } from '../probes/types.ts';
import type { Outcome } from '../store/layout/types.ts';
import type { View } from './leases.queries.ts';

/** Everything runs as it is built. */
export const AS_BUILT: SettingsInForce = new Map();

/** What a person looks at is read more often for so long; what is switched off stays off. */
export function whileWatched(settings: SettingsInForce): SettingsInForce {
  const watched = probes.flatMap(({ name, intervalSeconds, watchedSeconds }) => {
    const set = settings.get(name) ?? { interval_seconds: intervalSeconds, off: null };
    return watchedSeconds !== undefined && watchedSeconds < set.interval_seconds
      ? [[name, { ...set, interval_seconds: watchedSeconds }] as const]
      : [];
  });
  return new Map([...settings, ...watched]);
}

interface CachedSettings {
  /** What the settings depend on, as it was just before they were read; undefined when that is not known. */
  readonly key: string | undefined;
  readonly settings: SettingsInForce;
}

export class SettingsReader {
  readonly #db: Db;
  readonly #cached = new Map<number, CachedSettings>();
  /** Connections whose statements a person looks at. */
  #watched: ReadonlySet<number> = new Set();

  constructor(db: Db) {
    this.#db = db;
  }

  of(connectionId: number): SettingsInForce {
    const settings = this.#cached.get(connectionId)?.settings ?? AS_BUILT;
    return this.#watched.has(connectionId) ? whileWatched(settings) : settings;
  }

  /** Reads anew where something has changed; answers those connections. */
  async look({ mine, probe_settings }: Pick<View, 'mine' | 'probe_settings'>): Promise<number[]> {
    const keys = new Map(
      mine.map(([id, , , , scope, watched]) => [id, `${probe_settings} ${scope} ${watched}`]),
    );
    this.#watched = new Set(mine.flatMap(([id, , , , , watched]) => (watched ? [id] : [])));
    for (const id of this.#cached.keys()) if (!keys.has(id)) this.#cached.delete(id);
    const changed = [...keys].filter(([id, key]) => this.#cached.get(id)?.key !== key).map(([id]) => id);
    await this.#read(changed, (id) => keys.get(id));
    return changed;
  }

  /** For connections that were taken after the look. */
  async take(connectionIds: readonly number[]): Promise<void> {
    await this.#read(
      connectionIds.filter((id) => !this.#cached.has(id)),
      () => undefined,
    );
  }

  async #read(ids: readonly number[], keyOf: (id: number) => string | undefined): Promise<void> {
    if (ids.length === 0) return;
    const found = await loadSettingsInForce(this.#db, ids);
    for (const id of ids) this.#cached.set(id, { key: keyOf(id), settings: found.get(id) ?? AS_BUILT });
  }
}

/** The probe as it is set; itself where nothing is set. */
export function asSet<P extends Pick<Probe, 'name' | 'intervalSeconds'>>(
  probe: P,
  settings: SettingsInForce,
): P {
  const intervalSeconds = settings.get(probe.name)?.interval_seconds ?? probe.intervalSeconds;
  return intervalSeconds === probe.intervalSeconds ? probe : { ...probe, intervalSeconds };
}

/** What is recorded of a probe that is switched off; undefined while it is on. */
export function offOutcome(name: string, settings: SettingsInForce): Outcome | undefined {
  const reason = settings.get(name)?.off ?? null;
  return reason === null ? undefined : { kind: 'skipped', cause: 'disabled', reason, mend: null };
}

/** How a change of settings concerns a probe: `off` says why it is off now, or differently. */
export type Change = 'none' | 'off' | 'on' | 'interval';

export function changeOf(
  probe: Pick<Probe, 'name' | 'intervalSeconds'>,
  before: SettingsInForce,
  now: SettingsInForce,
): Change {
  const [was, is] = [before.get(probe.name)?.off ?? null, now.get(probe.name)?.off ?? null];
  if (is !== null) return is === was ? 'none' : 'off';
  if (was !== null) return 'on';
  return asSet(probe, before).intervalSeconds === asSet(probe, now).intervalSeconds ? 'none' : 'interval';
}
