// Tells a datastore that does not answer from one that is slow. Whoever waits for it longer than a moment makes us ask
// the smallest question on a session of its own; when that is not answered either, everybody who waits is told so, and
// everybody who comes is refused at once until an answer arrives. Guards: nobody waits for a frozen datastore or on a
// session that has died, and a statement that merely takes long is left alone.
import { Socket } from 'node:net';
import pg from 'pg';
import { type Clock, sleep } from './clock.ts';
import { errorCode } from './errors.ts';
import { LinkedList } from './linked-list.ts';
import type { Log } from './log.ts';

/** Somebody who waits for the datastore. */
export interface Waiting {
  since: number;
  /** Of the statement that is under way on a session; undefined while none is. */
  statement: { since: number; pid: number } | undefined;
  /** Tells whoever waits that no answer will come. */
  giveUp(): void;
}

export interface HeartbeatOptions {
  client: pg.ClientConfig;
  clock: Clock;
  log: Log;
  /** Closes every session there is. */
  closeAll(): void;
}

/** So long somebody has to wait before we ask, and so much lies between two questions. */
const ASK_AFTER_MS = 1500;
/** An answer takes at most so long. */
const ANSWER_MS = 3000;
/** Whoever waits for a datastore that does not answer is told after this. */
export const SILENT_AFTER_MS = ASK_AFTER_MS + ANSWER_MS + 500;
const LOOK_MS = 500;
const CLOSE_IDLE_MS = 30_000;
const STEP_MS = 250;

const SESSIONS = `/* heartbeat.sessions */ select pid from pg_catalog.pg_stat_activity
  where pid = any($1) and application_name = pg_catalog.current_setting('application_name')
    and state in ('idle', 'idle in transaction') and state_change < now() - interval '1 second'`;

interface Session {
  client: pg.Client;
  socket: Socket;
  connected: Promise<unknown>;
}

type Answer = 'silent' | { idle: ReadonlySet<number> };

const NOBODY: ReadonlySet<number> = new Set();
const NO_WAY = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN']);

/** Resolves after `ms` of a process that runs: when we were the ones who stood still, that is not held against others. */
async function patience(ms: number, signal: AbortSignal): Promise<'silent'> {
  for (let left = ms; left > 0 && !signal.aborted; left -= STEP_MS) await sleep(STEP_MS, signal);
  return 'silent';
}

/** An error is an answer as well, unless it says that there is no way. */
function meaningOf(error: unknown): Answer {
  const code = errorCode(error);
  return code !== undefined && NO_WAY.has(code) ? 'silent' : { idle: NOBODY };
}

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #waiting = new LinkedList<Waiting>();
  readonly #stopping = new AbortController();
  #isLooking = false;
  #asking: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isSilent = false;
  #session: Session | undefined;
  /** Sessions that the server called idle at the last question, while we waited for their answer. */
  #suspects: ReadonlySet<number> = NOBODY;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Answers what to call when the wait is over. */
  begin(waiting: Waiting): () => void {
    const end = this.#waiting.enter(waiting);
    if (!this.#isLooking) {
      this.#isLooking = true;
      // Before that nobody has waited for long, and mostly nobody waits by then.
      this.#lookIn(ASK_AFTER_MS);
    }
    return end;
  }

  stop(): void {
    this.#stopping.abort();
    this.#close();
  }

  #lookIn(ms: number): void {
    setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    const now = this.#options.clock.monotonic();
    const longest = this.#waiting.first;
    const isDone = longest === undefined && now - this.#askedAt > CLOSE_IDLE_MS;
    if (this.#stopping.signal.aborted || (isDone && !this.#asking)) {
      this.#close();
      this.#isLooking = false;
      return;
    }
    const isDue = longest !== undefined && now - longest.since >= ASK_AFTER_MS;
    if (isDue && now - this.#askedAt >= ASK_AFTER_MS && !this.#asking) {
      this.#askedAt = now;
      this.#asking = this.#judge().finally(() => {
        this.#asking = undefined;
      });
    }
    this.#lookIn(LOOK_MS);
  }

  async #judge(): Promise<void> {
    const answer = await this.#ask(this.#late());
    if (this.#stopping.signal.aborted) return;
    if (answer === 'silent') return this.#untilItAnswers();
    this.#judgeSessions(answer.idle);
  }

  #late(): Waiting[] {
    const now = this.#options.clock.monotonic();
    return this.#waiting.all().filter(({ statement }) => statement && now - statement.since > ASK_AFTER_MS);
  }

  /** A session that the server calls idle twice in a row, while we wait for its answer, has lost our statement. */
  #judgeSessions(idle: ReadonlySet<number>): void {
    const lost = this.#late().filter(
      ({ statement }) => statement && idle.has(statement.pid) && this.#suspects.has(statement.pid),
    );
    this.#suspects = idle;
    if (lost.length === 0) return;
    this.#options.log.warn({ event: 'datastore.session_silent', sessions: lost.length });
    for (const waiting of lost) waiting.giveUp();
  }

  async #untilItAnswers(): Promise<void> {
    const { log, closeAll } = this.#options;
    const { signal } = this.#stopping;
    this.#isSilent = true;
    log.error({ event: 'datastore.silent', waiting: this.#waiting.size });
    while (!signal.aborted) {
      for (const waiting of this.#waiting.all()) waiting.giveUp();
      closeAll();
      await sleep(STEP_MS, signal);
      if ((await this.#ask([])) !== 'silent') break;
    }
    this.#isSilent = false;
    if (!signal.aborted) log.info({ event: 'datastore.answers' });
  }

  /** One question; whoever does not answer in time loses this session as well. */
  async #ask(late: readonly Waiting[]): Promise<Answer> {
    const pids = late.flatMap(({ statement }) => (statement ? [statement.pid] : []));
    const done = new AbortController();
    const answer = await Promise.race([this.#question(pids), patience(ANSWER_MS, done.signal)]);
    done.abort();
    if (answer === 'silent') this.#close();
    return answer;
  }

  async #question(pids: readonly number[]): Promise<Answer> {
    const session = this.#session ?? this.#open();
    try {
      await session.connected;
      const { rows } = await session.client.query<{ pid: number }>(SESSIONS, [pids]);
      return { idle: new Set(rows.map(({ pid }) => pid)) };
    } catch (error) {
      this.#close(session);
      return meaningOf(error);
    }
  }

  #open(): Session {
    const socket = new Socket();
    const client = new pg.Client({ ...this.#options.client, stream: () => socket });
    const session = { client, socket, connected: client.connect() };
    this.#session = session;
    client.on('error', () => this.#close(session));
    return session;
  }

  #close(session = this.#session): void {
    session?.socket.destroy();
    if (this.#session === session) this.#session = undefined;
  }
}
