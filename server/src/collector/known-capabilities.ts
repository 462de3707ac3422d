// What the databases of one server offered when they were visited last, so that not every visit asks for all of it. Guards: what
// is older than ten minutes, of another start of the server, or was found to be out of date is asked for anew.
import type { Capabilities } from '../probes/types.ts';

export const CAPABILITIES_AGE_MS = 600_000;

interface CachedCapabilities {
  capabilities: Capabilities;
  /** Monotonic. */
  at: number;
  instance: string;
}

/** Of a session that was opened for a visit. */
export interface Visited {
  readonly database: string;
  readonly capabilities: Capabilities;
  readonly capabilitiesAt: number;
}

export class KnownCapabilities {
  readonly #databases = new Map<string, CachedCapabilities>();

  /** `instance`: identity and start of the server. */
  of(database: string, { instance, now }: { instance: string; now: number }): CachedCapabilities | undefined {
    const known = this.#databases.get(database);
    return known && known.instance === instance && now - known.at <= CAPABILITIES_AGE_MS ? known : undefined;
  }

  keep({ database, capabilities, capabilitiesAt: at }: Visited, instance: string, now: number): void {
    if (now - at > CAPABILITIES_AGE_MS) this.#databases.delete(database);
    else this.#databases.set(database, { capabilities, at, instance });
  }

  /** Others were dropped. */
  keepOnly(databases: ReadonlySet<string>): void {
    for (const name of this.#databases.keys()) if (!databases.has(name)) this.#databases.delete(name);
  }

  forget(): void {
    this.#databases.clear();
  }
}
