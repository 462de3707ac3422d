// Where a connection's log was read up to, and what came of it. Guards: a position and what was read up to it are stored in one
// transaction; after any failure, what the datastore has is read again before anything else is, since a commit may have succeeded.
import type { LogFormat, LogVerdict } from '../../estate/connections/log-source.ts';
import { type LogPiece, type PieceEvents, storeEvents } from '../../estate/server-logs/log-writes.service.ts';
import type { Db } from '../../kernel/db.ts';
import type { Lease } from '../../store/write/fence.queries.ts';
import type { LineReader } from './line-keeper.ts';
import type { Change, FileState, Gap } from './log-plan.ts';
import * as queries from './log-store.queries.ts';

/** Another collector has read on, or holds the lease. */
class Overtaken extends Error {}

export interface Progress {
  readonly from: FileState;
  readonly to: FileState;
  readonly found: PieceEvents;
  readonly gap?: Gap;
}

export interface NotedAt {
  readonly at: number;
  /** Of a look that left something unread: up to when events were read; null where it read none with a time. */
  readonly until?: number | null | undefined;
}

interface LogFiles {
  files: Map<string, FileState>;
  format: LogFormat | undefined;
}

export class LogStore {
  readonly #db: Db;
  readonly #lease: Lease;
  #known: LogFiles | undefined;

  constructor(db: Db, lease: Lease) {
    this.#db = db;
    this.#lease = lease;
  }

  /** What is stored; remembered from one look to the next. */
  async known(): Promise<Readonly<LogFiles>> {
    const { connection_id } = this.#lease;
    if (this.#known === undefined) {
      const [source, files] = await Promise.all([
        queries.loadSource(this.#db, connection_id),
        queries.loadFiles(this.#db, connection_id),
      ]);
      const found = source?.format ?? undefined;
      const format = found === 'otlp' || found === 'syslog' ? undefined : found;
      this.#known = { files: new Map(files.map((file) => [file.name, file])), format };
    }
    return this.#known;
  }

  /** Whether records of this log are sent to us, so that nothing is read here. */
  isSent(at: number): Promise<boolean> {
    return queries.isSent(this.#db, this.#lease.connection_id, at);
  }

  /** Counts a piece, with as many lines as there is room for. */
  count(read: LineReader, piece: LogPiece): Promise<PieceEvents> {
    return read(this.#db, this.#lease.connection_id, piece);
  }

  /** Stores how reading is doing. */
  async note(verdict: LogVerdict, { at, until }: NotedAt): Promise<void> {
    await this.#guarded(() => queries.noteSource(this.#db, this.#lease, { ...verdict, at, until }));
    if (this.#known) this.#known.format = verdict.format;
  }

  /** Stores what changed of files before anything of them is read; all of it or nothing. */
  async apply(changes: readonly Change[], at: number): Promise<void> {
    if (changes.length === 0) return;
    await this.#guarded(() =>
      this.#db.transaction(async (db) => {
        for (const change of changes) await this.#change(db, change, at);
      }),
    );
    for (const { before, after } of changes) {
      if (before && !after) this.#known?.files.delete(before.name);
      if (after) this.#known?.files.set(after.name, after);
    }
  }

  /** Stores what a piece of a file held, together with the position behind it. */
  async advance({ from, to, found, gap }: Progress, at: number): Promise<void> {
    const { connection_id } = this.#lease;
    await this.#guarded(() =>
      this.#db.transaction(async (db) => {
        overtakenUnless(await queries.moveFile(db, this.#lease, { from: from.position, to }));
        await storeEvents(db, this.#lease, found);
        if (gap) await queries.addGap(db, connection_id, { ...gap, at });
      }),
    );
    this.#known?.files.set(to.name, to);
  }

  async #change(db: Db, { before, after, gap }: Change, at: number): Promise<void> {
    const lease = this.#lease;
    if (after === undefined) {
      if (before) overtakenUnless(await queries.dropFile(db, lease, before));
    } else if (before === undefined) overtakenUnless(await queries.addFile(db, lease, after));
    else overtakenUnless(await queries.moveFile(db, lease, { from: before.position, to: after }));
    if (gap) await queries.addGap(db, lease.connection_id, { ...gap, at });
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#known = undefined;
      throw error;
    }
  }
}

function overtakenUnless(rows: number): void {
  if (rows !== 1) throw new Overtaken('the position of a log file has moved meanwhile');
}
