// Which process judges: the one with a lock on the datastore that lasts as long as the session which holds it. The process that gets it knows
// that the session of the one before is over, and need not wait for the end of its lease. Guards: the lease is claimed in the
// very session that holds the lock; an alerter that is frozen loses its session, since the datastore ends one that is silent,
// and writes nothing when it wakes, since every writing checks the epoch of the lease.
import pg from 'pg';
import { sleep } from '../../kernel/clock.ts';
import { errorCode } from '../../kernel/errors.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { Secret } from '../../kernel/secret.ts';
import { clientOptions } from '../../kernel/session.ts';
import type { Sql } from '../../kernel/sql.ts';
import { withVisibleName } from '../../kernel/statement-name.ts';
import { keepAlive, tryLock } from './alerter-lock.queries.ts';

export interface AlerterLockOptions {
  /** The datastore. */
  url: Secret;
  log: Log;
  /** Called when this process gets the lock. */
  onTaken(): void;
}

export interface AlerterLock extends Part {
  readonly isHeld: boolean;
  /** Runs the claim in the session that holds the lock; undefined: it claimed nothing. */
  claim<T extends pg.QueryResultRow>(claim: Sql): Promise<T | undefined>;
  /** Another process judges: lets the lock go, and does not take it back at once. */
  release(): void;
}

const LOOK_MS = 400;
/** Well below the time after which the datastore ends a silent session. */
const BEAT_MS = 6000;
const RETRY_MS = 250;
/** Others look several times meanwhile. */
const RELEASED_MS = 2000;
/** Whoever does not answer for so long is not there. */
const ANSWER_MS = 3000;
const END_MS = 500;
/** Shorter than the lease, and long enough for an alerter that is only busy. */
const SERVER_SIDE = '-c idle_session_timeout=8s';

class LockSession implements AlerterLock {
  readonly name = 'alerter-lock';
  readonly #options: AlerterLockOptions;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #client: pg.Client | undefined;
  #session = new AbortController();
  #isHeld = false;
  #isReleased = false;

  constructor(options: AlerterLockOptions) {
    this.#options = options;
    this.#done = this.#run();
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  async claim<T extends pg.QueryResultRow>(claim: Sql): Promise<T | undefined> {
    return (await this.#query<T>(claim)).rows[0];
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isReleased = true;
    this.#session.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  #query<T extends pg.QueryResultRow>({ text, values }: Sql): Promise<pg.QueryResult<T>> {
    if (!this.#client) throw new Error('the session is over');
    return this.#client.query<T>({ text: withVisibleName(text), values: [...values] });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#session = new AbortController();
      this.#isReleased = false;
      const client = this.#open();
      this.#client = client;
      try {
        await client.connect();
        await this.#wait(AbortSignal.any([signal, this.#session.signal]));
      } catch (error) {
        if (this.#isHeld) this.#options.log.info({ event: 'alerter.turn_lost', code: errorCode(error) });
      }
      this.#isHeld = false;
      this.#client = undefined;
      await Promise.race([client.end().catch(() => undefined), sleep(END_MS)]);
      await sleep(this.#isReleased ? RELEASED_MS : RETRY_MS, signal);
    }
  }

  #open(): pg.Client {
    const options = clientOptions(this.#options.url, 'matriarch alerter');
    const client = new pg.Client({
      ...options,
      options: `${options.options} ${SERVER_SIDE}`,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    const { signal } = this.#stopping;
    // A datastore that answers nothing must not hold up our end.
    const leave = () => void client.end().catch(() => undefined);
    signal.addEventListener('abort', leave, { once: true });
    const session = this.#session;
    client.once('end', () => {
      signal.removeEventListener('abort', leave);
      session.abort();
    });
    // Without a listener a session that breaks would end the process.
    client.on('error', () => session.abort());
    return client;
  }

  /** Until the session is over. */
  async #wait(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#isHeld) await this.#query(keepAlive());
      else if ((await this.#query<{ is_held: boolean }>(tryLock())).rows[0]?.is_held) {
        this.#isHeld = true;
        this.#options.onTaken();
      }
      await sleep(this.#isHeld ? BEAT_MS : LOOK_MS, signal);
    }
  }
}

/** Opens the session in the background and keeps one open. */
export const openAlerterLock = (options: AlerterLockOptions): AlerterLock => new LockSession(options);
