// Databases that the server does not let us into, by its pg_hba.conf or otherwise, although our role may connect. Pure. Guards: each
// attempt is a FATAL line in the server's log, so the next one is hours away, and at once where the configuration was loaded anew or
// somebody asks for a test.
import type { TargetError } from '../monitored/connect.ts';
import { needsChange } from './reconnect.ts';

const FIRST_MS = 3_600_000;
const MOST_MS = 6 * 3_600_000;

export class RefusedDatabases {
  readonly #failures = new Map<string, number>();
  #loadedAt: string | undefined;

  /** An attempt failed: how long to wait; undefined where it passes by itself. */
  failed(database: string, error: TargetError): number | undefined {
    if (!needsChange(error) || error.step === 'protocol') return undefined;
    const failures = (this.#failures.get(database) ?? 0) + 1;
    this.#failures.set(database, failures);
    return Math.min(MOST_MS, FIRST_MS * 2 ** (failures - 1));
  }

  entered(database: string): void {
    this.#failures.delete(database);
  }

  /** When the server loaded its configuration; answers those that are worth another attempt since. */
  loaded(at: unknown): string[] {
    const before = this.#loadedAt;
    this.#loadedAt = String(at);
    return before === undefined || before === this.#loadedAt ? [] : [...this.#failures.keys()];
  }
}
