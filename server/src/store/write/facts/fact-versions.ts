// Versions of facts (settings, extensions and the like) on their way to the datastore: every change, in order, in the
// spool and in memory. Other waiting runs replace each other (snapshots/snapshot-queue.ts); if facts did, a setting
// that was changed and changed back while the datastore was away would be missing from the history. Guards: versions of
// the same facts are written oldest first, also those that a dead process left; what is written is acknowledged, so the
// spool is nearly always empty.
import type { Database } from '../../../kernel/db.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Spool } from '../../spool/types.ts';
import { isRefusal } from '../refusals.ts';
import type { QueuedSnapshot } from '../snapshots/snapshot-queue.ts';
import { flushRuns } from '../writer.queries.ts';

export interface FactVersionsOptions {
  db: Pick<Database, 'run'>;
  log: Log;
  spool: Spool;
  maxBytes?: number;
}

interface Version {
  readonly run: QueuedSnapshot;
  /** Its number in the spool; 0 where no disk took it, or not yet. */
  seq: number;
  /** Written or given up while it was on its way to the disk. */
  isDone: boolean;
}

const MAX_BYTES = 32 * 1024 * 1024;
const AT_ONCE = { runs: 500, bytes: 8 * 1024 * 1024 };

const bytesOf = ({ run }: Version) => run.content?.bytes ?? 0;

export class FactVersions {
  readonly #options: FactVersionsOptions;
  /** Hash of what was seen last, by key. */
  readonly #known = new Map<string, string>();
  readonly #loaded: Promise<void>;
  #versions: Version[] = [];
  #appending: Promise<unknown> = Promise.resolve();
  #bytes = 0;
  statements = 0;

  constructor(options: FactVersionsOptions) {
    this.#options = options;
    this.#loaded = this.#load();
  }

  get size(): number {
    return this.#versions.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What a dead process left comes before everything that was collected since. */
  async #load(): Promise<void> {
    const { spool, log } = this.#options;
    const left: Version[] = [];
    try {
      for await (const record of spool.unacknowledged()) {
        if (record.kind === 'batch') {
          const run: QueuedSnapshot = JSON.parse(record.payload.toString());
          left.push({ run, seq: record.seq, isDone: false });
        } else spool.acknowledge(record.seq);
      }
    } catch (error) {
      log.error({ event: 'spool.unreadable', err: error });
    }
    this.#versions = [...left, ...this.#versions];
    this.#bytes = this.#versions.reduce((sum, version) => sum + bytesOf(version), 0);
    this.#trim();
  }

  /** A run with its rows; kept when they are others than before. */
  add(run: QueuedSnapshot): void {
    const { content, key } = run;
    if (!content?.items || content.content_hash === null) return;
    if (this.#known.get(key) === content.content_hash) return;
    this.#known.set(key, content.content_hash);
    const version = { run, seq: 0, isDone: false };
    this.#versions.push(version);
    this.#bytes += bytesOf(version);
    this.#trim();
    this.#appending = Promise.all([this.#appending, this.#append(version)]);
  }

  async #append(version: Version): Promise<void> {
    const { spool, log } = this.#options;
    const { connection_id, attempted_at } = version.run;
    const about = { connections: [connection_id], from: attempted_at, to: attempted_at };
    try {
      version.seq = await spool.append(version.run, about);
      if (version.isDone) spool.acknowledge(version.seq);
    } catch (error) {
      log.error({ event: 'spool.refused', connection_id, probe: version.run.probe, err: error });
    }
  }

  /** Resolves when all of them are on the disk, as far as it takes them. */
  async spooled(): Promise<void> {
    await this.#appending;
  }

  /** Nothing is known of a connection that is collected elsewhere now. */
  leave(connectionId: number): void {
    for (const key of this.#known.keys()) if (key.startsWith(`${connectionId}\0`)) this.#known.delete(key);
  }

  /** Writes what waits now, oldest first; what comes meanwhile is left to the next call. Rejects while the datastore is away. */
  async flush(): Promise<void> {
    await this.#loaded;
    for (let left = this.#versions.length; left > 0 && this.#versions.length > 0; ) {
      const taken = this.#next();
      left -= taken.length;
      try {
        await this.#write(taken);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        for (const version of taken) await this.#writeAlone(version);
      }
    }
  }

  /** The oldest, of each facts one version: a statement cannot write two. */
  #next(): Version[] {
    const taken = new Map<string, Version>();
    let bytes = 0;
    for (const version of this.#versions) {
      bytes += bytesOf(version);
      const isFull = taken.size >= AT_ONCE.runs || (taken.size > 0 && bytes > AT_ONCE.bytes);
      if (isFull || taken.has(version.run.key)) break;
      taken.set(version.run.key, version);
    }
    return [...taken.values()];
  }

  async #write(versions: readonly Version[]): Promise<void> {
    this.statements += 1;
    const runs = versions.map(({ run }) => ({ ...run, late: true }));
    await this.#options.db.run(flushRuns(runs));
    this.#done(versions);
  }

  /** One that is refused is given up here; as the newest run it will be shown as failed. */
  async #writeAlone(version: Version): Promise<void> {
    try {
      await this.#write([version]);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const { connection_id, probe } = version.run;
      this.#options.log.error({ event: 'store.refused', connection_id, probe, err: error });
      this.#done([version]);
    }
  }

  #done(versions: readonly Version[]): void {
    const done = new Set(versions);
    this.#versions = this.#versions.filter((version) => !done.has(version));
    for (const version of versions) {
      // Given up while it was being written.
      if (version.isDone) continue;
      version.isDone = true;
      this.#bytes -= bytesOf(version);
      if (version.seq > 0) this.#options.spool.acknowledge(version.seq);
    }
  }

  #trim(): void {
    const { maxBytes = MAX_BYTES, log } = this.#options;
    const given: Version[] = [];
    let bytes = this.#bytes;
    for (const version of this.#versions.slice(0, -1)) {
      if (bytes <= maxBytes) break;
      bytes -= bytesOf(version);
      given.push(version);
    }
    if (given.length === 0) return;
    this.#done(given);
    log.error({ event: 'store.dropped', versions: given.length });
  }
}
