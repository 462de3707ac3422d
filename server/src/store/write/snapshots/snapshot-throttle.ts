// Holds back the newest runs of probes that run every second: while a run only repeats what the one before it said, one
// in five seconds is written to current_snapshots. Samples are stored all the same. Guards: a run with another outcome,
// cause or reason is never held back; the newest run is written within five seconds, with the time at which it was
// collected.
import { isGone, merge, type QueuedSnapshot } from './snapshot-queue.ts';

const EVERY_MS = 5000;
/** Probes that run less often than this are written as they come. */
export const THROTTLE_SECONDS = EVERY_MS / 1000;

interface Written {
  readonly sign: string;
  /** By the monotonic clock: until then the same again waits. */
  readonly until: number;
}

const signOf = ({ epoch, outcome, cause, reason, mend }: QueuedSnapshot) =>
  JSON.stringify([epoch, outcome, cause, reason, mend]);

export class SnapshotThrottle {
  readonly #held = new Map<string, QueuedSnapshot>();
  readonly #written = new Map<string, Written>();

  get size(): number {
    return this.#held.size;
  }

  /** The run to write now, with what was held; undefined: it is held. */
  add(run: QueuedSnapshot, now: number): QueuedSnapshot | undefined {
    const held = this.#held.get(run.key);
    const newest = held ? merge(held, run) : run;
    const sign = signOf(run);
    const written = this.#written.get(run.key);
    if (written && written.sign === sign && now < written.until) {
      this.#held.set(run.key, newest);
      return undefined;
    }
    this.#held.delete(run.key);
    this.#written.set(run.key, { sign, until: now + EVERY_MS });
    return newest;
  }

  /** Those that have waited long enough, or all of them. */
  release(now: number, all = false): QueuedSnapshot[] {
    const released = [...this.#held.values()].filter(
      ({ key }) => all || now >= (this.#written.get(key)?.until ?? 0),
    );
    for (const run of released) {
      this.#held.delete(run.key);
      this.#written.set(run.key, { sign: signOf(run), until: now + EVERY_MS });
    }
    return released;
  }

  /** The connection is not collected here any more. */
  leave(connectionId: number): void {
    this.#forget(connectionId, () => true);
  }

  /** These databases exist: what was held of others is over. */
  keepDatabases(connectionId: number, databases: ReadonlySet<string>): void {
    this.#forget(connectionId, (database_name) => isGone(database_name, databases));
  }

  #forget(connectionId: number, isMeant: (database_name: string) => boolean): void {
    for (const key of [...this.#held.keys(), ...this.#written.keys()]) {
      if (!key.startsWith(`${connectionId}\0`) || !isMeant(key.slice(key.lastIndexOf('\0') + 1))) continue;
      this.#held.delete(key);
      this.#written.delete(key);
    }
  }
}
