// Looks at the log of one server beside its ticks: more often while lines come, rarely while none do. Guards: one look at a time; what a
// look costs the server bounds how often it comes; a server whose log cannot be read is asked every ten minutes and no more.

import { LOG_CHUNK_BYTES } from '../../estate/connections/log-script.ts';
import {
  LIST_LOG_FILES,
  LOG_LIST_REPLY,
  LOG_READ_REPLY,
  LOG_SOURCE_REPLY,
  READ_LOG_FILE,
  READ_LOG_SOURCE,
} from '../../estate/connections/log-source.queries.ts';
import {
  judgeLocalLog,
  judgeLogSource,
  type LogSource,
  type LogVerdict,
  readLogSource,
} from '../../estate/connections/log-source.ts';
import type { LogPiece, PieceEvents } from '../../estate/server-logs/log-rows.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Asking } from '../../monitored/connect.ts';
import type { Session } from '../session.ts';
import { noteOwn, type TickTarget } from '../tick-target.ts';
import { findLocalFolder, type LocalFolder, listLocal, readLocal } from './local-logs.ts';
import { type FileState, type ListedFile, planLook } from './log-plan.ts';
import { type Chunk, readFile } from './log-read.ts';
import { LogStore } from './log-store.ts';
import { LookRest } from './look-rest.ts';

/** While a person follows the log. */
const FOLLOWED_MS = 1000;
const SOONEST_MS = 5000;
const LATEST_MS = 30_000;
const SLOWER = 1.5;
/** Whether the log can be read, and how it is written, is asked so often. */
const SOURCE_MS = 600_000;
/** That reading goes on is stored so often, and where something was read, for rules to judge it. */
const NOTE_MS = 60_000;
const NEWS_MS = 5000;
/** Pieces of 1 MiB that one look reads. */
const MOST_PIECES = 8;
const LONGEST_NAME = 255;
const MOST_SECONDS = 2 ** 33;

interface Source extends LogVerdict {
  /** Monotonic. */
  readonly at: number;
  readonly source: LogSource;
  /** Records of this log come another way. */
  readonly isSent: boolean;
  /** Files are read from the disk; undefined: by the function. */
  readonly folder: LocalFolder | undefined;
}

interface ChunkRequest {
  readonly folder: LocalFolder | undefined;
  readonly name: string;
  readonly position: number;
}

interface Looking {
  readonly at: TickTarget;
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly store: LogStore;
  /** What the server took for it. */
  took_ms: number;
  /** It read as much as one may. */
  isBehind: boolean;
  /** When the newest event that it read occurred. */
  reached?: number | undefined;
}

type Row = Record<string, unknown>;

const bytesOf = (value: unknown) => Buffer.from(typeof value === 'string' ? value : '', 'base64');

/** Whatever the server answered, as what it has to be. */
function listedOf(rows: readonly Row[]): ListedFile[] {
  return rows.flatMap(({ name, size, modified }) => {
    const bytes = Number(size);
    const isName = typeof name === 'string' && name.length <= LONGEST_NAME && !/[\p{Cc}\ufffd]/u.test(name);
    const isTime = typeof modified === 'number' && modified >= 0 && modified < MOST_SECONDS;
    return isName && isTime && Number.isSafeInteger(bytes) && bytes >= 0
      ? [{ name, size: bytes, modified }]
      : [];
  });
}

const unreadOf = (files: readonly ListedFile[], known: ReadonlyMap<string, FileState>) =>
  files.reduce((sum, { name, size }) => sum + Math.max(0, size - (known.get(name)?.position ?? size)), 0);

const said = (...reasons: (string | null | undefined)[]) => reasons.filter(Boolean).join(' ') || null;
/** Says so where a look left much of the log unread. */
function behind(
  found: LogVerdict,
  files: readonly ListedFile[],
  known: ReadonlyMap<string, FileState>,
): LogVerdict {
  const unread = unreadOf(files, known);
  if (unread < MOST_PIECES * LOG_CHUNK_BYTES) return found;
  const words = `${Math.round(unread / LOG_CHUNK_BYTES)} MB of the log are not read yet; the newest events are missing until then.`;
  return { ...found, reason: said(found.reason, words) };
}

const stampOf = ({ size, modified }: ListedFile) => `${size} ${modified}`;

interface Question {
  readonly text: string;
  readonly how: Asking;
  readonly values?: unknown[];
}

async function ask(looking: Looking, { text, how, values = [] }: Question): Promise<Row[]> {
  const started = systemClock.monotonic();
  try {
    return await looking.session.client.query<Row>(text, values, how);
  } finally {
    looking.took_ms += Math.max(0, systemClock.monotonic() - started - looking.at.cost.roundTripMs);
  }
}

export class LogLooks {
  readonly #db: Db | null;
  #store: LogStore | undefined;
  #running: Promise<void> | undefined;
  #source: Source | undefined;
  #noted = { news: '', at: 0 };
  /** Files of the look before, by their size and time. */
  #stamps: ReadonlyMap<string, string> = new Map();
  #pauseMs = SOONEST_MS;
  #notice: string | undefined;
  readonly #rest = new LookRest();
  /** Says that a look is due soon; while a person follows the log. */
  #followed: (() => void) | undefined;
  #due: number;

  constructor(db: Db | null, now: number) {
    this.#db = db;
    this.#due = db ? now : Number.POSITIVE_INFINITY;
  }

  /** Monotonic time at which a look is due; infinity where logs are not read, and while a look is under way. */
  get due(): number {
    return this.#running ? Number.POSITIVE_INFINITY : this.#due;
  }

  /** Looks at once, and asks anew whether the log can be read: the connection was edited, or a test was asked for. */
  hurry(now: number): void {
    this.#source = undefined;
    if (this.#db) this.#due = now;
  }

  /** Looks every second while a person follows the log, and says each time that the next look is due soon. */
  follow(onDue: (() => void) | undefined, now: number): void {
    const isNew = onDue !== undefined && this.#followed === undefined;
    this.#followed = onDue;
    if (!isNew || this.#source?.format === undefined || this.#due <= now) return;
    this.#due = now;
    onDue();
  }

  /** Starts a look when one is due and none is under way. Resolves when the current one is over; never rejects. */
  run(at: TickTarget, session: Session, signal: AbortSignal): Promise<void> {
    if (this.#running === undefined && this.#db && at.shared.clock.monotonic() >= this.#due) {
      this.#store ??= new LogStore(this.#db, { connection_id: at.target.connection_id, epoch: at.epoch });
      this.#running = this.#look({
        at,
        session,
        signal,
        store: this.#store,
        took_ms: 0,
        isBehind: false,
      }).finally(() => {
        this.#running = undefined;
        this.#followed?.();
      });
    }
    return this.#running ?? Promise.resolve();
  }

  async #look(looking: Looking): Promise<void> {
    const { at, session, signal } = looking;
    const { clock, log } = at.shared;
    // Who hurries it meanwhile is heard.
    this.#due = Number.POSITIVE_INFINITY;
    const began = clock.monotonic();
    let pause_ms = LATEST_MS;
    try {
      pause_ms = await this.#read(looking);
    } catch (error) {
      // What was not stored is read again.
      this.#source = undefined;
      if (!session.lost() && !signal.aborted)
        log.warn({ event: 'collector.logs_failed', connection_id: at.target.connection_id, err: error });
    }
    noteOwn(at, looking.took_ms, false);
    const ended = clock.monotonic();
    const { took_ms, isBehind } = looking;
    const isFollowed = this.#followed !== undefined;
    const rest = this.#rest.after({ began, ended, took_ms, isFollowed, isBehind, pause_ms });
    this.#due = Math.min(this.#due, ended + rest);
  }

  async #sourceOf(looking: Looking): Promise<Source | undefined> {
    const now = looking.at.shared.clock.monotonic();
    if (this.#source && now - this.#source.at < SOURCE_MS) return this.#source;
    const [row] = await ask(looking, { text: READ_LOG_SOURCE, how: LOG_SOURCE_REPLY });
    const source = readLogSource(row);
    const { username } = looking.at.target.settings;
    const isSent = await looking.store.isSent(looking.at.shared.clock.now());
    if (!source) return undefined;
    const judged = judgeLogSource(source, username);
    const local = judged.format === undefined ? judgeLocalLog(source) : judged;
    const isTried = judged.format === undefined && local.format !== undefined;
    const folder = isTried ? await this.#folderOf(looking, source) : undefined;
    this.#source = { at: now, source, isSent, folder, ...(folder ? local : judged) };
    return this.#source;
  }

  #folderOf({ session }: Looking, { directory }: LogSource): Promise<LocalFolder | undefined> {
    const { client } = session;
    return findLocalFolder(({ text, values }) => client.query<Row>(text, values), directory);
  }

  /** Stores how reading is doing: news at once, and after a while that it goes on. */
  async #note(
    { store, at }: Looking,
    { format, reason, mend }: LogVerdict,
    { until, hasRead = false }: { until?: number | null | undefined; hasRead?: boolean } = {},
  ): Promise<void> {
    const news = JSON.stringify([format, reason, mend, until]);
    const now = at.shared.clock.monotonic();
    if (news === this.#noted.news && now - this.#noted.at < (hasRead || this.#followed ? NEWS_MS : NOTE_MS))
      return;
    await store.note({ format, reason, mend }, { at: at.shared.clock.now(), until });
    this.#noted = { news, at: now };
  }

  /** Answers how long to wait for the next look. */
  async #read(looking: Looking): Promise<number> {
    const { store } = looking;
    const { clock, scrubber, readLog } = looking.at.shared;
    const found = await this.#sourceOf(looking);
    if (found?.isSent) return SOURCE_MS;
    if (found?.format === undefined) {
      if (found) await this.#note(looking, found);
      return SOURCE_MS;
    }
    const { source, format, folder } = found;
    const listed = folder
      ? await listLocal(folder)
      : listedOf(await ask(looking, { text: LIST_LOG_FILES, how: LOG_LIST_REPLY }));
    const plan = planLook(listed, await store.known(), format);
    await store.apply(plan.changes, clock.now());
    const reading = {
      store,
      source,
      format,
      now: () => clock.now(),
      ahead_ms: looking.at.serverClock.aheadMs,
      stored: ({ newest = looking.reached, notice }: PieceEvents) => {
        if (newest !== undefined) looking.reached = Math.max(newest, looking.reached ?? newest);
        this.#notice = notice;
      },
      scrub: (text: string) => scrubber.statement(text),
      events: (piece: LogPiece) => store.count(readLog, piece),
      ask: (name: string, position: number) => this.#chunk(looking, { folder, name, position }),
    };
    const used = await this.#readFiles(reading, plan.reads);
    looking.isBehind = used >= MOST_PIECES;
    const until = looking.isBehind ? (looking.reached ?? null) : undefined;
    const reason = said(found.reason, this.#notice);
    const verdict = behind({ ...found, reason }, plan.reads, (await store.known()).files);
    await this.#note(looking, verdict, { until, hasRead: used > 0 });
    this.#stamps = new Map(listed.map((file) => [file.name, stampOf(file)]));
    this.#pauseMs = used > 0 ? SOONEST_MS : Math.min(LATEST_MS, this.#pauseMs * SLOWER);
    return this.#followed ? FOLLOWED_MS : this.#pauseMs;
  }

  async #readFiles(reading: Parameters<typeof readFile>[0], files: readonly ListedFile[]): Promise<number> {
    const newest = files.at(-1);
    let used = 0;
    for (const file of files) {
      const isQuiet = file !== newest || this.#stamps.get(file.name) === stampOf(file);
      used += await readFile(reading, { file, isQuiet, pieces: MOST_PIECES - used });
      if (used >= MOST_PIECES) break;
    }
    return used;
  }

  async #chunk(looking: Looking, { folder, name, position }: ChunkRequest): Promise<Chunk | undefined> {
    if (looking.signal.aborted) throw new Error('The connection was edited while its log was read.');
    if (folder) return readLocal(folder, name, position);
    const [row] = await ask(looking, { text: READ_LOG_FILE, how: LOG_READ_REPLY, values: [name, position] });
    return row && row.bytes !== null ? { head: bytesOf(row.head), bytes: bytesOf(row.bytes) } : undefined;
  }
}
