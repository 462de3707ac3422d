// Notices that an address leads to another server than before, as behind a proxy or a virtual IP. Guards: a server that was restarted is
// the same one; where neither is certain, it is the same.

/** What a server says of itself. */
export interface ServerSign {
  /** Empty where our role may not know it. */
  readonly system: string;
  /** By the server's clock, in milliseconds since the epoch. */
  readonly started_at: number;
  /** How far that clock is ahead of ours. */
  readonly ahead_ms?: number;
}

/** Behind a proxy that balances, each session may lead to another server: everything is read anew no more often than this. */
const ANEW_MS = 300_000;
/** Clocks of the server and of the collector may differ by as much. */
const CLOCKS_DIFFER_MS = 60_000;

/** No server is started before it was started the last time, nor while it still answers. */
function isAnother(before: ServerSign & { answered_at: number }, now: ServerSign): boolean {
  if (before.system !== '' && now.system !== '' && before.system !== now.system) return true;
  if (before.started_at === now.started_at) return false;
  return (
    now.started_at < before.started_at ||
    now.started_at - (now.ahead_ms ?? 0) < before.answered_at - CLOCKS_DIFFER_MS
  );
}

export class ServerSwitch {
  #known: (ServerSign & { answered_at: number }) | undefined;
  #switchedAt: number | undefined;
  #anewAt = Number.NEGATIVE_INFINITY;

  /** When another server answered for the first time, in milliseconds since the epoch; what was read before is of the previous one. */
  get at(): number | undefined {
    return this.#switchedAt;
  }

  /** A session was opened; true when it leads to another server than the one before, and everything is to be read anew. */
  met(sign: ServerSign, now: number): boolean {
    const isSwitch = this.#known !== undefined && isAnother(this.#known, sign);
    this.#known = { ...sign, answered_at: now };
    if (!isSwitch) return false;
    this.#switchedAt = now;
    const isAnew = Math.abs(now - this.#anewAt) >= ANEW_MS;
    if (isAnew) this.#anewAt = now;
    return isAnew;
  }

  /** The server that was met has answered. */
  answered(now: number): void {
    if (this.#known) this.#known = { ...this.#known, answered_at: now };
  }
}
