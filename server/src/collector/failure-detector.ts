// Decides which of the other collectors have died: those whose session on the datastore no longer holds its lock. Pure
// but for the time it is told. Guards: a collector that has only lost its session is not taken for dead, since it opens
// another within a fraction of a second and reports itself alive until then; one that was never seen with a lock keeps
// its connections until its lease ends; a collector that has just started, or has just come back, judges nobody.

/** As the datastore sees another collector. */
export interface Other {
  owner: string;
  /** Whether one of its sessions holds its lock. */
  is_held: boolean;
  /** Changes whenever it says that it lives. */
  expires_at: string;
  /** That time is over. */
  is_over: boolean;
}

interface Absence {
  since: number;
  expires_at: string;
}

/** An open session is gone so long, and nothing was heard meanwhile. */
export const MISSING_MS = 750;
/** After a restart of the datastore all sessions are gone, and each collector comes back at its own time. */
export const SETTLE_MS = 3000;

export class FailureDetector {
  /** A collector whose death the machine has proven. */
  readonly #proven: string | undefined;
  readonly #known = new Set<string>();
  #missing = new Map<string, Absence>();
  #settledAt = Number.POSITIVE_INFINITY;

  constructor(proven?: string) {
    this.#proven = proven;
  }

  /** Our own session was opened just now. */
  begin(now: number): void {
    this.#settledAt = now + SETTLE_MS;
    this.#missing = new Map();
  }

  /** The dead among them. */
  judge(others: readonly Other[], now: number): string[] {
    const missing = new Map<string, Absence>();
    const dead: string[] = [];
    for (const { owner, is_held, expires_at, is_over } of others) {
      if (is_held) {
        this.#known.add(owner);
        continue;
      }
      const before = this.#missing.get(owner);
      const absence = before?.expires_at === expires_at ? before : { since: now, expires_at };
      missing.set(owner, absence);
      const isGone = is_over || (this.#known.has(owner) && now - absence.since >= MISSING_MS);
      if (owner === this.#proven || (isGone && now >= this.#settledAt)) dead.push(owner);
    }
    this.#missing = missing;
    const there = new Set(others.map(({ owner }) => owner));
    for (const owner of this.#known) if (!there.has(owner)) this.#known.delete(owner);
    return dead;
  }
}
