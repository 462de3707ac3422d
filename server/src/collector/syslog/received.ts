// What came by syslog for one connection, until it is stored. Guards: what is counted is stored once, also where a commit got no answer; while
// the datastore is away memory is bounded, and what was dropped meanwhile is a gap with its bytes.
import { randomBytes } from 'node:crypto';
import { noteBatch, noteReceived } from '../../estate/log-intake/log-intake.service.ts';
import type { PieceEvents } from '../../estate/server-logs/log-rows.ts';
import { storeEvents } from '../../estate/server-logs/log-writes.service.ts';
import type { Db } from '../../kernel/db.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import type { LineReader } from '../logs/line-keeper.ts';
import { addGap } from '../logs/log-store.queries.ts';
import { MessageGroups } from './groups.ts';
import type { SyslogMessage } from './message.ts';

const PIECE_BYTES = 1024 * 1024;
/** Of one connection: in messages that come, and in events that wait for the datastore. */
const MOST_BYTES = 8 * 1024 * 1024;
/** While they wait, messages are kept as they came. */
const MOST_BATCHES = 4;
const FILE = 'syslog';

type Lost = 'too_many' | 'line_too_long' | 'incomplete';

interface Batch {
  readonly hash: Buffer;
  readonly pieces: readonly PieceEvents[];
  readonly lost: ReadonlyMap<Lost, number>;
  readonly messages: number;
}

export interface Storing {
  readonly db: Db;
  now(): number;
  readonly read: LineReader;
  scrub(text: string): string;
}

export interface Counting {
  readonly monotonic: number;
  readonly isEnd: boolean;
  /** log_line_prefix of the server; found out where it is not known. */
  readonly prefix: string | undefined;
  /** How far the clock of the server is ahead of ours. */
  readonly ahead_ms: number;
}

/** `elsewhere`: the log is read or sent another way. */
export type Stored = 'stored' | 'elsewhere';

export class Received {
  readonly #connection_id: number;
  readonly #groups = new MessageGroups();
  #lost = new Map<Lost, number>();
  #batches: Batch[] = [];

  constructor(connection_id: number) {
    this.#connection_id = connection_id;
  }

  get size(): number {
    return this.#groups.size;
  }

  get isEmpty(): boolean {
    return this.size === 0 && this.#batches.length === 0 && this.#lost.size === 0;
  }

  /** Answers whether it was taken; `hasRoom`: the whole process may keep more. */
  add(message: SyslogMessage, at: { now: number; bytes: number; hasRoom: boolean }): boolean {
    const hasRoom = at.hasRoom && this.size < MOST_BYTES;
    if (hasRoom) this.#groups.add(message, at.now);
    else this.lose('too_many', at.bytes);
    return hasRoom;
  }

  lose(reason: Lost, bytes: number): void {
    this.#lost.set(reason, (this.#lost.get(reason) ?? 0) + bytes);
  }

  /** Counts what is whole; all that came, at the end. */
  async count(storing: Storing, at: Counting): Promise<void> {
    if (!at.isEnd && this.#batches.length >= MOST_BATCHES) return;
    const { lines, incomplete } = this.#groups.take(at.monotonic, at.isEnd);
    if (incomplete > 0) this.lose('incomplete', incomplete);
    if (lines.length === 0 && this.#lost.size === 0) return;
    const lost = this.#lost;
    this.#lost = new Map();
    const pieces: PieceEvents[] = [];
    for (const bytes of inPieces(lines)) {
      const { scrub } = storing;
      const { ahead_ms } = at;
      const piece = { bytes, prefix: at.prefix, time_zone: 'UTC', now: storing.now(), ahead_ms, scrub };
      pieces.push(await storing.read(storing.db, this.#connection_id, piece));
      await yieldIfBusy();
    }
    this.#batches.push({ hash: randomBytes(32), pieces, lost, messages: lines.length });
  }

  /** Stores what was counted, the oldest first. What is not stored stays. */
  async store(storing: Storing): Promise<{ messages: number; outcome: Stored }> {
    let messages = 0;
    for (let batch = this.#batches[0]; batch; batch = this.#batches[0]) {
      const outcome = await this.#storeOne(storing, batch);
      this.#batches.shift();
      if (outcome === 'elsewhere') return { messages, outcome };
      messages += batch.messages;
    }
    return { messages, outcome: 'stored' };
  }

  #storeOne({ db, now }: Storing, { hash, pieces, lost }: Batch): Promise<Stored> {
    const connection_id = this.#connection_id;
    const at = now();
    return db.transaction(async (tx) => {
      const reason = pieces.at(-1)?.notice;
      if ((await noteReceived(tx, connection_id, { at, format: 'syslog', reason })) === 0) return 'elsewhere';
      if ((await noteBatch(tx, connection_id, { hash, at })) === 0) return 'stored';
      for (const piece of pieces) await storeEvents(tx, { connection_id }, piece);
      for (const [reason, bytes] of lost) await addGap(tx, connection_id, { name: FILE, bytes, reason, at });
      return 'stored';
    });
  }
}

function* inPieces(lines: readonly string[]): Generator<Buffer> {
  let own: string[] = [];
  let size = 0;
  for (const line of lines) {
    own.push(line);
    size += line.length + 1;
    if (size < PIECE_BYTES) continue;
    yield Buffer.from(`${own.join('\n')}\n`, 'latin1');
    [own, size] = [[], 0];
  }
  if (own.length > 0) yield Buffer.from(`${own.join('\n')}\n`, 'latin1');
}
