// What waits for the datastore: for each (connection, probe, database) the newest attempt and the newest rows, in
// bounded memory. While the datastore is away newer runs replace older ones, and what exceeds the bounds is dropped
// oldest first and counted. Of probes that run every second one run in five seconds is written while it only repeats what the one
// before it said; samples are stored all the same. Guards: a run with another outcome, cause or reason is never held back.
import { cutText } from '../../../kernel/inert-text.ts';
import type { Cause } from '../../../probes/causes.ts';
import { type Content, contentOf, countOf, storable, storableKey } from '../../format/content.ts';
import type { ProbeRun } from '../../layout/types.ts';

export interface QueuedSnapshot {
  readonly key: string;
  readonly connection_id: number;
  readonly epoch: number;
  readonly probe: string;
  readonly database_name: string;
  readonly attempted_at: number;
  readonly took_ms: number | null;
  readonly outcome: 'ran' | 'skipped' | 'failed';
  readonly cause: Cause | null;
  readonly reason: string | null;
  readonly mend: string | null;
  readonly switched_at?: number;
  /** Rows of this attempt, or of the last good one before it that is still waiting. */
  readonly content: Content | undefined;
  /** True as long as nobody had taken the lease when it was read; others only while the lease is ours. */
  readonly late?: boolean;
}

const MAX_SENTENCE = 4000;
/** What an entry costs beside its content. */
const ENTRY_BYTES = 400;

const sentence = (text: string | null | undefined) => (text ? storable(cutText(text, MAX_SENTENCE)) : null);

/** Without `keepRows` only their number is kept: they are stored elsewhere. */
export function toQueued(run: ProbeRun, keepRows = true): QueuedSnapshot {
  const { connection_id, epoch, attempted_at, took_ms, outcome } = run;
  const probe = storableKey(run.probe);
  const database_name = storableKey(run.database_name);
  return {
    key: `${connection_id}\0${probe}\0${database_name}`,
    connection_id,
    epoch,
    probe,
    database_name,
    attempted_at,
    took_ms,
    outcome: outcome.kind,
    cause: outcome.kind === 'failed' ? null : (outcome.cause ?? null),
    reason: sentence(outcome.kind === 'ran' ? outcome.note : outcome.reason),
    mend: sentence(outcome.mend),
    ...(run.switched_at !== undefined && { switched_at: run.switched_at }),
    content: outcome.kind === 'ran' ? (keepRows ? contentOf : countOf)(outcome) : undefined,
  };
}

/** Instead of one that the datastore does not take. */
export function refused(run: QueuedSnapshot): QueuedSnapshot {
  const reason = 'The datastore refused what this probe read.';
  return { ...run, content: undefined, outcome: 'failed', cause: null, reason, mend: null };
}

/** The newer attempt, with the older one's rows where it brought none of its own. */
function merge(older: QueuedSnapshot, newer: QueuedSnapshot): QueuedSnapshot {
  if (newer.content || !older.content || older.epoch !== newer.epoch) return newer;
  return { ...newer, content: older.content };
}

/** Whether that database is none of those that exist; '' is the whole server. */
const isGone = (database_name: string, databases: ReadonlySet<string> | undefined): boolean =>
  database_name !== '' && databases?.has(database_name) === false;

const bytesOf = (run: QueuedSnapshot) => ENTRY_BYTES + (run.content?.bytes ?? 0);

export interface SnapshotQueueLimits {
  maxRuns: number;
  maxBytes: number;
}

export class SnapshotQueue {
  readonly #runs = new Map<string, QueuedSnapshot>();
  readonly #limits: SnapshotQueueLimits;
  /** The databases that exist on a connection, as far as somebody told. */
  readonly #databases = new Map<number, ReadonlySet<string>>();
  #bytes = 0;
  #dropped = 0;

  constructor(limits: SnapshotQueueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#runs.size;
  }
  get bytes(): number {
    return this.#bytes;
  }
  /** How many runs were given up because memory was full. */
  get dropped(): number {
    return this.#dropped;
  }

  put(newer: QueuedSnapshot): void {
    const older = this.#remove(newer.key);
    this.#put(older ? merge(older, newer) : newer);
    this.#trim();
  }

  /** Takes the oldest runs out, at least one while there is any, up to both limits. */
  take({ maxRuns, maxBytes }: SnapshotQueueLimits): QueuedSnapshot[] {
    const taken: QueuedSnapshot[] = [];
    let bytes = 0;
    for (const run of this.#runs.values()) {
      bytes += bytesOf(run);
      if (taken.length >= maxRuns || (taken.length > 0 && bytes > maxBytes)) break;
      taken.push(run);
    }
    for (const run of taken) this.#remove(run.key);
    return taken;
  }

  /** Puts back what could not be written; what came in meanwhile is newer. */
  restore(runs: readonly QueuedSnapshot[]): void {
    const waiting = [...this.#runs.values()];
    this.#runs.clear();
    this.#bytes = 0;
    for (const run of runs) if (!this.#isGone(run)) this.#put(run);
    for (const newer of waiting) {
      const older = this.#remove(newer.key);
      this.#put(older ? merge(older, newer) : newer);
    }
    this.#trim();
  }

  /** Forgets everything that was collected under a lease that is no longer ours. */
  forget(lease: { connection_id: number; epoch: number }): void {
    for (const run of [...this.#runs.values()])
      if (run.connection_id === lease.connection_id && run.epoch <= lease.epoch) this.#remove(run.key);
  }

  /** These databases exist, of others nothing is to be told any more: also not of what is being written now. */
  keepDatabases(connectionId: number, databases: ReadonlySet<string>): void {
    this.#databases.set(connectionId, databases);
    for (const run of [...this.#runs.values()])
      if (run.connection_id === connectionId && this.#isGone(run)) this.#remove(run.key);
  }

  /** The connection is not collected here any more. */
  leave(connectionId: number): void {
    this.#databases.delete(connectionId);
  }

  #isGone({ connection_id, database_name }: QueuedSnapshot): boolean {
    return isGone(database_name, this.#databases.get(connection_id));
  }

  #put(run: QueuedSnapshot): void {
    this.#runs.set(run.key, run);
    this.#bytes += bytesOf(run);
  }

  #remove(key: string): QueuedSnapshot | undefined {
    const run = this.#runs.get(key);
    if (!run) return undefined;
    this.#runs.delete(key);
    this.#bytes -= bytesOf(run);
    return run;
  }

  #trim(): void {
    for (const key of this.#runs.keys()) {
      if (this.#runs.size <= this.#limits.maxRuns && this.#bytes <= this.#limits.maxBytes) return;
      this.#remove(key);
      this.#dropped += 1;
    }
  }
}

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
