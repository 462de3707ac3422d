// Which statement texts are known to be kept, database by database, in bounded memory. Pure. Guards: a database's set
// is forgotten half a day after it was begun, so that the dictionary learns what is still in use; one that is full
// takes nothing more until then, so that a server that makes up endless statements cannot fill the dictionary.
import type { KeyOfText } from './statement-texts.queries.ts';

export interface KnownLimits {
  perDatabase: number;
  inAll: number;
  lastsMs: number;
}

const LIMITS: KnownLimits = { perDatabase: 10_000, inAll: 200_000, lastsMs: 12 * 3_600_000 };

export const keyText = ({ userid, queryid, toplevel }: KeyOfText) => `${queryid}/${userid}/${toplevel}`;

interface DatabaseKeys {
  keys: Set<string>;
  readonly begun: number;
}

export class KnownKeys {
  readonly #limits: KnownLimits;
  readonly #databases = new Map<string, DatabaseKeys>();
  #size = 0;

  constructor(limits: KnownLimits = LIMITS) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** Those that are not known to be kept and may be asked for, in the order given. `now` is monotonic. */
  unknown<K extends KeyOfText>(database: string, keys: readonly K[], now: number): K[] {
    const known = this.#databases.get(database);
    if (known && now - known.begun >= this.#limits.lastsMs) this.#drop(database);
    const set = this.#databases.get(database)?.keys;
    const room = this.#limits.perDatabase - (set?.size ?? 0);
    return keys.filter((key) => !set?.has(keyText(key))).slice(0, Math.max(0, room));
  }

  add(database: string, keys: readonly KeyOfText[], now: number): void {
    if (keys.length === 0) return;
    const known = this.#databases.get(database) ?? { keys: new Set<string>(), begun: now };
    this.#databases.set(database, known);
    const before = known.keys.size;
    for (const key of keys) known.keys.add(keyText(key));
    this.#size += known.keys.size - before;
    for (const oldest of this.#databases.keys()) {
      if (this.#size <= this.#limits.inAll || this.#databases.size === 1) return;
      this.#drop(oldest);
    }
  }

  #drop(database: string): void {
    this.#size -= this.#databases.get(database)?.keys.size ?? 0;
    this.#databases.delete(database);
  }
}
